// Models in a campaign: their budgets, what becomes of a failing one, and that a run can be continued and
// repeated.
#include <gtest/gtest.h>

#include "engine/exchanges.hpp"
#include "engine/replay.hpp"

#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;

/// Says the same to everybody.
class FakeModel final : public llm::Backend {
 public:
  explicit FakeModel(std::string outcome = "ok") : outcome_(std::move(outcome)) {}
  void ask(const model::LanguageModel&, const llm::Request&, llm::Exchange& exchange) override {
    ++requests;
    exchange.outcome = outcome_;
    if (outcome_ == "ok") exchange.reply = "HYPOTHESIS: h\nFACTOR: 2\nGENES: {\"NO_SUCH\": 1}\n";
    exchange.usage = {90, 10};
  }
  int requests = 0;

 private:
  std::string outcome_;
};

model::Experiment experiment_with(const std::function<void(model::LanguageModel&)>& change) {
  model::Experiment experiment = small_experiment();
  model::LanguageModel model;
  model.name = "m";
  model.weight = 1000;
  model.mode = "live";
  model.preset = "full";
  model.repairs = 0;
  change(model);
  experiment.search.models = {model};
  return experiment;
}

Outcome run_with(FakeModel& model, const model::Experiment& experiment, int threads = 1) {
  FakeEvaluator evaluator;
  CampaignOptions options;
  options.models = &model;
  options.threads = threads;
  return run_small(experiment, evaluator, options);
}

std::string why_off(const Outcome& outcome) {
  for (const EventRecord& event : outcome.ledger->events()) {
    if (event.kind == event_kinds::model_off) return event.details.at("why");
  }
  return {};
}

TEST(Models, BudgetsAreExactToOneRequest) {
  FakeModel counted, tokens, money;
  EXPECT_EQ(why_off(run_with(counted, experiment_with([](auto& m) { m.max_requests = 5; }))), "requests");
  EXPECT_EQ(counted.requests, 5);
  // 100 tokens a request: the third one passes 250.
  EXPECT_EQ(why_off(run_with(tokens, experiment_with([](auto& m) { m.max_tokens = 250; }))), "tokens");
  EXPECT_EQ(tokens.requests, 3);
  const auto priced = experiment_with([](model::LanguageModel& m) {
    m.input_price = 1e4;   // 0.9 a request
    m.output_price = 1e4;  // 0.1
    m.max_money = 4;
  });
  EXPECT_EQ(why_off(run_with(money, priced)), "money");
  EXPECT_EQ(money.requests, 4);
}

TEST(Models, AFailingOneLeavesTheRunToTheOthers) {
  FakeModel model("http_500");
  const auto experiment = experiment_with([](auto&) {});
  const Outcome outcome = run_with(model, experiment);
  EXPECT_EQ(model.requests, 3);
  EXPECT_EQ(why_off(outcome), "failing");
  EXPECT_EQ(outcome.result.status, CampaignStatus::done);
  EXPECT_EQ(static_cast<std::int64_t>(outcome.trials.size()), outcome.result.progress.planned_trials);
}

TEST(Models, EveryExchangeIsInTheLedgerWithItsVerdict) {
  FakeModel model;
  const Outcome outcome = run_with(model, experiment_with([](auto& m) { m.max_requests = 7; }));
  int exchanges = 0;
  for (const EventRecord& event : outcome.ledger->events()) {
    if (event.kind != event_kinds::model_exchange) continue;
    ++exchanges;
    EXPECT_EQ(event.details.at("verdict"), "unknown_gene");
    EXPECT_EQ(event.details.at("input_tokens"), "90");
    EXPECT_NE(event.details.at("request").find("\"messages\""), std::string::npos);
  }
  EXPECT_EQ(exchanges, 7);
}

TEST(Models, TheLineageDependsOnNoThreadAndReplayAsksNobody) {
  FakeModel one, four;
  const auto experiment = experiment_with([](model::LanguageModel& m) {
    m.weight = 1;
    m.repairs = 1;
  });
  const Outcome a = run_with(one, experiment), b = run_with(four, experiment, 4);
  EXPECT_EQ(a.result.lineage_sha256, b.result.lineage_sha256);
  EXPECT_EQ(one.requests, four.requests);
  FakeEvaluator evaluator;
  EXPECT_TRUE(replay_run(experiment, evaluator, *a.ledger, {}).mismatches.empty());
}

// A reply that was paid for is in the ledger before anything comes of it: the continued run asks for the rest
// only.
TEST(Models, AKilledRunAsksNothingTwice) {
  const auto experiment = experiment_with([](auto& m) { m.max_requests = 12; });
  FakeModel whole;
  const Outcome undisturbed = run_with(whole, experiment);
  for (const int commits : {3, 6, 9, 14}) {
    FakeModel model;
    FakeEvaluator evaluator;
    CampaignOptions options;
    options.models = &model;
    const auto ledger = make_memory_ledger();
    CrashingLedger crashing(*ledger, commits, true);
    EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, options), CrashingLedger::Crash);
    const auto result = run_campaign(experiment, evaluator, *ledger, 1, options);
    EXPECT_EQ(result.lineage_sha256, undisturbed.result.lineage_sha256) << commits;
    EXPECT_EQ(model.requests, whole.requests) << commits;
  }
}

}  // namespace
}  // namespace evo::engine
