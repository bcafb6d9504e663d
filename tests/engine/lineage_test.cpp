#include "engine/lineage.hpp"

#include <gtest/gtest.h>

#include "model/hash.hpp"
#include "tests/engine/sample_records.hpp"

namespace evo::engine {
namespace {

TEST(Lineage, ALineIsCanonical) {
  TrialRecord trial = sample_trial(6);
  EXPECT_EQ(
      lineage_line(trial),
      R"({"id":"v6","parents":["v0","p\"quoted\"\n"],"operator":"uniform_crossover","generation":1,"slot":2,)"
      R"("template":"scalar","genes":{"BLOCK_M":64,"S_DTYPE":"half"},"status":"wrong","gate":"correctness",)"
      R"("reason":"mismatch","latency_us":null})");
  trial.latencies = {{"w", 1, {model::LatencyKind::modelled, 12.1, std::nullopt, 0, {}}}};
  trial.gate.reset();
  EXPECT_TRUE(lineage_line(trial).ends_with(R"("gate":null,"reason":"mismatch","latency_us":12.1})"));
}

TEST(Lineage, HashesLinesInOrder) {
  const std::vector<TrialRecord> trials{sample_trial(0), bare_trial(1)};
  EXPECT_EQ(lineage_sha256(trials),
            model::sha256(lineage_line(trials[0]) + "\n" + lineage_line(trials[1]) + "\n"));
  EXPECT_EQ(lineage_sha256({}), model::sha256(""));
}

TEST(Lineage, ClocksHaveNoPartInItAndVerdictsHave) {
  const TrialRecord trial = sample_trial(6);
  const auto changed = [&](const auto& change) {
    TrialRecord other = trial;
    change(other);
    return lineage_line(other) != lineage_line(trial);
  };
  EXPECT_FALSE(changed([](TrialRecord& t) { t.device_seconds = 9; }));
  EXPECT_FALSE(changed([](TrialRecord& t) { t.elapsed_seconds = 9; }));
  EXPECT_FALSE(changed([](TrialRecord& t) { t.gates[0].milliseconds = 9; }));
  EXPECT_FALSE(changed([](TrialRecord& t) { t.latencies[0].latency.microseconds = 9; })) << "measured";
  EXPECT_TRUE(changed([](TrialRecord& t) { t.status = model::Status::timeout; }));
  EXPECT_TRUE(changed([](TrialRecord& t) { t.gate = model::Gate::latency; }));
  EXPECT_TRUE(changed([](TrialRecord& t) { t.reason = "other"; }));
  EXPECT_TRUE(changed([](TrialRecord& t) { t.parents.pop_back(); }));
  EXPECT_TRUE(changed([](TrialRecord& t) { t.genome.set("BLOCK_M", std::int64_t{32}); }));
  EXPECT_TRUE(changed([](TrialRecord& t) { t.slot = 3; }));
}

}  // namespace
}  // namespace evo::engine
