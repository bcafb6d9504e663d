// Spaces with planted effects, interactions and failure rules: a search and its checks find and confirm
// them, and nothing else. Prints a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/insights.hpp"
#include "engine/proposer.hpp"
#include "engine/verdicts.hpp"
#include "evaluators/gates/paired.hpp"
#include "session/insight_summary.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::session {
namespace {

using evo::testing::integer_gene;
using model::Environment;
using model::Status;

constexpr std::int64_t searched = 240, checked = 60;  // 300 trials in all

/// Ten genes: A to C matter alone; D with E and F with G matter together only; H = 3, and I = 2 with J = 2,
/// fail; K and L do nothing. What is planted has another size and place in each repeat.
struct Planted {
  explicit Planted(std::uint64_t repeat)
      : draws({.seed = repeat, .generation = 0, .slot = 0, .purpose = "planted insights"}) {
    std::vector<model::Gene> genes;
    for (const char* name : {"A", "B", "C", "K", "L"}) genes.push_back(integer_gene(name, {1, 2, 3, 4}, 1));
    for (const char* name : {"D", "E", "F", "G"}) genes.push_back(integer_gene(name, {1, 2}, 1));
    for (const char* name : {"H", "I", "J"}) genes.push_back(integer_gene(name, {1, 2, 3}, 1));
    const model::Space bound(std::move(genes), {});
    space.templates.push_back({evo::testing::small_template("planted", bound), bound});
    space.baseline = bound.initial();
    for (const char* name : {"A", "B", "C"})
      alone[name] = {static_cast<std::int64_t>(2 + draws.below(3)), -0.05 - 0.2 * draws.uniform()};
    for (double& one : together) one = -0.08 - 0.12 * draws.uniform();
  }

  [[nodiscard]] static std::int64_t value(const model::Genome& genome, const char* gene) {
    return std::get<std::int64_t>(genome.at(gene));
  }
  /// ln(latency), without noise.
  [[nodiscard]] double exact(const model::Genome& genome) const {
    double sum = 3;
    for (const auto& [gene, effect] : alone)
      sum += value(genome, gene.c_str()) == effect.first ? effect.second : 0;
    sum += value(genome, "D") == 2 && value(genome, "E") == 2 ? together[0] : 0;
    sum += value(genome, "F") == 2 && value(genome, "G") == 2 ? together[1] : 0;
    return sum;
  }
  [[nodiscard]] static const char* failure(const model::Genome& genome) {
    if (value(genome, "H") == 3) return "first_rule";
    return value(genome, "I") == 2 && value(genome, "J") == 2 ? "second_rule" : nullptr;
  }

  engine::SearchSpace space;
  std::map<std::string, std::pair<std::int64_t, double>> alone;
  double together[2]{};
  model::RandomStream draws;
};

std::vector<engine::TrialRecord> search(Planted& planted, std::uint64_t repeat) {
  model::SearchSettings settings;
  settings.population = 24;
  settings.generations = 10;
  settings.seed = repeat;
  engine::Proposer proposer(settings, planted.space);
  std::vector<engine::TrialRecord> trials;
  double best = 1e9;
  for (std::int64_t index = 0; index < searched; ++index) {
    const engine::Proposal proposal = proposer.ask(index, trials);
    model::Variant variant;
    variant.id = engine::genome_key(proposal.template_name, proposal.genome);
    engine::TrialRecord trial = engine::trial_of(proposal, proposer.slot(index), variant);
    if (const auto same = proposer.note(index, proposal.template_name, proposal.genome)) {
      engine::record_duplicate(trial, trials[static_cast<std::size_t>(*same)], "same_genome");
    } else if (const char* reason = Planted::failure(proposal.genome)) {
      trial.status = Status::wrong;
      trial.reason = reason;
    } else {
      const double us = std::exp(planted.exact(proposal.genome) + 0.005 * planted.draws.normal());
      trial.latencies = {{"w", 1, {model::LatencyKind::measured, us, std::nullopt, 60, "planted"}}};
      trial.status = index == 0 ? Status::proven : us < best ? Status::better : Status::correct_slower;
      best = std::min(best, us);
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

/// As a device would: two jobs of fourteen loads each, of two pairs.
InsightCheck flip(Planted& planted, const engine::TrialRecord& champion, const Environment& to) {
  InsightCheck check;
  model::Genome genome = champion.genome;
  for (const auto& [gene, value] : to) {
    check.from.insert_or_assign(gene, genome.at(gene));
    genome.set(gene, value);
  }
  check.to = to;
  check.flipped = engine::genome_key("planted", genome);
  check.kind = model::LatencyKind::measured;
  if (const char* reason = Planted::failure(genome)) {
    check.refused = fmt::format("wrong ({})", reason);
    return check;
  }
  check.rounds_a_load = evaluators::gates::paired_rounds_a_load;
  check.series.push_back({"w", 1, {}, {}});
  constexpr int rounds = check_jobs * check_rounds, a_load = evaluators::gates::paired_rounds_a_load;
  for (int load = 0; load < rounds / a_load; ++load) {
    const double shift = 0.002 * planted.draws.normal();
    for (int k = 0; k < a_load; ++k) {
      const double both = 0.01 * planted.draws.normal();
      check.series[0].candidate_us.push_back(
          std::exp(planted.exact(genome) + shift + both + 0.003 * planted.draws.normal()));
      check.series[0].opponent_us.push_back(
          std::exp(planted.exact(champion.genome) + both + 0.003 * planted.draws.normal()));
    }
  }
  return check;
}

InsightSummary run_and_check(Planted& planted, std::uint64_t repeat) {
  RunRecords run;
  run.trials = search(planted, repeat);
  run.insights.push_back(engine::compute_insights(planted.space, run.trials, 10));
  const auto champion =
      std::min_element(run.trials.begin(), run.trials.end(), [](const auto& a, const auto& b) {
        return (a.correct() ? a.latency()->microseconds : 1e9) <
               (b.correct() ? b.latency()->microseconds : 1e9);
      });
  std::vector<Claim> claims = claims_of_run(run.trials, run.insights, *champion);
  std::vector<InsightCheck> made;
  for (std::int64_t slots = checked; slots > 0;) {
    auto next = next_check(planted.space, *champion, made, 1000);
    claims = settled(std::move(claims), *champion, run.trials, made);
    if (!next) next = next_claim_check(claims, *champion, run.trials, made);
    if (!next) break;
    if (auto known = known_check(run.trials, *champion, *next)) {
      made.push_back(std::move(*known));
      continue;
    }
    --slots;
    made.push_back(flip(planted, *champion, *next));
    run.events.push_back(event_of(made.back(), champion->index));
  }
  return summarize(run, &planted.space);
}

struct Count {
  int genes = 0, pairs = 0, rules = 0, untrue = 0, confirmed = 0;
};

/// The champion with these values over the champion, on the logarithm, without noise.
double truth(const Planted& planted, const model::Genome& champion, const Environment& to) {
  model::Genome genome = champion;
  for (const auto& [gene, value] : to) genome.set(gene, value);
  return planted.exact(genome) - planted.exact(champion);
}

Count count(const Planted& planted, const InsightSummary& summary) {
  Count found;
  std::set<std::string> genes;
  std::set<Environment> rules;
  std::set<std::string> pairs;
  const model::Genome& champion = summary.champion->genome;
  const auto note = [&](bool is_true) {
    ++found.confirmed;
    found.untrue += is_true ? 0 : 1;
  };
  for (const GeneWorth& one : summary.genes) {
    if (one.tested.status != CheckStatus::confirmed) continue;
    note(truth(planted, champion, one.was) > 0.01);
    for (const auto& gene : one.was) genes.insert(gene.first);
  }
  for (const auto& [claim, tested] : summary.claims) {
    if (tested.status != CheckStatus::confirmed) continue;
    if (claim.kind == ClaimKind::failure) {
      const Environment first{{"H", std::int64_t{3}}}, second{{"I", std::int64_t{2}}, {"J", std::int64_t{2}}};
      note(claim.values == first || claim.values == second);
      rules.insert(claim.values);
    } else if (claim.kind == ClaimKind::gene) {
      const double is = truth(planted, champion, claim.values);
      note(claim.effect > 0 ? is > 0.01 : is < -0.01);
      genes.insert(claim.values.begin()->first);
    } else {
      double is = truth(planted, champion, claim.values);
      for (const auto& gene : claim.values) is -= truth(planted, champion, {gene});
      note(claim.effect > 0 ? is > 0.01 : is < -0.01);
      pairs.insert(claim.values.begin()->first + claim.values.rbegin()->first);
    }
  }
  for (const char* gene : {"A", "B", "C"}) found.genes += genes.contains(gene) ? 1 : 0;
  for (const char* pair : {"DE", "FG"}) found.pairs += pairs.contains(pair) ? 1 : 0;
  found.rules = static_cast<int>(rules.size());
  return found;
}

TEST(PlantedInsights, AreFoundAndConfirmedAndNothingElseIs) {
  constexpr int repeats = 100;
  Count all;
  int complete = 0;
  for (int repeat = 1; repeat <= repeats; ++repeat) {
    Planted planted(static_cast<std::uint64_t>(repeat));
    const Count one = count(planted, run_and_check(planted, static_cast<std::uint64_t>(repeat)));
    all.genes += one.genes;
    all.pairs += one.pairs;
    all.rules += one.rules;
    all.untrue += one.untrue;
    all.confirmed += one.confirmed;
    complete += one.genes == 3 && one.pairs == 2 && one.rules == 2 ? 1 : 0;
  }
  fmt::print("planted in {} spaces, {} trials and at most {} checks each\n", repeats, searched, checked);
  fmt::print("genes confirmed    {:>4} of {}\n", all.genes, 3 * repeats);
  fmt::print("pairs confirmed    {:>4} of {}\n", all.pairs, 2 * repeats);
  fmt::print("failures confirmed {:>4} of {}\n", all.rules, 2 * repeats);
  fmt::print("all seven in       {:>4} of {} spaces\n", complete, repeats);
  fmt::print("confirmed in all   {:>4}, not true {}\n", all.confirmed, all.untrue);
  EXPECT_EQ(all.untrue, 0);
  EXPECT_EQ(all.genes, 3 * repeats);
  EXPECT_EQ(all.rules, 2 * repeats);
  EXPECT_EQ(all.pairs, 2 * repeats);
}

}  // namespace
}  // namespace evo::session
