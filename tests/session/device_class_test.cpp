// GPUs of other models beside a run's: champions of their own, and nothing of the run depends on them.
#include "session/device_class.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <set>
#include <thread>

#include <boost/json.hpp>

#include "report/class_output.hpp"
#include "session/class_chains.hpp"
#include "session/run.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

using evaluators::gates::DeviceJob;

/// Of a gene and its value.
bool defines(const DeviceJob& job, const std::string& define) {
  const std::string& text = job.artifact.ptx;
  const std::size_t at = text.find("#define " + define);
  if (at == std::string::npos) return false;
  const std::size_t behind = at + 8 + define.size();
  return behind >= text.size() || std::isdigit(static_cast<unsigned char>(text[behind])) == 0;
}

struct DeviceClasses : ::testing::Test {
  DeviceClasses() {
    run.experiment.templates = {"plain"};
    run.experiment.search.population = 4;
    run.experiment.search.generations = 2;
    run.experiment.budget.trials = 6;
    run.experiment.resolved_yaml = "name: add\n";
    // Here whatever is not the baseline is as fast as any other.
    run.script->microseconds = [](const DeviceJob& job) {
      return defines(job, "THREADS 64") && defines(job, "EXTRA_SMEM 0") ? 20.0 : 10.0;
    };
    run.script->paired_ratio = there->paired_ratio = 0.5;
    there->microseconds = run.script->microseconds;
  }
  /// The class's stack is of the script `there`.
  [[nodiscard]] std::unique_ptr<DeviceClass> other() const {
    const model::Experiment own = experiment_of_class(run.experiment);
    return std::make_unique<DeviceClass>(
        own, "NVIDIA Other",
        std::make_unique<EvaluationStack>(own, until_abandoned(testing::scripted_parts(there), abandoned),
                                          run.input_seed),
        1, 6, abandoned);
  }
  RunOutcome plain(engine::Ledger& ledger) {
    return run_to_the_end(run.experiment, run.stack(), ledger, run.input_seed, {});
  }
  RunOutcome beside_another(engine::Ledger& ledger) {
    ClassesBeside beside;
    beside.classes.push_back(other());
    beside.tell = [this](const std::string& line) {
      const std::scoped_lock lock(mutex);
      said.push_back(line);
    };
    return run_to_the_end(run.experiment, run.stack(), ledger, run.input_seed, {}, 0, beside);
  }
  /// What the class tries of a run that is over, once it has tried `most` or has ended. `leads`: the
  /// champion, if it is another one than verdicts say.
  std::vector<engine::TrialRecord> all_tried(engine::Ledger& ledger, std::size_t most,
                                             std::string* ended = nullptr,
                                             const engine::TrialRecord* leads = nullptr) {
    std::vector<std::unique_ptr<DeviceClass>> classes;
    classes.push_back(other());
    {
      ClassChains chains(classes, ledger, nullptr, {});
      engine::CampaignProgress progress = engine::summarize(ledger, run.experiment).progress;
      if (leads != nullptr) progress.champion = *leads;
      chains.on_begin(progress);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
      while (classes[0]->trials().size() < most && classes[0]->ended().empty() &&
             std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      chains.stop(false);
    }
    champion = classes[0]->champion();
    if (ended != nullptr) *ended = classes[0]->ended();
    return classes[0]->trials();
  }
  static std::vector<engine::EventRecord> events_of(const engine::Ledger& ledger, const std::string& kind) {
    std::vector<engine::EventRecord> found = ledger.events();
    std::erase_if(found, [&](const engine::EventRecord& event) { return event.kind != kind; });
    return found;
  }
  static std::size_t correct(const std::vector<engine::TrialRecord>& trials) {
    return static_cast<std::size_t>(std::ranges::count_if(trials, &engine::TrialRecord::correct));
  }

  testing::FakeRun run;
  Abandoned abandoned = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<testing::Script> there = std::make_shared<testing::Script>();
  std::optional<engine::TrialRecord> champion;
  std::mutex mutex;
  std::vector<std::string> said;
};

TEST_F(DeviceClasses, HaveAChainOfChampionsOfTheirOwn) {
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = plain(*ledger);
  const engine::TrialRecord& of_run = *outcome.result.progress.champion;
  // Another one is the fastest there.
  const auto best = std::ranges::find_if(outcome.trials, [&](const engine::TrialRecord& trial) {
    return trial.correct() && trial.index != 0 && trial.variant != of_run.variant;
  });
  ASSERT_NE(best, outcome.trials.end());
  const std::string threads =
      "THREADS " + std::to_string(std::get<std::int64_t>(best->genome.values().at("THREADS")));
  const std::string smem =
      "EXTRA_SMEM " + std::to_string(std::get<std::int64_t>(best->genome.values().at("EXTRA_SMEM")));
  there->microseconds = [&, base = there->microseconds](const DeviceJob& job) {
    return defines(job, threads) && defines(job, smem) ? 4.0 : base(job);
  };
  const auto tried = all_tried(*ledger, correct(outcome.trials));
  ASSERT_EQ(tried.size(), correct(outcome.trials));
  EXPECT_EQ(tried[0].index, 0) << "nothing is compared before the baseline is proven";
  EXPECT_EQ(tried[1].index, of_run.index) << "the run's champion comes before all others";
  ASSERT_TRUE(champion);
  EXPECT_EQ(champion->variant, best->variant);
  EXPECT_TRUE(champion->paired) << "timed in turn there, with a champion of that model";
  EXPECT_EQ(champion->paired->incumbent, of_run.variant);
  const auto events = events_of(*ledger, class_trial_event);
  EXPECT_EQ(events.size(), tried.size());
  EXPECT_EQ(engine::summarize(*ledger, run.experiment).lineage_sha256, outcome.result.lineage_sha256);

  // Who goes on with the run knows it all.
  const std::size_t jobs = there->jobs.size();
  const auto again = all_tried(*ledger, tried.size());
  EXPECT_EQ(there->jobs.size(), jobs);
  EXPECT_EQ(again.size(), tried.size());
  EXPECT_EQ(champion->variant, best->variant);
  EXPECT_EQ(champion->latency()->microseconds, 4);
}

// By pairs it is faster than others that are as fast alone, and were tried earlier.
// A Ctrl-C, or the end of a run, waits for the job that is under way on another model, and for no other.
TEST_F(DeviceClasses, ATrialUnderWayIsGivenUpBeforeItsNextJob) {
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = plain(*ledger);
  const auto base = there->microseconds;
  std::atomic<int> others = 0;
  std::atomic<bool> given_up = false;
  // The second trial seems to beat the baseline, so that a comparison would be its next job.
  there->microseconds = [&](const DeviceJob& job) {
    const bool is_baseline = defines(job, "THREADS 64") && defines(job, "EXTRA_SMEM 0");
    if (!is_baseline && ++others == 1) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (!*abandoned && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      given_up = abandoned->load();
    }
    return base(job);
  };
  std::vector<std::unique_ptr<DeviceClass>> classes;
  classes.push_back(other());
  {
    ClassChains chains(classes, *ledger, nullptr, {});
    chains.on_begin(engine::summarize(*ledger, run.experiment).progress);
    while (others < 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    chains.stop(false);
  }
  EXPECT_TRUE(given_up);
  EXPECT_FALSE(*abandoned) << "what proves champions there goes on";
  EXPECT_EQ(classes[0]->trials().size(), 1U) << "the baseline alone";
  EXPECT_EQ(events_of(*ledger, class_trial_event).size(), 1U);
  EXPECT_EQ(classes[0]->ended(), "") << "its GPUs are not gone";
  EXPECT_EQ(std::ranges::count_if(there->jobs, [](const auto& job) { return job.job.opponent.has_value(); }),
            0);
  // Who resumes the run tries it again.
  EXPECT_EQ(all_tried(*ledger, correct(outcome.trials)).size(), correct(outcome.trials));
}

TEST_F(DeviceClasses, ACandidateThatNobodyWaitsForIsNotSanitized) {
  const auto nobody_waits = std::make_shared<std::atomic<bool>>(false);
  const StackParts parts = until_abandoned(testing::scripted_parts(there), nobody_waits);
  ASSERT_TRUE(parts.virtual_runner);
  const auto runner = parts.virtual_runner();
  EXPECT_EQ(runner->info().kind, "virtual");
  *nobody_waits = true;
  try {
    static_cast<void>(runner->run({}));
    FAIL() << "its job was begun";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::interrupted);
  }
}

TEST_F(DeviceClasses, TheRunsChampionIsTriedBeforeWhatSeemsAsFast) {
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = plain(*ledger);
  const auto last = std::find_if(outcome.trials.rbegin(), outcome.trials.rend(),
                                 [](const engine::TrialRecord& trial) { return trial.correct(); });
  const auto alike = std::ranges::count_if(outcome.trials, [&](const engine::TrialRecord& trial) {
    return trial.correct() && trial.index != 0 &&
           trial.latency()->microseconds == last->latency()->microseconds;
  });
  ASSERT_GT(alike, 1);
  const auto tried = all_tried(*ledger, 2, nullptr, &*last);
  ASSERT_GE(tried.size(), 2U);
  EXPECT_EQ(tried[1].index, last->index);
}

TEST_F(DeviceClasses, ARunsChampionIsProvenAgainOnEach) {
  const auto without = engine::make_memory_ledger(), with = engine::make_memory_ledger();
  const RunOutcome alone = plain(*without);
  const RunOutcome outcome = beside_another(*with);
  EXPECT_EQ(outcome.result.lineage_sha256, alone.result.lineage_sha256);
  ASSERT_EQ(outcome.classes.size(), 1U);
  const ClassOutcome& own = outcome.classes[0];
  EXPECT_EQ(own.ended, "");
  EXPECT_GE(own.trials, 2U) << "the baseline, and the run's champion";
  ASSERT_TRUE(own.champion && own.run_champion);
  EXPECT_TRUE(own.run_champion->valid());
  EXPECT_EQ(own.run_champion->trial.variant, outcome.proven_champion()->variant);
  ASSERT_TRUE(own.run_champion->verdict);
  EXPECT_EQ(own.run_champion->verdict->decision(), Decision::promoted);
  const auto fresh =
      std::ranges::count_if(there->jobs, [](const testing::SeenJob& seen) { return seen.fresh; });
  EXPECT_GT(fresh, 0) << "in a process of its own there";
  EXPECT_NE(report::classes_text(outcome.classes).find("NVIDIA Other"), std::string::npos);
  EXPECT_EQ(report::classes_json(outcome.classes).at(0).at("run_champion").at("valid").as_bool(), true);

  const auto told = classes_of(outcome.trials, with->events());
  ASSERT_EQ(told.size(), 1U) << "and a report knows it from the ledger";
  EXPECT_EQ(told[0].trials, own.trials);
  ASSERT_TRUE(told[0].run_champion && told[0].run_champion->verdict);
  EXPECT_EQ(told[0].run_champion->trial.variant, own.run_champion->trial.variant);
  EXPECT_EQ(report::classes_text(told), report::classes_text(outcome.classes));

  // Once: who resumes it asks nothing again.
  const std::size_t events = with->events().size(), jobs = there->jobs.size();
  const RunOutcome again = beside_another(*with);
  EXPECT_EQ(there->jobs.size(), jobs);
  EXPECT_EQ(with->events().size(), events);
  ASSERT_EQ(again.classes.size(), 1U);
  ASSERT_TRUE(again.classes[0].run_champion && again.classes[0].run_champion->verdict);
  EXPECT_EQ(boost::json::serialize(to_json(*again.classes[0].run_champion->verdict)),
            boost::json::serialize(to_json(*own.run_champion->verdict)));
}

TEST_F(DeviceClasses, AChampionThatIsWrongThereIsSaid) {
  there->verdict = [](const testing::SeenJob& seen) -> std::optional<model::Failure> {
    if (seen.fresh) return testing::failure_of(model::Status::wrong, "outside_tolerance");
    return std::nullopt;
  };
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = beside_another(*ledger);
  EXPECT_NE(outcome.proven_champion(), nullptr) << "on its own GPUs it stands";
  const ClassOutcome& own = outcome.classes.at(0);
  ASSERT_TRUE(own.run_champion);
  EXPECT_FALSE(own.run_champion->valid());
  EXPECT_EQ(own.run_champion->reason, "outside_tolerance");
  EXPECT_FALSE(own.run_champion->verdict);
  EXPECT_FALSE(own.champion->valid());
}

TEST_F(DeviceClasses, OneWhoseGpusGoEndsAlone) {
  const auto without = engine::make_memory_ledger(), with = engine::make_memory_ledger();
  const RunOutcome alone = plain(*without);
  there->verdict = [](const testing::SeenJob&) -> std::optional<model::Failure> {
    throw model::Exception(model::ExitCode::environment, "the GPU has fallen off the bus");
  };
  const RunOutcome outcome = beside_another(*with);
  EXPECT_EQ(outcome.result.lineage_sha256, alone.result.lineage_sha256);
  EXPECT_EQ(outcome.exit_code(), model::ExitCode::done);
  EXPECT_NE(outcome.classes.at(0).ended.find("bus"), std::string::npos);
  EXPECT_FALSE(outcome.classes.at(0).champion);
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said[0].find("NVIDIA Other"), std::string::npos);
}

TEST_F(DeviceClasses, WithoutABaselineNothingIsTriedThere) {
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = plain(*ledger);
  there->verdict = [](const testing::SeenJob&) {
    return testing::failure_of(model::Status::wrong, "outside_tolerance");
  };
  std::string ended;
  const auto tried = all_tried(*ledger, correct(outcome.trials), &ended);
  ASSERT_EQ(tried.size(), 1U);
  EXPECT_EQ(tried[0].index, 0);
  EXPECT_NE(ended.find("outside_tolerance"), std::string::npos);
}

// Latencies of two drivers are not compared.
TEST_F(DeviceClasses, WhatAnotherDriverSaidIsAskedAgain) {
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = plain(*ledger);
  static_cast<void>(all_tried(*ledger, correct(outcome.trials)));
  std::vector<engine::EventRecord> events = events_of(*ledger, class_trial_event);
  ASSERT_FALSE(events.empty());
  const auto known = [&] {
    const auto own = other();
    own->remember(events, outcome.trials);
    return own->trials().size();
  };
  EXPECT_EQ(known(), events.size());
  for (engine::EventRecord& event : events) event.details["driver"] = "another";
  EXPECT_EQ(known(), 0U);
}

TEST_F(DeviceClasses, NothingIsRememberedWithoutTheBaseline) {
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = plain(*ledger);
  static_cast<void>(all_tried(*ledger, correct(outcome.trials)));
  std::vector<engine::EventRecord> events = events_of(*ledger, class_trial_event);
  ASSERT_GE(events.size(), 3U);
  ASSERT_EQ(events[0].trial, 0);
  const engine::EventRecord readable = events[0];
  events[0].details["status"] = "none that is known";
  auto own = other();
  own->remember(events, outcome.trials);
  EXPECT_TRUE(own->trials().empty());
  EXPECT_FALSE(own->baseline());
  EXPECT_FALSE(own->champion());
  EXPECT_EQ(own->ended(), "");

  // It was tried again, and others after it.
  const engine::EventRecord after = events.back();
  events.push_back(readable);
  events.push_back(after);
  own = other();
  own->remember(events, outcome.trials);
  ASSERT_EQ(own->trials().size(), 2U);
  ASSERT_TRUE(own->baseline());
  EXPECT_EQ(own->baseline()->index, 0);
  EXPECT_EQ(own->trials()[1].index, after.trial);
}

}  // namespace
}  // namespace evo::session
