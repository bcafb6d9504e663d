// Models in a campaign: their budgets, what becomes of a failing one, and that a run can be continued and
// repeated.
#include <set>

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
  explicit FakeModel(std::string outcome = "ok", std::string reply = {})
      : outcome_(std::move(outcome)), reply_(std::move(reply)) {}
  void ask(const model::LanguageModel&, const llm::Request&, llm::Exchange& exchange) override {
    ++requests;
    exchange.outcome = outcome_;
    if (outcome_ == "ok") exchange.reply = "HYPOTHESIS: h\nFACTOR: 2\nGENES: {\"NO_SUCH\": 1}\n";
    if (!reply_.empty()) exchange.reply = reply_;
    exchange.usage = {90, 10};
  }
  int requests = 0;

 private:
  std::string outcome_, reply_;
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
  FakeModel counted, tokens, cost;
  EXPECT_EQ(why_off(run_with(counted, experiment_with([](auto& m) { m.max_requests = 5; }))), "requests");
  EXPECT_EQ(counted.requests, 5);
  // 100 tokens a request: the third one passes 250.
  EXPECT_EQ(why_off(run_with(tokens, experiment_with([](auto& m) { m.max_tokens = 250; }))), "tokens");
  EXPECT_EQ(tokens.requests, 3);
  const auto priced = experiment_with([](model::LanguageModel& m) {
    m.input_price = 1e4;   // 0.9 a request
    m.output_price = 1e4;  // 0.1
    m.max_cost = 4;
  });
  EXPECT_EQ(why_off(run_with(cost, priced)), "money");
  EXPECT_EQ(cost.requests, 4);
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

/// A kernel with a loop, and a reply that makes a gene of how far it goes.
model::Experiment experiment_with_a_loop(const std::string& name) {
  model::Experiment experiment = experiment_with([](model::LanguageModel& m) { m.weight = 1; });
  model::Template kernel = testing::small_template("simple", testing::simple_space());
  kernel.source =
      "extern \"C\" __global__ void simple(float* x) {\n"
      "  for (int i = 0; i < 8; ++i) x[i] = i;\n"
      "}\n";
  experiment.problem.templates = {kernel};
  experiment.baseline_template = "simple";
  experiment.baseline = kernel.space.initial();
  for (const char* gene :
       {"uniform_crossover", "insight_guided", "sync_mutation", "neighbour", "random_immigrant"})
    experiment.search.mutators[gene] = 0;
  experiment.search.mutators["gene_mutation"] = 0.5;
  experiment.search.mutators["gene_value"] = 1;
  experiment.search.generations = 6;
  experiment.name = name;
  return experiment;
}

std::string reply_with(const std::string& gene, const std::string& name = "ROUNDS") {
  return "HYPOTHESIS: h\nFACTOR: 2\nNEW_GENE: " + gene +
         "\n<<<<<<< SEARCH\n  for (int i = 0; i < 8; ++i) x[i] = i;\n=======\n  for (int i = 0; i < " + name +
         "; ++i) x[i] = i;\n>>>>>>> REPLACE\n";
}

std::set<std::string> verdicts_of(const Outcome& outcome) {
  std::set<std::string> verdicts;
  for (const EventRecord& event : outcome.ledger->events()) {
    if (event.kind == event_kinds::model_exchange) verdicts.insert(event.details.at("verdict"));
  }
  return verdicts;
}

// The model proposes the gene, and the operators find its value: within what its constraint allows.
TEST(Models, AGeneThatAModelDeclaresIsSearched) {
  const auto experiment = experiment_with_a_loop("loop");
  FakeEvaluator evaluator;
  evaluator.identity = [](const model::Variant& variant) { return variant.source; };
  evaluator.latency = [](const model::Variant& variant) {
    const std::size_t at = variant.source.find("#define ROUNDS ");
    return at == std::string::npos ? 100.0 : 50.0 / std::stod(variant.source.substr(at + 15));
  };
  std::set<std::string> lineages;
  for (const int threads : {1, 4}) {
    FakeModel model("ok", reply_with(R"({"name": "ROUNDS", "value": 2, "values": [2, 4, 8, 4096], )"
                                     R"("constraint": "ROUNDS <= THREADS"})"));
    CampaignOptions options;
    options.models = &model;
    options.threads = threads;
    const Outcome outcome = run_small(experiment, evaluator, options);
    lineages.insert(outcome.result.lineage_sha256);
    const TrialRecord& champion = *outcome.result.progress.champion;
    EXPECT_EQ(champion.latency()->microseconds, 50.0 / 8);
    EXPECT_TRUE(verdicts_of(outcome).contains("accepted"));
    for (const TrialRecord& trial : outcome.trials)
      EXPECT_EQ(trial.genome.text().find("ROUNDS=4096"), std::string::npos);
    EXPECT_TRUE(replay_run(experiment, evaluator, *outcome.ledger, {}).mismatches.empty());
  }
  EXPECT_EQ(lineages.size(), 1u);
}

TEST(Models, AGeneMustBeNewUsedAndLegal) {
  const auto experiment = experiment_with_a_loop("refused");
  const auto verdicts = [&](const std::string& reply) {
    FakeModel model("ok", reply);
    return verdicts_of(run_with(model, experiment));
  };
  using Set = std::set<std::string>;
  EXPECT_EQ(verdicts(reply_with(R"({"name": "THREADS", "value": 1, "values": [1, 2]})", "THREADS")),
            Set{"bad_gene"});
  EXPECT_EQ(verdicts(reply_with(R"({"name": "OTHER", "value": 1, "values": [1, 2]})", "9")),
            Set{"unused_gene"});
  EXPECT_EQ(
      verdicts(reply_with(
          R"({"name": "ROUNDS", "value": 4096, "values": [1, 4096], "constraint": "ROUNDS <= THREADS"})")),
      Set{"illegal_genes"});
  EXPECT_EQ(verdicts(reply_with(
                R"({"name": "ROUNDS", "value": 1, "values": [1, 2], "constraint": "ROUNDS < NOBODY"})")),
            Set{"illegal_genes"});
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
