#include "bench/decision/runs.hpp"

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/decision/noise.hpp"
#include "bench/decision/sequential.hpp"
#include "engine/promotion_error.hpp"
#include "model/experiment.hpp"

namespace evo::bench {
namespace {

using engine::PromotionError;

constexpr int candidates = 400, gain_every = 40, planted_runs = 100;

struct RunRule {
  std::string name;
  Sequential how;
  std::function<double(const PromotionError&)> error;  ///< of the next comparison
  /// Who wins is compared once more, so much later that noise of one kernel alone is another, and has to win
  /// again.
  bool twice = false;
  bool of_slow_noise = false;  ///< asked there only
  bool at_the_edge = false;    ///< asked also of candidates that are faster by the margin and no more
};

std::vector<RunRule> rules() {
  const auto shared = [](const PromotionError& run) { return run.next(); };
  const Sequential now{{0, {8, 16, 32, 64}}, 2, true, 4, 2};
  Sequential independent = now;
  independent.independent = 1.645;
  return {
      {"0.05 % each, 8..32 loads", {{0, {8, 16, 32}}, 2, true}, [](const PromotionError&) { return 0.0005; }},
      {"alpha / 400 each",
       {{0, {8, 16, 32}}, 2, true},
       [](const PromotionError& run) { return run.of_run() / candidates; }},
      {"alpha / (i H), 8..32 loads", {{0, {8, 16, 32}}, 2, true}, shared},
      {"evo: screening, 8..64 loads", now, shared, false, false, true},
      {"evo, loads look independent", independent, shared, false, true},
      {"evo, wins twice", now, shared, true, true},
  };
}

struct Counted {
  int runs = 0, wrong_runs = 0, wrong = 0, copies = 0, gains = 0, found = 0;
  double copy_rounds = 0, gain_rounds = 0, decided = 0;
};

/// What candidates take of the champion's time: every gain_every-th `gain`, the others `rest`.
struct Planted {
  double rest = 1, gain = 1;
};

void run_once(Counted& all, const RunRule& rule, const Noise& noise, const Planted& planted, double margin,
              std::uint64_t number) {
  PromotionError error(model::GateSettings{}.promotion_error, candidates);
  bool wrong = false;
  for (int k = 1; k <= candidates; ++k) {
    const bool gains = planted.gain < 1 && k % gain_every == 0;
    Sequential how = rule.how;
    const double share = rule.error(error);
    how.plan.error = 2 * share;
    double rounds = 0;
    Ended ended;
    for (int time = 0; time < (rule.twice ? 2 : 1) && (time == 0 || ended.promoted); ++time) {
      Turns turns(noise, gains ? planted.gain : planted.rest, number,
                  static_cast<std::uint64_t>(k + time * candidates));
      const Ended again = compare(turns, how, margin);
      ended = {again.promoted, again.decided || time > 0};
      rounds += turns.rounds();
    }
    error.add({"champion", 1, {}, 0, static_cast<std::uint32_t>(rounds), ended.decided ? share : 0},
              ended.promoted);
    (gains ? all.gain_rounds : all.copy_rounds) += rounds;
    (gains ? all.gains : all.copies) += 1;
    if (!ended.promoted) continue;
    (gains ? all.found : all.wrong) += 1;
    wrong = wrong || !gains;
  }
  ++all.runs;
  all.wrong_runs += wrong ? 1 : 0;
  all.decided += static_cast<double>(error.decided());
}

Counted run_all(int runs, const RunRule& rule, const Noise& noise, const Planted& planted, double margin) {
  Counted all;
  for (int run = 0; run < runs; ++run)
    run_once(all, rule, noise, planted, margin, static_cast<std::uint64_t>(run + 1));
  return all;
}

void print_rule(const RunRule& rule, const Noise& noise, int runs, double margin) {
  const Counted copies = run_all(runs, rule, noise, {}, margin);
  fmt::print("{:<28} {:>5} of {} {:>8} {:>8.2f} {:>8.1f}", rule.name, copies.wrong_runs, copies.runs,
             copies.wrong, copies.copy_rounds / copies.copies, copies.decided / copies.runs);
  for (const double gain : {0.99, 0.98, 0.95}) {
    const Counted planted = run_all(planted_runs, rule, noise, {1, gain}, margin);
    fmt::print("   {:>5.1f} % {:>5.1f}", 100.0 * planted.found / planted.gains,
               planted.gain_rounds / planted.gains);
  }
  // Faster by the margin and no more: nothing but the error keeps them from being promoted.
  if (rule.at_the_edge && noise.slow == 0) {
    const Counted edge = run_all(runs / 2, rule, noise, {1 - margin, 1}, margin);
    fmt::print("   {:>4} of {}", edge.wrong_runs, edge.runs);
  }
  fmt::print("\n");
}

}  // namespace

void print_runs(int runs, double margin) {
  fmt::print(
      "{} runs of {} copies, alpha {} %; {} runs with a gain in every {} candidates; margin {} %\n"
      "runs that promote a copy; copies promoted; rounds a copy; comparisons behind the screening, a run; of "
      "gains of 1, 2, 5 %: found, rounds of each; runs that promote one of 400 that are faster by the margin "
      "only\n",
      runs, candidates, 100 * model::GateSettings{}.promotion_error, planted_runs, gain_every, 100 * margin);
  for (const Noise& noise : modelled_noises()) {
    fmt::print("\n{}\n", noise.name);
    for (const RunRule& rule : rules())
      if (!rule.of_slow_noise || noise.slow > 0) print_rule(rule, noise, runs, margin);
    std::fflush(stdout);
  }
}

}  // namespace evo::bench
