// Which variant is the champion, who is asked next, and what a person may type.
#include "session/variants.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "model/hash.hpp"
#include "session/watch.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

using model::Status;

engine::TrialRecord record(std::int64_t index, const std::string& variant, Status status,
                           double microseconds = 0) {
  engine::TrialRecord made;
  made.index = index;
  made.variant = variant;
  made.status = status;
  if (microseconds > 0) {
    model::Latency latency;
    latency.microseconds = microseconds;
    made.latencies = {{"w", 1, latency}};
  }
  return made;
}

engine::EventRecord event(const char* kind, std::int64_t trial) {
  return {kind, trial, {}};
}

const std::vector<engine::TrialRecord> trials{
    record(0, "base", Status::proven, 30),   record(1, "wrong", Status::wrong),
    record(2, "abc1", Status::better, 20),   record(3, "abd2", Status::correct_slower, 25),
    record(4, "fast", Status::better, 10),   record(5, "tied", Status::tie, 10),
    record(6, "abc1", Status::duplicate, 20)};

std::string champion(const std::vector<engine::EventRecord>& events,
                     const std::vector<engine::TrialRecord>& of = trials) {
  const engine::TrialRecord* found = find_champion(of, events);
  return found == nullptr ? "" : found->variant;
}

model::ExitCode code_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const model::Exception& error) {
    return error.code();
  }
  return model::ExitCode::done;
}

TEST(FindChampion, BeforeTheEndItIsTheLastBetterOneOrTheBaseline) {
  EXPECT_EQ(champion({}), "fast");
  EXPECT_EQ(champion({}, {trials[0], trials[1]}), "base");
  EXPECT_EQ(champion({}, {trials[1]}), "") << "nothing is proven";
  EXPECT_EQ(champion({event(engine::event_kinds::interrupted, 4)}), "fast");
  EXPECT_EQ(champion({}, {trials[0], record(1, "again", Status::proven)}), "base");
}

TEST(FindChampion, AtTheEndItIsTheOneThatStood) {
  EXPECT_EQ(champion({event(engine::event_kinds::champion_refused, 4),
                      event(engine::event_kinds::champion_proven, 2)}),
            "abc1");
  EXPECT_EQ(champion({event(engine::event_kinds::champion_refused, 4)}), "");
  EXPECT_EQ(champion({event(engine::event_kinds::champion_proven, 4),
                      event(engine::event_kinds::champion_refused, 2)}),
            "")
      << "the last word counts";
  EXPECT_EQ(champion({event(engine::event_kinds::champion_proven, 77)}), "");
}

TEST(Finalists, TheChampionThenTheOtherRightOnesByLatency) {
  const auto names = [](std::size_t most) {
    std::vector<std::string> found;
    for (const engine::TrialRecord& trial : finalists_of(trials, trials[4], most))
      found.push_back(trial.variant);
    return found;
  };
  EXPECT_EQ(names(9), (std::vector<std::string>{"fast", "tied", "abc1", "abd2", "base"}));
  EXPECT_EQ(names(2), (std::vector<std::string>{"fast", "tied"}));
}

TEST(FindVariant, TakesAnIdAUniquePrefixOrAName) {
  EXPECT_EQ(find_variant(trials, "abd2", {}).index, 3);
  EXPECT_EQ(find_variant(trials, "abd", {}).index, 3);
  EXPECT_EQ(find_variant(trials, "abc", {}).index, 2) << "the first trial of a variant, not its duplicate";
  EXPECT_EQ(find_variant(trials, "baseline", {}).index, 0);
  EXPECT_EQ(find_variant(trials, "champion", {}).index, 4);
  EXPECT_EQ(find_variant(trials, "", {}).index, 4);
}

TEST(FindVariant, WhatFitsSeveralOrNoneIsAUsageError) {
  const auto code = [](const std::string& name, const std::vector<engine::TrialRecord>& of) {
    return code_of([&] { static_cast<void>(find_variant(of, name, {})); });
  };
  EXPECT_EQ(code("ab", trials), model::ExitCode::usage);
  EXPECT_EQ(code("zz", trials), model::ExitCode::usage);
  EXPECT_EQ(code("champion", {trials[1]}), model::ExitCode::usage);
  EXPECT_EQ(code("baseline", {}), model::ExitCode::usage);
}

TEST(Ancestors, GoBackToTheRootsWithoutDuplicates) {
  std::vector<engine::TrialRecord> family = trials;
  family[2].parents = {"base"};
  family[4].parents = {"abc1"};
  family[6].parents = {"abd2"};
  std::vector<std::int64_t> path;
  for (const engine::TrialRecord& trial : ancestors(family, "fast")) path.push_back(trial.index);
  EXPECT_EQ(path, (std::vector<std::int64_t>{0, 2, 4}));
}

struct ProvenVariantTest : ::testing::Test, testing::FakeRun {
  ProvenVariantTest() { record.source_hash = model::sha256(tests::vector_add_variant(experiment).source); }
  engine::TrialRecord record = trial(0, 10);
  model::ExitCode code() {
    return code_of([&] { static_cast<void>(proven_variant(experiment, record, "exported")); });
  }
};

TEST_F(ProvenVariantTest, IsMadeAgainFromTheKernelsFiles) {
  const ProvenVariant proven = proven_variant(experiment, record, "exported");
  EXPECT_EQ(proven.variant.id, record.variant);
  EXPECT_EQ(proven.entry.kernel_template.name, "plain");
}

TEST_F(ProvenVariantTest, WhatWasNotProvenRightIsAUsageError) {
  record.status = Status::wrong;
  EXPECT_EQ(code(), model::ExitCode::usage);
}

TEST_F(ProvenVariantTest, TheCodeOfARightVariantIsProvenUnderAnotherName) {
  record.status = Status::duplicate;
  EXPECT_EQ(code(), model::ExitCode::done);
  record.latencies.clear();  // what it is the code of is not correct
  EXPECT_EQ(code(), model::ExitCode::usage);
}

TEST_F(ProvenVariantTest, AnotherSourceIsNotTheOneThatWasProven) {
  record.source_hash = model::sha256("another");
  EXPECT_EQ(code(), model::ExitCode::verification_failed);
}

TEST_F(ProvenVariantTest, AnotherVariantIsNotTheOneThatWasProven) {
  record.variant = "another";
  EXPECT_EQ(code(), model::ExitCode::verification_failed);
}

TEST_F(ProvenVariantTest, ATemplateThatIsGoneIsNotTheOneThatWasProven) {
  record.template_name = "gone";
  EXPECT_EQ(code(), model::ExitCode::verification_failed);
}

struct WatchedBaselineTest : ::testing::Test, testing::FakeRun {};

TEST_F(WatchedBaselineTest, IsWatchedOnlyWhereTheLadderCouldNotCheckAll) {
  EXPECT_TRUE(prove_baseline(experiment, stack()).valid());
  EXPECT_TRUE(script->watches.empty());
  script->notes = {{"not_checked", "an instruction", {}, 0, {}}};
  const WatchedProof proof = prove_baseline(experiment, stack());
  EXPECT_TRUE(proof.valid());
  EXPECT_EQ(script->watches.size(), 1U);
}

TEST_F(WatchedBaselineTest, AFindingRefusesIt) {
  script->notes = {{"not_checked", "an instruction", {}, 0, {}}};
  script->watched.runs.emplace_back().findings = {{"race", "two threads", {}, 0, {}}};
  const WatchedProof proof = prove_baseline(experiment, stack());
  EXPECT_FALSE(proof.valid());
  EXPECT_EQ(proof.failure()->reason, "race");
  EXPECT_EQ(proof.failed_at(), "compute-sanitizer");
}

TEST_F(WatchedBaselineTest, WhatTheLadderRefusesIsNotWatched) {
  script->verdict = [](const testing::SeenJob&) {
    return std::optional(testing::failure_of(Status::wrong, "mismatch"));
  };
  const WatchedProof proof = prove_baseline(experiment, stack());
  EXPECT_FALSE(proof.valid());
  EXPECT_EQ(proof.failed_at(), "correctness");
  EXPECT_FALSE(proof.watched);
}

}  // namespace
}  // namespace evo::session
