#include "engine/replay.hpp"

#include <sqlite3.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/error.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;
using ::testing::HasSubstr;

void alter_ledger(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

std::string text_of(const ReplayReport& report) {
  std::string text;
  for (const Mismatch& m : report.mismatches) {
    text += fmt::format("{} {} {}: {} / {}\n", m.table, m.index, m.field, m.expected, m.got);
  }
  return text;
}

bool names(const ReplayReport& report, const std::string& table, std::int64_t index,
           const std::string& field) {
  return std::any_of(report.mismatches.begin(), report.mismatches.end(), [&](const Mismatch& mismatch) {
    return mismatch.table == table && mismatch.index == index && mismatch.field == field;
  });
}

TEST(Replay, OfAnUntouchedRunMatches) {
  for (const char* strategy : {"genetic", "local", "random"}) {
    FakeEvaluator evaluator;
    evaluator.most_delay_us = 200;
    auto experiment = small_experiment();
    experiment.search.strategy = strategy;
    const Outcome done = run_small(experiment, evaluator);
    for (const int threads : {1, 4}) {
      ReplayOptions options;
      options.threads = threads;
      const ReplayReport report = replay_run(experiment, evaluator, *done.ledger, options);
      EXPECT_TRUE(report.match()) << text_of(report);
      EXPECT_EQ(report.trials, 48);
    }
  }
}

TEST(Replay, OfABudgetStopAndOfAnInterruptedRunMatches) {
  FakeEvaluator evaluator;
  auto experiment = small_experiment();
  experiment.budget.device_seconds = 3;
  const Outcome stopped = run_small(experiment, evaluator);
  EXPECT_TRUE(replay_run(experiment, evaluator, *stopped.ledger).match());

  const auto ledger = make_memory_ledger();
  CrashingLedger crashing(*ledger, 19, true);
  EXPECT_THROW((void)run_campaign(small_experiment(), evaluator, crashing, 1, {}), CrashingLedger::Crash);
  const ReplayReport report = replay_run(small_experiment(), evaluator, *ledger);
  EXPECT_TRUE(report.match()) << text_of(report);
  EXPECT_EQ(report.trials, 20);
}

TEST(Replay, OfAnInvalidBaselineMatches) {
  FakeEvaluator evaluator;
  evaluator.fails_correctness = [](const model::Variant&) {
    return model::Failure{model::Status::wrong, "mismatch", {}};
  };
  const Outcome done = run_small(small_experiment(), evaluator);
  const ReplayReport report = replay_run(small_experiment(), evaluator, *done.ledger);
  EXPECT_TRUE(report.match()) << text_of(report);
}

TEST(Replay, TakesMeasuredLatenciesFromTheLedger) {
  FakeEvaluator evaluator;
  evaluator.interval = 0.02;
  const Outcome done = run_small(small_experiment(), evaluator);
  FakeEvaluator noisy;
  noisy.interval = 0.02;
  noisy.latency = [](const model::Variant& variant) {
    return FakeEvaluator::surface(variant) * (1 + 0.01 * static_cast<double>(variant.id[0] % 7));
  };
  const ReplayReport report = replay_run(small_experiment(), noisy, *done.ledger);
  EXPECT_TRUE(report.match()) << text_of(report);
}

TEST(Replay, EvidenceOfARealDeviceIsComparedByKind) {
  const auto failing = [](const std::string& kind, const std::string& message) {
    return [=](const model::Variant& variant) -> std::optional<model::Failure> {
      if (variant.template_name != "simple") return FakeEvaluator::missing_barrier(variant);
      return model::Failure{model::Status::device_fault, "illegal_address", {{kind, message, {}, 0, {}}}};
    };
  };
  for (const double interval : {0.0, 0.02}) {
    FakeEvaluator first, second, third;
    first.interval = second.interval = third.interval = interval;
    first.fails_correctness = failing("fault", "at 0x10");
    second.fails_correctness = failing("fault", "at 0x20");
    third.fails_correctness = failing("hang", "at 0x10");
    const Outcome done = run_small(small_experiment(), first);
    EXPECT_EQ(replay_run(small_experiment(), second, *done.ledger).match(), interval > 0);
    EXPECT_TRUE(names(replay_run(small_experiment(), third, *done.ledger), "trials", 1, "evidence"));
  }
}

TEST(Replay, ObtainsModelledLatenciesAgain) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  FakeEvaluator other;
  other.latency = [](const model::Variant& variant) { return FakeEvaluator::surface(variant) * 1.0000001; };
  const ReplayReport report = replay_run(small_experiment(), other, *done.ledger);
  EXPECT_TRUE(names(report, "trials", 0, "latency")) << text_of(report);
}

TEST(Replay, AVerdictThatComesOutDifferentlyIsNamed) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  const auto victim = std::find_if(done.trials.begin(), done.trials.end(), [](const TrialRecord& trial) {
    return trial.index > 10 && trial.correct();
  });
  FakeEvaluator strict;
  strict.fails_correctness = [&](const model::Variant& variant) -> std::optional<model::Failure> {
    if (variant.id == victim->variant)
      return model::Failure{model::Status::nondeterministic, "bits_differ", {}};
    return FakeEvaluator::missing_barrier(variant);
  };
  const ReplayReport report = replay_run(small_experiment(), strict, *done.ledger);
  EXPECT_TRUE(names(report, "trials", victim->index, "status")) << text_of(report);
  EXPECT_TRUE(names(report, "trials", victim->index, "reason"));
}

TEST(Replay, ObeysTheClocksEvents) {
  FakeEvaluator slow;
  slow.description.device_kind = "cuda";
  slow.fails_to_compile = [](const model::Variant& variant) -> std::optional<model::Failure> {
    if (variant.template_name != "simple") return std::nullopt;
    return model::Failure{model::Status::compile_timeout, "time", {}};
  };
  slow.fails_correctness = [](const model::Variant& variant) -> std::optional<model::Failure> {
    if (variant.template_name == "tiled" && FakeEvaluator::integer(variant, "PAD") == 4) {
      return model::Failure{model::Status::timeout, "watchdog", {}};
    }
    return FakeEvaluator::missing_barrier(variant);
  };
  const Outcome done = run_small(small_experiment(), slow);
  FakeEvaluator fast;  // on a faster machine nothing times out
  fast.description.device_kind = "cuda";
  const ReplayReport report = replay_run(small_experiment(), fast, *done.ledger);
  EXPECT_TRUE(report.match()) << text_of(report);
}

TEST(Replay, AnAlteredRowIsNamedWithItsField) {
  const TemporaryFolder folder;
  const auto original = folder / "original.sqlite";
  FakeEvaluator evaluator;
  const auto experiment = small_experiment();
  {
    const auto ledger = open_sqlite_ledger(original, LedgerMode::create);
    (void)run_campaign(experiment, evaluator, *ledger, 1, {});
  }
  EXPECT_TRUE(replay_run(experiment, evaluator, *open_sqlite_ledger(original, LedgerMode::read)).match());
  struct Alteration {
    std::string sql, table;
    std::int64_t index;
    std::string field;
  };
  const std::vector<Alteration> alterations{
      {"UPDATE latencies SET latency_us = latency_us * 0.5 WHERE trial = 0", "trials", 0, "latency"},
      {"UPDATE trials SET status = 'wrong' WHERE trial = 0", "trials", 0, "status"},
      {"UPDATE trials SET operator = 'magic' WHERE trial = 20", "trials", 20, "operator"},
      {"UPDATE trials SET genes = replace(genes, '\"WARPS\":2', '\"WARPS\":4') WHERE trial = 0", "trials", 0,
       "genes"},
      {"UPDATE trials SET parents = '[]' WHERE parents <> '[]' AND trial = (SELECT max(trial) FROM trials "
       "WHERE "
       "parents <> '[]')",
       "trials", -1, "parents"},
      {"UPDATE trials SET device_seconds = 0 WHERE trial = 0", "trials", 0, "row"},
      {"UPDATE gates SET ms = 0 WHERE trial = 30 AND position = 0", "trials", 30, "row"},
      {"UPDATE generations SET best_us = 1 WHERE generation = 3", "generations", 3, "best_us"},
      {"UPDATE effects SET effect = effect + 1 WHERE generation = 3 AND position = 0", "insights", 3,
       "effects"},
      {"UPDATE events SET details = replace(details, 'done', 'budget')", "events", 1, "row"},
      {"UPDATE meta SET evo_version = '9'", "meta", 1, "row"},
      {"DELETE FROM trials WHERE trial = 47", "events", 1, "lineage_sha256"},
  };
  for (const Alteration& alteration : alterations) {
    const auto copy = folder / "copy.sqlite";
    std::filesystem::copy_file(original, copy, std::filesystem::copy_options::overwrite_existing);
    alter_ledger(copy, alteration.sql);
    const ReplayReport report =
        replay_run(experiment, evaluator, *open_sqlite_ledger(copy, LedgerMode::read));
    std::int64_t index = alteration.index;
    if (index < 0) {
      ASSERT_FALSE(report.match());
      index = report.mismatches.front().index;
    }
    EXPECT_TRUE(names(report, alteration.table, index, alteration.field)) << alteration.sql << "\n"
                                                                          << text_of(report);
    EXPECT_TRUE(alteration.table != "trials" || names(report, "trials", index, "row")) << alteration.sql;
  }
}

TEST(Replay, OfOneVariant) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  for (const TrialRecord& trial : done.trials) {
    const ReplayReport report = replay_variant(small_experiment(), evaluator, *done.ledger, trial.variant);
    EXPECT_TRUE(report.match()) << text_of(report);
    EXPECT_EQ(report.trials, 1);
  }
  const int before = evaluator.prepared;
  (void)replay_variant(small_experiment(), evaluator, *done.ledger, done.trials[0].variant.substr(0, 8));
  EXPECT_EQ(evaluator.prepared, before + 1);
  EXPECT_THROW((void)replay_variant(small_experiment(), evaluator, *done.ledger, "zz"), model::Exception);
  EXPECT_THROW((void)replay_variant(small_experiment(), evaluator, *done.ledger, ""), model::Exception);
}

TEST(Replay, IsRefusedUnderAnotherToolchain) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  evaluator.description.toolchain = "other";
  EXPECT_THROW((void)replay_run(small_experiment(), evaluator, *done.ledger), model::Exception);
}

TEST(Replay, CanBeStopped) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  std::stop_source source;
  source.request_stop();
  ReplayOptions options;
  options.stop = source.get_token();
  try {
    (void)replay_run(small_experiment(), evaluator, *done.ledger, options);
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::interrupted);
  }
}

}  // namespace
}  // namespace evo::engine
