// `evo compare` on fakes: what a ratio says, what is refused, and that a planted change is found every time.
#include "session/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <boost/json.hpp>

#include "model/error.hpp"
#include "model/random.hpp"
#include "session/load.hpp"
#include "tests/session/fake_stack.hpp"
#include "tests/support/known.hpp"

namespace evo::session {
namespace {

TEST(ChangeOf, SaysWhatTheIntervalAllows) {
  EXPECT_EQ(change_of({0.99, 1.01}, 0.03), Change::same);
  EXPECT_EQ(change_of({1.01, 1.02}, 0.03), Change::same) << "slower, and by less than the threshold";
  EXPECT_EQ(change_of({1.04, 1.2}, 0.03), Change::regression);
  EXPECT_EQ(change_of({1.025, 1.031}, 0.03), Change::regression) << "narrow, and it reaches the threshold";
  EXPECT_EQ(change_of({1.001, 1.04}, 0.03), Change::undecided) << "wide: it may be nothing";
  EXPECT_EQ(change_of({0.9, 1.1}, 0.03), Change::undecided);
  EXPECT_EQ(change_of({0.9, 0.95}, 0.03), Change::improved);
  EXPECT_EQ(change_of({1, 1}, 0.03), Change::same);
  EXPECT_EQ(change_of({1.03, 1.03}, 0.03), Change::regression) << "modelled, exactly at the threshold";
  EXPECT_EQ(change_of({std::nan(""), std::nan("")}, 0.03), Change::undecided);
}

RC_GTEST_PROP(ChangeOf, TheOtherWayRoundIsTheOtherVerdict, ()) {
  const double low = 0.8 + *rc::gen::inRange(0, 4000) * 1e-4;
  const double high = low * (1 + *rc::gen::inRange(0, 2000) * 1e-4);
  const Change there = change_of({low, high}, 0.03), back = change_of({1 / high, 1 / low}, 0.03);
  if (there == Change::regression) RC_ASSERT(back == Change::improved);
  if (there == Change::improved) RC_ASSERT(back == Change::regression);
  if (there == Change::same || there == Change::undecided) RC_ASSERT(back == there);
}

TEST(ChangeOf, OfSeveralTheWorstCounts) {
  using enum Change;
  EXPECT_EQ(change_of({same, regression, improved}), regression);
  EXPECT_EQ(change_of({same, undecided, improved}), undecided);
  EXPECT_EQ(change_of({same, improved}), improved);
  EXPECT_EQ(change_of({same, same}), same);
  EXPECT_EQ(change_of(std::vector<Change>{}), undecided) << "nothing was compared";
  EXPECT_EQ(exit_code_of(same), 0);
  EXPECT_EQ(exit_code_of(improved), 0);
  EXPECT_EQ(exit_code_of(regression), 7);
  EXPECT_EQ(exit_code_of(undecided), 8);
}

struct OnADevice : ::testing::Test {
  OnADevice() {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      sides[i].given = i == 0 ? "old" : "new";
      sides[i].experiment = tests::vector_add_experiment();
      model::Genome genome = sides[i].experiment.baseline;
      genome.set("THREADS", std::int64_t{i == 0 ? 64 : 32});
      sides[i].variant = {"", i == 0 ? "v0" : "v1", "plain", genome};
    }
    settings.kernel = tests::correct_kernel();
    settings.kernel_of_cubin["64"] = kernel(0);
    settings.kernel_of_cubin["32"] = kernel(1);
    settings.clock = [this] { return std::vector<double>(2, us[current] * (1 + 0.01 * stream.normal())); };
  }
  tests::FakeKernel kernel(std::size_t side) {
    return [this, side](
               tests::FakeLaunch& launch) -> evaluators::devices::Outcome<evaluators::devices::LaunchReport> {
      current = side;
      if (!settings.log->being_timed) tests::vector_add(launch);  // timed ones need not compute
      if (side == wrong_side) launch.pointer<float>(2)[0] += 100;
      return evaluators::devices::LaunchReport{};
    };
  }
  Comparison compare(std::uint64_t seed = 1) {
    stream = model::RandomStream({.seed = seed, .generation = 0, .slot = 0, .purpose = "clock"});
    tests::FakeDevice device(settings);
    ComparisonSettings wanted;
    wanted.seed = seed;
    return compare_in_pairs(sides, wanted, {&device, &compiler, tests::known(), 1 << 12}, {});
  }
  std::array<Compared, 2> sides;
  tests::FakeDeviceSettings settings;
  std::array<double, 2> us{10, 10};
  std::size_t current = 0, wrong_side = 2;
  model::RandomStream stream{{.seed = 1, .generation = 0, .slot = 0, .purpose = "clock"}};
  tests::FakeCompiler compiler{[](const tests::FakeCompiler::Request& wanted) -> tests::FakeCompiler::Result {
    model::Artifact artifact = tests::FakeCompiler::plain(wanted);
    artifact.cubin = wanted.source.find("#define THREADS 64") != std::string::npos ? "64" : "32";
    artifact.resources = {.registers = 32, .static_smem_bytes = 256};
    return artifact;
  }};
};

TEST_F(OnADevice, NoChangeIsTheSameTenTimesOfTen) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Comparison comparison = compare(seed);
    ASSERT_FALSE(comparison.refused);
    EXPECT_EQ(comparison.change(), Change::same) << seed;
    EXPECT_EQ(comparison.exit_code(), 0);
  }
}

TEST_F(OnADevice, ClocksThatWereHeldDownAreTold) {
  const auto compared_under = [&](const std::string& throttle) {
    settings.held = [throttle, looks = 0]() mutable {
      return std::optional<std::string>(++looks == 1 ? throttle : std::string());
    };
    return compare();
  };
  const Comparison hot = compared_under("thermal slowdown");
  EXPECT_EQ(hot.clocks, (model::HeldClocks{true, 1, 0, {"thermal slowdown"}}));
  EXPECT_EQ(hot.change(), Change::same) << "the load was taken again";
  const auto told = hot.notes;
  const auto names_it = [](const std::string& note) {
    return note.find("thermal slowdown") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(told, names_it), 1);
  EXPECT_EQ(compared_under("").notes.size() + 1, told.size());
  EXPECT_EQ(compared_under("power cap").clocks.kept, 1U);
}

TEST_F(OnADevice, AThreePercentRegressionIsFoundTenTimesOfTen) {
  us = {10, 10.3};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Comparison comparison = compare(seed);
    EXPECT_EQ(comparison.change(), Change::regression) << seed;
    EXPECT_EQ(comparison.exit_code(), regression_exit_code);
    ASSERT_EQ(comparison.workloads.size(), 2U);
    EXPECT_EQ(comparison.workloads[1].times.workload, "large");
  }
}

TEST_F(OnADevice, AGainIsAnImprovement) {
  us = {10, 9};
  EXPECT_EQ(compare().change(), Change::improved);
  EXPECT_EQ(compare().latency_kind, "measured");
}

TEST_F(OnADevice, TheErrorIsSharedByWorkloadsAndLooks) {
  EXPECT_DOUBLE_EQ(compare().confidence, 1 - 0.01 / 2 / 8);
}

TEST_F(OnADevice, AWrongKernelIsRefusedAndNotTimed) {
  wrong_side = 1;
  us = {10, 5};
  const Comparison comparison = compare();
  ASSERT_TRUE(comparison.refused);
  EXPECT_EQ(comparison.refused->side, 1U);
  EXPECT_TRUE(comparison.workloads.empty());
  EXPECT_EQ(comparison.exit_code(), 6);
}

TEST_F(OnADevice, AGenomeThatIsNotLegalThereIsRefused) {
  sides[1].variant.genome.set("THREADS", std::int64_t{2048});
  const Comparison comparison = compare();
  ASSERT_TRUE(comparison.refused);
  EXPECT_EQ(comparison.refused->side, 1U);
}

TEST_F(OnADevice, AStoredTimeThatIsFarOffIsTold) {
  sides[0].stored_us = {{"small", 5.0}, {"large", 10.05}};
  sides[0].stored_kind = "measured";
  const Comparison comparison = compare();
  ASSERT_EQ(comparison.notes.size(), 1U);
  EXPECT_EQ(comparison.notes[0].substr(0, 6), "small:");
}

TEST_F(OnADevice, TheL2IsAsASaysAndAnotherOneOfBIsTold) {
  sides[0].own_cache = sides[1].own_cache = "hot";
  const Comparison alike = compare();
  EXPECT_EQ(alike.cache, "hot");
  EXPECT_TRUE(alike.notes.empty());
  // Stored times of another L2 are no sign of anything.
  sides[1].own_cache = "cold";
  sides[1].stored_us = {{"small", 5.0}, {"large", 5.0}};
  sides[1].stored_kind = "measured";
  EXPECT_EQ(compare().notes.size(), 1U);
}

TEST(TimesCold, AsTheFirstSideDoesUnlessAskedOtherwise) {
  Compared first;
  first.experiment = tests::vector_add_experiment();
  EXPECT_FALSE(times_cold(first, ""));
  EXPECT_TRUE(times_cold(first, "cold"));
  first.experiment.gates.cache = "cold";
  EXPECT_TRUE(times_cold(first, ""));
  EXPECT_FALSE(times_cold(first, "hot"));
}

struct Modelled : ::testing::Test {
  Comparison compare(double first_us, double second_us) {
    std::array<Compared, 2> sides;
    for (Compared& side : sides) {
      side.experiment = tests::vector_add_experiment();
      side.variant = {"", "v", "plain", side.experiment.baseline};
    }
    std::size_t made = 0;
    return compare_modelled(sides, {}, [&](const model::Experiment& experiment) {
      auto script = std::make_shared<testing::Script>();
      script->kind = "virtual";
      const double us = made++ == 0 ? first_us : second_us;
      script->microseconds = [us](const evaluators::gates::DeviceJob&) { return us; };
      if (wrong == made)
        script->verdict = [](const testing::SeenJob&) {
          return testing::failure_of(model::Status::wrong, "mismatch");
        };
      return std::make_unique<EvaluationStack>(experiment, testing::scripted_parts(script), 7);
    });
  }
  std::size_t wrong = 0;  ///< which stack's kernel is
};

TEST_F(Modelled, TheRatioIsExact) {
  EXPECT_EQ(compare(10, 10).change(), Change::same);
  EXPECT_EQ(compare(10, 10.29).change(), Change::same);
  EXPECT_EQ(compare(10, 10.3).change(), Change::regression);
  EXPECT_EQ(compare(10.3, 10).change(), Change::improved);
  EXPECT_EQ(compare(10, 10).latency_kind, "modelled");
}

TEST_F(Modelled, WhatTheLadderRefusesHasNoVerdict) {
  wrong = 2;
  const Comparison comparison = compare(10, 5);
  ASSERT_TRUE(comparison.refused);
  EXPECT_EQ(comparison.refused->side, 1U);
  EXPECT_EQ(comparison.exit_code(), 6);
}

struct BaselineFile : ::testing::Test {
  BaselineFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "evo-baseline-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    file = folder / "main.json";
    stored.kernel = {"vector_add",
                     "plain",
                     "plain.cu",
                     "text \"of\" it",
                     "add",
                     {{"a.cuh", "x"}},
                     model::Genome({{"KIND", std::string("fast")}, {"THREADS", std::int64_t{64}}}),
                     {{"small", 1, {{"n", 300}}}},
                     "l4",
                     "fp32",
                     "abc",
                     "problems/add"};
    stored.latency_kind = "measured";
    stored.device_name = "a GPU";
    stored.times = {{"small", {5.0, 5.5, 4.5}}};
  }
  ~BaselineFile() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  model::ExitCode refusal_of(const std::string& text) const {
    std::ofstream(file) << text;
    try {
      static_cast<void>(read_baseline(file));
    } catch (const model::Exception& error) {
      return error.code();
    }
    return model::ExitCode::done;
  }
  std::filesystem::path folder, file;
  StoredBaseline stored;
};

TEST_F(BaselineFile, ComesBackAsItWas) {
  stored.cache = "cold";
  write_baseline(stored, file);
  EXPECT_EQ(read_baseline(file).cache, "cold");
  const StoredBaseline back = read_baseline(file);
  EXPECT_EQ(back.kernel.source, stored.kernel.source);
  EXPECT_EQ(back.kernel.headers, stored.kernel.headers);
  EXPECT_EQ(back.kernel.genome, stored.kernel.genome);
  EXPECT_EQ(back.kernel.problem_folder, "problems/add");
  EXPECT_EQ(back.kernel.workloads.at(0).axes.at("n"), 300);
  EXPECT_EQ(back.times.at(0).median_us(), 5);
  EXPECT_EQ(back.device_name, "a GPU");
}

TEST_F(BaselineFile, IsNvbenchJsonWithItsSamplesBeside) {
  write_baseline(stored, file);
  std::ifstream stream(file);
  const boost::json::value document =
      boost::json::parse(std::string{std::istreambuf_iterator<char>(stream), {}});
  const auto& state = document.at("benchmarks").at(0).at("states").at(0);
  EXPECT_EQ(state.at("axis_values").at(0).at("value").as_string(), "300");
  const auto& minimum = state.at("summaries").at(1);
  EXPECT_EQ(minimum.at("tag").as_string(), "nv/cold/time/gpu/min");
  EXPECT_DOUBLE_EQ(std::stod(std::string(minimum.at("data").at(0).at("value").as_string())), 4.5e-6);
  std::ifstream samples(folder / "main.json-bin" / "0.bin", std::ios::binary);
  std::array<float, 4> seconds{};
  samples.read(reinterpret_cast<char*>(seconds.data()), sizeof seconds);
  EXPECT_EQ(samples.gcount(), 12);
  EXPECT_FLOAT_EQ(seconds[1], 5.5e-6F);
}

TEST_F(BaselineFile, WhatIsNoneIsRefused) {
  using enum model::ExitCode;
  EXPECT_EQ(refusal_of("{"), invalid_configuration);
  EXPECT_EQ(refusal_of("[]"), invalid_configuration);
  EXPECT_EQ(refusal_of(R"({"benchmarks": []})"), invalid_configuration) << "nvbench's own, without a kernel";
  EXPECT_EQ(refusal_of(R"({"evo": {"format": "evo baseline 1"}})"), invalid_configuration);
  write_baseline(stored, file);
  std::ifstream stream(file);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(refusal_of(text), done);
  text.replace(text.find("evo baseline 1"), 14, "evo baseline 9");
  EXPECT_EQ(refusal_of(text), invalid_configuration) << "of another format";
  std::filesystem::remove(file);
  EXPECT_THROW(static_cast<void>(read_baseline(file)), model::Exception);
}

/// A stored baseline of the template's initial genes.
std::string stored_template(const std::filesystem::path& file, const model::Problem& problem,
                            const std::string& name) {
  const model::Template& kernel = *problem.find_template(name);
  StoredBaseline stored;
  stored.kernel = {problem.name,
                   kernel.name,
                   kernel.source_file,
                   kernel.source,
                   kernel.entry,
                   kernel.headers,
                   kernel.space.initial(),
                   {{"w", 1, {{"seq", 128}}}},
                   "l4",
                   "fp16-softmax",
                   "",
                   problem.folder};
  stored.latency_kind = "modelled";
  stored.times = {{"w", {5.0}}};
  write_baseline(stored, file);
  return file.string();
}

/// A problem of one template in a folder of its own, and its kernel stored with where it stood.
struct StoredProblem : BaselineFile {
  void SetUp() override {
    std::filesystem::copy(EVO_SOURCE_DIR "/examples/vector_add", place("here"),
                          std::filesystem::copy_options::recursive);
    std::filesystem::copy(place("here"), place("there"), std::filesystem::copy_options::recursive);
    const model::Problem problem = load_problem_or_throw(place("here"));
    const model::Template& kernel = problem.templates.front();
    stored.kernel = {"my_own_addition",
                     kernel.name,
                     kernel.source_file,
                     kernel.source,
                     kernel.entry,
                     kernel.headers,
                     kernel.space.initial(),
                     {{"w", 1, {{problem.axes.front().name, 1000}}}},
                     "l4",
                     problem.tolerances.front().accuracy_class,
                     "",
                     place("there"),
                     place("here"),
                     problem.content_hash};
    stored.latency_kind = "modelled";
    stored.times = {{"w", {5.0}}};
    write_baseline(stored, file);
  }
  [[nodiscard]] std::string place(const char* name) const { return (folder / name).string(); }
  void change(const char* name) const {
    std::ofstream(folder / name / "problem.yaml", std::ios::app) << "# another one now\n";
  }
  [[nodiscard]] Compared read_back() const { return read_compared(file.string(), SourceRequest{}); }
};

TEST_F(StoredProblem, IsFoundWhereItStoodWhateverItIsCalled) {
  const Compared side = read_back();
  EXPECT_EQ(side.experiment.problem.folder, place("there"));
  EXPECT_TRUE(side.notes.empty());
  std::filesystem::remove_all(folder / "there");
  EXPECT_EQ(read_back().experiment.problem.folder, place("here"));
}

TEST_F(StoredProblem, TheOneThatIsAsItWasIsTaken) {
  change("there");
  const Compared side = read_back();
  EXPECT_EQ(side.experiment.problem.folder, place("here"));
  EXPECT_TRUE(side.notes.empty());
}

TEST_F(StoredProblem, OneThatHasChangedIsTold) {
  change("there");
  change("here");
  const Compared side = read_back();
  ASSERT_EQ(side.notes.size(), 1U);
  EXPECT_NE(side.notes[0].find(place("there")), std::string::npos);
  const auto sides = read_compared(file.string(), file.string(), {});
  EXPECT_FALSE(sides[1].notes.empty());
}

TEST_F(StoredProblem, OneThatIsGoneIsAMisuseThatSaysWhereItStood) {
  std::filesystem::remove_all(folder / "there");
  std::filesystem::remove_all(folder / "here");
  try {
    static_cast<void>(read_back());
    FAIL() << "it is nowhere";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find(place("here")), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("--problem"), std::string::npos);
  }
  SourceRequest request;
  request.problem = EVO_SOURCE_DIR "/examples/vector_add";
  EXPECT_TRUE(read_compared(file.string(), request).notes.empty()) << "named, and the same";
}

TEST_F(StoredProblem, OfAnEvoThatDidNotSayItIsFoundAsBefore) {
  stored.kernel.problem_path.clear();
  stored.kernel.problem_hash.clear();
  write_baseline(stored, file);
  change("there");
  const Compared side = read_back();
  EXPECT_EQ(side.experiment.problem.folder, place("there"));
  EXPECT_TRUE(side.notes.empty());
}

// The problem of the first side has no template but its own; the second's is in the folder.
TEST_F(BaselineFile, TwoTemplatesOfOneProblemAreCompared) {
  const model::Problem problem = load_problem_or_throw(EVO_SOURCE_DIR "/kernels/attention_forward");
  const std::string mma = stored_template(folder / "mma.json", problem, "mma");
  const std::string scalar = stored_template(folder / "scalar.json", problem, "scalar");
  const auto sides = read_compared(mma, scalar, {});
  EXPECT_EQ(sides[0].variant.template_name, "mma");
  EXPECT_EQ(sides[1].variant.template_name, "scalar");
  EXPECT_EQ(sides[1].experiment.problem.templates.at(0).source, problem.find_template("scalar")->source);
}

}  // namespace
}  // namespace evo::session
