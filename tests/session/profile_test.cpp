// `evo profile` on scripts: what is proven first, what is stored, and what is said when nobody counts.
#include "session/profile.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "evaluators/gates/profiler.hpp"
#include "model/error.hpp"
#include "session/profile_file.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session::testing {
namespace {

namespace fs = std::filesystem;
using model::CounterBasis;

class TellingProfiler final : public evaluators::gates::Profiler {
 public:
  explicit TellingProfiler(CounterBasis basis) : basis_(basis) {
    answer.reading =
        model::CounterReading{basis, "a script", "a device", {{"small", "add", {{"registers", 1}}, {}, {}}}};
  }
  [[nodiscard]] CounterBasis basis() const override { return basis_; }
  [[nodiscard]] evaluators::gates::Profiled profile(const evaluators::gates::DeviceJob& job) override {
    ++asked;
    cases = job.cases.size();
    return answer;
  }
  evaluators::gates::Profiled answer;
  int asked = 0;
  std::size_t cases = 0;

 private:
  CounterBasis basis_;
};

class ProfileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "evo-profile-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    subject_.given = subject_.path = folder_.string();
    subject_.kind = "run";
    subject_.experiment = run_.experiment;
    subject_.variant.template_name = run_.experiment.baseline_template;
    subject_.variant.genome = run_.experiment.baseline;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Profile profile(bool on_gpu = true) {
    ProfileParts parts;
    parts.stack = [this](const model::Experiment& experiment) {
      return std::make_unique<EvaluationStack>(experiment, scripted_parts(run_.script), 99);
    };
    if (on_gpu) parts.measuring = measuring_;
    parts.modelling = modelling_;
    return profile_subject(subject_, {on_gpu ? "cuda:0" : "virtual", {}, {}}, parts, {});
  }
  fs::path folder_;
  FakeRun run_;
  Compared subject_;
  std::shared_ptr<TellingProfiler> measuring_ = std::make_shared<TellingProfiler>(CounterBasis::measured);
  std::shared_ptr<TellingProfiler> modelling_ = std::make_shared<TellingProfiler>(CounterBasis::modelled);
};

TEST_F(ProfileTest, ARunsVariantIsCountedAndStoredAndNotProvenAgain) {
  const Profile found = profile();
  EXPECT_EQ(found.exit_code(), 0);
  ASSERT_TRUE(found.measured && found.modelled);
  EXPECT_TRUE(run_.script->jobs.empty()) << "no device job: the run has proven it";
  EXPECT_EQ(measuring_->cases, run_.experiment.workloads.size());
  std::string problem;
  const auto stored = read_profile(folder_, found.variant, problem);
  ASSERT_TRUE(stored.has_value()) << problem;
  EXPECT_EQ(stored->measured->method, "a script");
  EXPECT_EQ(found.stored, profile_file(folder_, found.variant).string());
}

TEST_F(ProfileTest, AFolderThatCannotBeWrittenTakesNothingFromTheResult) {
  std::ofstream(folder_ / "profiles") << "a file where the folder would be";
  const Profile found = profile();
  EXPECT_EQ(found.exit_code(), 0);
  EXPECT_TRUE(found.measured && found.modelled);
  EXPECT_TRUE(found.stored.empty());
  EXPECT_FALSE(found.not_stored.empty());
}

TEST_F(ProfileTest, AnythingElseIsProvenFirstAndWhatIsWrongIsNotCounted) {
  subject_.kind = "source";
  EXPECT_EQ(profile().exit_code(), 0);
  EXPECT_FALSE(run_.script->jobs.empty());
  EXPECT_FALSE(fs::exists(folder_ / "profiles")) << "a source has no run to keep it";
  run_.script->verdict = [](const SeenJob&) { return model::Failure{model::Status::wrong, "mismatch", {}}; };
  const int asked = measuring_->asked;
  const Profile wrong = profile();
  EXPECT_EQ(wrong.exit_code(), static_cast<int>(model::ExitCode::verification_failed));
  EXPECT_EQ(measuring_->asked, asked);
  EXPECT_FALSE(wrong.measured || wrong.modelled);
}

TEST_F(ProfileTest, WithoutCountersOfTheGpuTheModelledOnesAreToldAndTheExitCodeSaysSo) {
  measuring_->answer = {};
  measuring_->answer.refused = {{"CUPTI", "no library", false}, {"ncu", "ERR_NVGPUCTRPERM", true}};
  const Profile found = profile();
  EXPECT_EQ(found.exit_code(), static_cast<int>(model::ExitCode::environment));
  EXPECT_FALSE(found.measured.has_value());
  EXPECT_TRUE(found.modelled.has_value());
  EXPECT_EQ(found.refused.size(), 2U);
}

TEST_F(ProfileTest, OnTheVirtualDeviceThereAreModelledCountersAlone) {
  const Profile found = profile(false);
  EXPECT_EQ(found.exit_code(), 0);
  EXPECT_FALSE(found.measured.has_value());
  EXPECT_EQ(measuring_->asked, 0);
}

TEST_F(ProfileTest, AModelledProfileLeavesTheMeasuredCountersOfEarlier) {
  const std::string variant = profile().variant;
  static_cast<void>(profile(false));
  std::string problem;
  const auto stored = read_profile(folder_, variant, problem);
  ASSERT_TRUE(stored.has_value());
  EXPECT_TRUE(stored->measured.has_value());
}

TEST_F(ProfileTest, AFileThatIsBrokenOrAnothersIsToldAndNotBelieved) {
  const std::string variant = profile().variant;
  std::string problem;
  EXPECT_FALSE(read_profile(folder_, "ffffffffffffffff", problem).has_value());
  EXPECT_EQ(problem, "") << "no file is no problem";
  fs::copy_file(profile_file(folder_, variant), profile_file(folder_, "eeeeeeeeeeeeeeee"));
  EXPECT_FALSE(read_profile(folder_, "eeeeeeeeeeeeeeee", problem).has_value());
  EXPECT_NE(problem, "");
  std::ofstream(profile_file(folder_, variant)) << "{\"schema_version\": 1, \"varia";
  problem.clear();
  EXPECT_FALSE(read_profile(folder_, variant, problem).has_value());
  EXPECT_NE(problem, "");
  EXPECT_EQ(profile().exit_code(), 0) << "and is written anew";
  problem.clear();
  EXPECT_TRUE(read_profile(folder_, variant, problem).has_value());
}

TEST_F(ProfileTest, AnExperimentWithBoundsNeedsSomebodyWhoCounts) {
  run_.experiment.gates.counters = {{"registers", "<=", 64}};
  StackParts nobody = scripted_parts(run_.script);
  EXPECT_THROW(EvaluationStack(run_.experiment, nobody, 1), model::Exception);
  nobody.profiler = [this](const model::Experiment&) { return measuring_; };
  EXPECT_NO_THROW(EvaluationStack(run_.experiment, nobody, 1));
}

}  // namespace
}  // namespace evo::session::testing
