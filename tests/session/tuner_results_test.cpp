// A run's trials as other tuners read them.
#include "session/tuner_results.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::session {
namespace {

using model::Status;

struct TunerResults : ::testing::Test {
  TunerResults() {
    meta.device_name = "PTX machine";
    add(Status::proven, 10);
    add(Status::tie, 20);
    trials.back().genome.set("THREADS", std::int64_t{32});
    add(Status::wrong, 0);
    trials.back().genome.set("THREADS", std::int64_t{128});
    add(Status::duplicate, 10);  // the baseline's genome once more
  }
  void add(Status status, double us) {
    engine::TrialRecord trial;
    trial.index = static_cast<std::int64_t>(trials.size());
    trial.template_name = "plain";
    trial.genome = experiment.baseline;
    trial.status = status;
    if (us > 0) trial.latencies = {{"w", 1, {model::LatencyKind::modelled, us, std::nullopt, 0, "model"}}};
    trial.gates = {{model::Gate::compile, true, 5}, {model::Gate::sanitize, true, 7}};
    trials.push_back(trial);
  }
  model::Experiment experiment = tests::vector_add_experiment();
  engine::RunMeta meta;
  std::vector<engine::TrialRecord> trials;
};

TEST_F(TunerResults, ACacheHasAnEntryAGenome) {
  const auto document = kernel_tuner_cache(experiment, meta, trials, "");
  const auto& cache = document.at("cache").as_object();
  ASSERT_EQ(cache.size(), 3U) << "the duplicate is the baseline's genome";
  const auto& keys = document.at("tune_params_keys").as_array();
  ASSERT_EQ(keys.size(), document.at("tune_params").as_object().size());
  int failed = 0;
  for (const auto& [key, value] : cache) {
    const auto& entry = value.as_object();
    EXPECT_EQ(entry.at("compile_time").to_number<double>(), 5);
    EXPECT_EQ(entry.at("verification_time").to_number<double>(), 7);
    for (const auto& name : keys) EXPECT_TRUE(entry.contains(name.as_string()));
    if (entry.at("time").is_string()) {
      ++failed;
      EXPECT_EQ(entry.at("time").as_string(), "RuntimeFailedConfig");
      EXPECT_EQ(entry.at("evo_status").as_string(), "wrong");
    }
  }
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(document.at("evo_latency_kind").as_string(), "modelled");
}

TEST_F(TunerResults, TheFirstVerdictOfAGenomeStands) {
  add(Status::wrong, 0);  // the baseline's genome, which is proven
  const auto document = kernel_tuner_cache(experiment, meta, trials, "");
  int timed = 0;
  for (const auto& [key, value] : document.at("cache").as_object()) timed += value.at("time").is_number();
  EXPECT_EQ(timed, 2);
}

TEST_F(TunerResults, T4SaysWhatIsWrong) {
  const auto document = t4_results(experiment, meta, trials, "plain");
  EXPECT_EQ(document.at("schema_version").as_string(), "1.0.0");
  const auto& results = document.at("results").as_array();
  ASSERT_EQ(results.size(), 4U);
  const auto& first = results[0].as_object();
  EXPECT_EQ(first.at("invalidity").as_string(), "correct");
  EXPECT_EQ(first.at("measurements").as_array()[0].at("value").to_number<double>(), 0.01) << "milliseconds";
  const auto& wrong = results[2].as_object();
  EXPECT_EQ(wrong.at("invalidity").as_string(), "correctness");
  EXPECT_EQ(wrong.at("correctness").to_number<int>(), 0);
  EXPECT_TRUE(wrong.at("times").at("runtimes").as_array().empty());
}

TEST_F(TunerResults, OneTemplateIsMeant) {
  EXPECT_THROW((void)t4_results(experiment, meta, trials, "plane"), model::Exception);
  trials[1].template_name = "other";
  EXPECT_THROW((void)kernel_tuner_cache(experiment, meta, trials, ""), model::Exception);
  EXPECT_EQ(kernel_tuner_cache(experiment, meta, trials, "plain").at("cache").as_object().size(), 2U);
  trials[1].template_name = "vector";  // none is the first by chance
  EXPECT_THROW((void)kernel_tuner_cache(experiment, meta, trials, ""), model::Exception);
}

}  // namespace
}  // namespace evo::session
