// What a champion must stand, on a device that is a script: each reason to refuse it, and in which order.
#include "session/champion_proof.hpp"

#include <gtest/gtest.h>

#include <set>

#include "model/error.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

using evaluators::sanitizer::ToolRun;
using model::Status;
using testing::failure_of;
using testing::SeenJob;

ToolRun tool(const std::string& name, ToolRun::State state, const std::string& reason = {}) {
  ToolRun run;
  run.tool = name;
  run.state = state;
  run.reason = reason;
  return run;
}

struct ProofTest : ::testing::Test, testing::FakeRun {
  ProofTest() { script->watched.runs = {tool("memcheck", ToolRun::State::clean)}; }
  ChampionProof prove(const std::stop_token& stop = {}) {
    return prove_champion(experiment, stack(), trial(0, 10), 7, stop);
  }
  /// A job that fails where `fails` says so.
  void refuse(std::function<bool(const SeenJob&)> fails, model::Failure failure) {
    script->verdict = [fails = std::move(fails), failure](const SeenJob& seen) {
      return fails(seen) ? std::optional(failure) : std::nullopt;
    };
  }
};

TEST_F(ProofTest, AChampionThatStandsWasAskedAllOfIt) {
  const ChampionProof proof = prove();
  EXPECT_TRUE(proof.valid());
  EXPECT_EQ(proof.failure(), nullptr);
  EXPECT_EQ(proof.failed_at(), "");
  ASSERT_TRUE(proof.delayed);
  EXPECT_TRUE(proof.delayed->ran) << proof.delayed->reason;
  ASSERT_TRUE(proof.sanitizer);
  EXPECT_EQ(script->watches, (std::vector{std::chrono::milliseconds(
                                 static_cast<int>(1000 * experiment.gates.sanitizer_timeout_s))}));
  ASSERT_EQ(script->jobs.size(), 2U);
  EXPECT_TRUE(script->jobs[0].fresh) << "held-out shapes run in a process that has run nothing yet";
  EXPECT_EQ(script->jobs[0].job.input_seed, 7U);
  EXPECT_EQ(script->jobs[0].job.perturbed_launches, experiment.gates.champion_launches);
  EXPECT_TRUE(script->jobs[1].delayed());
  EXPECT_EQ(proof.held_out.entropy, 7U);
}

TEST_F(ProofTest, WrongOnHeldOutShapesIsRefusedAndNothingMoreIsAsked) {
  refuse([](const SeenJob& seen) { return seen.fresh; }, failure_of(Status::wrong, "mismatch"));
  const ChampionProof proof = prove();
  EXPECT_FALSE(proof.valid());
  ASSERT_NE(proof.failure(), nullptr);
  EXPECT_EQ(proof.failure()->status, Status::wrong);
  EXPECT_EQ(proof.failure()->reason, "mismatch");
  EXPECT_EQ(proof.failed_at(), "correctness");
  EXPECT_FALSE(proof.delayed);
  EXPECT_FALSE(proof.sanitizer);
  EXPECT_EQ(script->jobs.size(), 1U);
  EXPECT_TRUE(script->watches.empty());
}

TEST_F(ProofTest, LaunchesThatDifferUnderPerturbationAreRefused) {
  refuse([](const SeenJob& seen) { return seen.job.perturbed_launches > 0 && !seen.delayed(); },
         failure_of(Status::nondeterministic, "nondeterministic"));
  const ChampionProof proof = prove();
  ASSERT_NE(proof.failure(), nullptr);
  EXPECT_EQ(proof.failure()->status, Status::nondeterministic);
  EXPECT_EQ(proof.failed_at(), "correctness");
}

TEST_F(ProofTest, WrongWithDelaysBehindBarriersIsRefused) {
  refuse([](const SeenJob& seen) { return seen.delayed(); }, failure_of(Status::wrong, "mismatch"));
  const ChampionProof proof = prove();
  EXPECT_FALSE(proof.valid());
  ASSERT_NE(proof.failure(), nullptr);
  EXPECT_EQ(proof.failure()->reason, "mismatch");
  EXPECT_EQ(proof.failed_at(), "delays");
  EXPECT_FALSE(proof.sanitizer);
  EXPECT_TRUE(script->watches.empty());
}

TEST_F(ProofTest, AFindingOfComputeSanitizerIsRefused) {
  script->watched.runs[0].state = ToolRun::State::findings;
  script->watched.runs[0].findings = {{"race", "two threads", {}, 0, {}}};
  const ChampionProof proof = prove();
  EXPECT_FALSE(proof.valid());
  ASSERT_NE(proof.failure(), nullptr);
  EXPECT_EQ(proof.failure()->status, Status::sanitizer_fail);
  EXPECT_EQ(proof.failure()->reason, "race");
  EXPECT_EQ(proof.failed_at(), "compute-sanitizer");
}

TEST_F(ProofTest, AnExcusedFindingRefusesNothing) {
  script->watched.runs[0].state = ToolRun::State::findings;
  script->watched.runs[0].findings = {{"race", "two threads", {}, 0, {{"excuse", "known"}}}};
  EXPECT_TRUE(prove().valid());
}

TEST_F(ProofTest, WhereComputeSanitizerDoesNotRunTheReportSaysWhy) {
  experiment.gates.sanitizer_timeout_s = 0;
  const ChampionProof proof = prove();
  EXPECT_TRUE(proof.valid());
  ASSERT_TRUE(proof.sanitizer);
  EXPECT_EQ(proof.sanitizer->reason, "gates.sanitizer_timeout_s is 0");
  EXPECT_TRUE(script->watches.empty());
}

TEST_F(ProofTest, TheVirtualDeviceNeedsNoComputeSanitizer) {
  script->kind = "virtual";
  const ChampionProof proof = prove();
  EXPECT_TRUE(proof.valid());
  ASSERT_TRUE(proof.sanitizer);
  EXPECT_NE(proof.sanitizer->reason.find("virtual device"), std::string::npos);
  EXPECT_TRUE(script->watches.empty());
  ASSERT_TRUE(proof.delayed);
  EXPECT_FALSE(proof.delayed->ran);
}

/// The run's GPUs are a farm's workers'.
struct ProofHereTest : ProofTest {
  ProofHereTest() {
    script->here = std::make_shared<testing::Script>();
    script->here->kind = "virtual";
  }
  void says_here(model::Failure failure) {
    script->here->verdict = [failure = std::move(failure)](const SeenJob&) { return std::optional(failure); };
  }
};

TEST_F(ProofHereTest, WhatIsWrongHereIsNotAskedOfAWorker) {
  says_here(failure_of(Status::wrong, "mismatch"));
  const ChampionProof proof = prove();
  ASSERT_NE(proof.failure(), nullptr);
  EXPECT_EQ(proof.failure()->reason, "mismatch");
  EXPECT_FALSE(proof.proven_here);
  EXPECT_TRUE(script->jobs.empty());
}

TEST_F(ProofHereTest, WhatIsRightHereHasToBeRightThereToo) {
  refuse([](const SeenJob& seen) { return seen.fresh; }, failure_of(Status::wrong, "mismatch"));
  EXPECT_FALSE(prove().valid());
  script->verdict = [](const SeenJob&) { return std::nullopt; };
  const ChampionProof proof = prove();
  EXPECT_TRUE(proof.valid());
  EXPECT_TRUE(proof.proven_here);
  EXPECT_EQ(script->here->jobs.size(), 2U);
  EXPECT_EQ(script->here->jobs[0].job.input_seed, 7U) << "data that no worker has seen";
  EXPECT_EQ(event_of(Finalist{trial(0, 10), proof}).details.count("here"), 1U);
}

TEST_F(ProofHereTest, WhatTheVirtualDeviceCannotRunIsForTheGpuToSay) {
  says_here(failure_of(Status::unsupported, "unsupported_instruction"));
  const ChampionProof proof = prove();
  EXPECT_TRUE(proof.valid());
  EXPECT_FALSE(proof.proven_here);
}

TEST_F(ProofHereTest, WhatTheVirtualDeviceHasNoTimeForIsForTheGpuToSay) {
  script->here->notes = {{std::string(evaluators::gates::time_was_up_kind), "10 of 20", {}, 0, {}}};
  const ChampionProof proof = prove();
  EXPECT_TRUE(proof.valid());
  EXPECT_FALSE(proof.proven_here);
  EXPECT_EQ(proof.not_proven_here, "10 of 20");
  EXPECT_FALSE(script->jobs.empty());
}

TEST_F(ProofTest, AReportThatProvesNothingIsNotValid) {
  const ChampionProof nothing;
  EXPECT_FALSE(nothing.valid());
  EXPECT_EQ(event_of({trial(0, 10), nothing}).kind, engine::event_kinds::champion_refused);
}

TEST_F(ProofTest, AfterAStopNothingMoreIsAsked) {
  std::stop_source stop;
  stop.request_stop();
  const ChampionProof proof = prove(stop.get_token());
  EXPECT_FALSE(proof.delayed);
  EXPECT_FALSE(proof.sanitizer);
}

TEST_F(ProofTest, AChampionOfATemplateThatIsGoneIsAnError) {
  engine::TrialRecord stranger = trial(0, 10);
  stranger.template_name = "nobody's";
  EXPECT_THROW(static_cast<void>(prove_champion(experiment, stack(), stranger, 7, {})), model::Exception);
}

struct FinalistsTest : ProofTest {
  std::vector<engine::TrialRecord> trials;
  FinalistsTest() {
    trials = {trial(0, 30), trial(1, 10, 32), trial(2, 20, 128)};
    for (engine::TrialRecord& record : trials) record.variant += std::to_string(record.index);
  }
  std::vector<Finalist> ask(const std::stop_token& stop = {}) {
    return ask_finalists(experiment, stack(), trials, trials[1], stop);
  }
};

TEST_F(FinalistsTest, TheFirstThatStandsIsTheLastThatIsAsked) {
  const std::vector<Finalist> asked = ask();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].trial.index, 1);
  EXPECT_TRUE(asked[0].proof.valid());
}

TEST_F(FinalistsTest, ARefusedOneIsFollowedByTheNextByLatency) {
  int so_far = 0;
  refuse([&so_far](const SeenJob& seen) { return seen.fresh && ++so_far == 1; },
         failure_of(Status::wrong, "mismatch"));
  const std::vector<Finalist> asked = ask();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_FALSE(asked[0].proof.valid());
  EXPECT_EQ(asked[1].trial.index, 2);
  EXPECT_TRUE(asked[1].proof.valid());
}

TEST_F(FinalistsTest, FiveAtMostAreAsked) {
  for (std::int64_t i = 3; i < 12; ++i) {
    trials.push_back(trial(i, 40));
    trials.back().variant += std::to_string(i);
  }
  refuse([](const SeenJob&) { return true; }, failure_of(Status::wrong, "mismatch"));
  const std::vector<Finalist> asked = ask();
  EXPECT_EQ(asked.size(), 5U);
  for (const Finalist& finalist : asked) EXPECT_FALSE(finalist.proof.valid());
}

TEST_F(FinalistsTest, AStopEndsTheAsking) {
  std::stop_source stop;
  stop.request_stop();
  refuse([](const SeenJob&) { return true; }, failure_of(Status::wrong, "mismatch"));
  EXPECT_EQ(ask(stop.get_token()).size(), 1U);
}

TEST_F(FinalistsTest, EntropyIsNotThatOfTheTrials) {
  experiment.input_seed = 99;
  const std::uint64_t entropy = ask().at(0).proof.held_out.entropy;
  EXPECT_NE(entropy, 99U);
  EXPECT_EQ(ask().at(0).proof.held_out.entropy, entropy) << "a fixed input seed fixes this too";
  experiment.input_seed = 100;
  EXPECT_NE(ask().at(0).proof.held_out.entropy, entropy);
  experiment.input_seed.reset();
  std::set<std::uint64_t> drawn;
  for (int i = 0; i < 3; ++i) drawn.insert(ask().at(0).proof.held_out.entropy);
  EXPECT_EQ(drawn.size(), 3U) << "drawn anew each time";
}

TEST_F(FinalistsTest, TheLedgerHearsOfARefusalAtWhichGateAndWhy) {
  refuse([](const SeenJob& seen) { return seen.delayed(); }, failure_of(Status::wrong, "mismatch"));
  const engine::EventRecord event = event_of(ask().at(0));
  EXPECT_EQ(event.kind, engine::event_kinds::champion_refused);
  EXPECT_EQ(event.trial, 1);
  EXPECT_EQ(event.details.at("variant"), trials[1].variant);
  EXPECT_EQ(event.details.at("gate"), "delays");
  EXPECT_EQ(event.details.at("reason"), "mismatch");
}

TEST_F(FinalistsTest, TheLedgerHearsOfAProofAndWhatItWas) {
  script->notes = {{"perturbed", "1000 launches", {}, 0, {}}, {"correct_for", "n", {}, 0, {}}};
  script->watched.runs.push_back(tool("racecheck", ToolRun::State::incomplete, "time"));
  const engine::EventRecord event = event_of(ask().at(0));
  EXPECT_EQ(event.kind, engine::event_kinds::champion_proven);
  EXPECT_EQ(event.trial, 1);
  EXPECT_EQ(event.details.at("perturbed"), "1000 launches");
  EXPECT_EQ(event.details.at("delays"), "right");
  EXPECT_EQ(event.details.at("compute-sanitizer memcheck"), "clean");
  EXPECT_EQ(event.details.at("compute-sanitizer racecheck"), "incomplete: time");
  EXPECT_FALSE(event.details.contains("gate"));
}

}  // namespace
}  // namespace evo::session
