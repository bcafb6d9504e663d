// evo-search: which share of the optimum a strategy has reached after so many trials. See bench/README.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "bench/search/arguments.hpp"
#include "bench/search/kernel_tuner_bars.hpp"
#include "bench/search/replay.hpp"
#include "config/loader.hpp"
#include "engine/statistics.hpp"
#include "evaluators/oracle/known_names.hpp"
#include "evaluators/process/child.hpp"
#include "mutators/sampling.hpp"
#include "packs/builtin.hpp"

namespace {

using namespace evo;

/// A random genome of a random template takes the place of the baseline, so that no run begins with
/// knowledge.
void draw_baseline(bench::Landscape& landscape, std::uint64_t seed) {
  model::RandomStream random({seed, 0, 0, "baseline"});
  engine::SearchSpace& space = landscape.space;
  space.baseline_template = random.below(space.templates.size());
  const model::Space& drawn = space.templates[space.baseline_template].space;
  // Where constraints leave so few that none is found, the author's.
  space.baseline = mutators::random_legal(drawn, random).value_or(drawn.initial());
  // A recorded space has no initial genome either; opening with one is for templates that somebody wrote.
}

/// "0.85" of "genetic+screen=0.85" for `mark` "+screen="; empty for others.
std::string behind(const std::string& strategy, std::string_view mark) {
  const std::size_t at = strategy.find(mark);
  return at == std::string::npos ? std::string() : strategy.substr(at + mark.size());
}
std::string screen_of(const std::string& strategy) {
  return behind(strategy, "+screen=");
}
std::string preset_of(const std::string& strategy) {
  return behind(strategy, "+preset=");
}

/// Logarithms of best found as the strategy is over best found as it is changed (screened, masked), of the
/// same seeds, after so many trials; seeds where either found nothing are left out.
std::vector<double> gains_after(std::int64_t mark, const std::vector<bench::Replayed>& plain,
                                const std::vector<bench::Replayed>& screened) {
  std::vector<double> gains;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto at = static_cast<std::size_t>(mark - 1);
    if (plain[i].best[at] > 0 && screened[i].best[at] > 0)
      gains.push_back(std::log(plain[i].best[at] / screened[i].best[at]));
  }
  return gains;
}

/// Gains of a changed strategy on the same unchanged: for each mark, one a seed and landscape.
using Gains = std::vector<std::vector<double>>;

/// In percent, with the 95 % interval of the mean.
void print_gains(const Gains& gains) {
  for (const std::vector<double>& at_mark : gains) {
    const engine::Moments of = engine::moments(at_mark);
    const double half = of.n < 2 ? 0
                                 : engine::student_t_975(static_cast<double>(of.n - 1)) *
                                       std::sqrt(of.variance / static_cast<double>(of.n));
    fmt::print("  {:.1f} [{:.1f}, {:.1f}]", 100 * of.mean, 100 * (of.mean - half), 100 * (of.mean + half));
  }
}

/// Adds the gains of screened and masked strategies to `all`.
void judge(bench::Landscape landscape, const bench::Arguments& arguments, std::map<std::string, Gains>& all) {
  std::map<std::string, std::vector<bench::Replayed>> runs;
  std::map<std::string, double> spearman;
  const bool screens = std::ranges::any_of(arguments.strategies,
                                           [](const std::string& name) { return !screen_of(name).empty(); });
  const bench::ScreenSample sample = screens ? bench::screen_sample(landscape) : bench::ScreenSample{};
  for (std::int64_t seed = 1; seed <= arguments.seeds; ++seed) {
    draw_baseline(landscape, static_cast<std::uint64_t>(seed));
    for (const std::string& strategy : arguments.strategies) {
      model::SearchSettings settings = arguments.search;
      // "genetic+archive"
      const std::size_t plus = strategy.find('+');
      settings.strategy = strategy.substr(0, plus);
      const std::string extra = plus == std::string::npos ? "" : strategy.substr(plus);
      const std::string preset = preset_of(strategy);
      const bool masked = preset == "free" || preset == "insight" || preset == "full";
      if (!extra.empty() && extra != "+archive" && !extra.starts_with("+screen=") && !masked)
        throw model::Exception(
            model::ExitCode::usage,
            fmt::format("no strategy '{}': it takes +archive, +screen=MODEL or +preset=free", strategy));
      if (masked) settings.preset = preset;
      settings.seed = static_cast<std::uint64_t>(seed);
      std::optional<bench::ScreenModel> model;
      if (const std::string screen = screen_of(strategy); !screen.empty()) {
        settings.screen = {arguments.pool, arguments.explore};
        model = bench::screen_model(landscape, sample, screen, settings.seed);
        spearman[strategy] += model->spearman / static_cast<double>(arguments.seeds);
      } else if (extra == "+archive") {
        settings.archive = arguments.axes;
      }
      runs[strategy].push_back(
          bench::replay(landscape, settings, arguments.marks.back(), model ? &*model : nullptr));
      const double best = runs[strategy].back().best.back();
      if (best > 0) landscape.optimum = std::min(landscape.optimum, best);
    }
  }
  fmt::print("\n{:<24}", landscape.name);
  for (const std::int64_t mark : arguments.marks) fmt::print("{:>7}", mark);
  fmt::print("    best  ask ms mean/max  trials of each template\n");
  for (const std::string& strategy : arguments.strategies) {
    fmt::print("  {:<22}", strategy);
    std::vector<engine::Moments> reached;
    for (const std::int64_t mark : arguments.marks) {
      std::vector<double> shares;
      for (const auto& run : runs[strategy]) {
        const double best = run.best[static_cast<std::size_t>(mark - 1)];
        shares.push_back(best > 0 ? landscape.optimum / best : 0);
      }
      reached.push_back(engine::moments(shares));
      fmt::print("{:>7.3f}", reached.back().mean);
    }
    int found = 0;
    double mean = 0, slowest = 0;
    std::vector<double> shares(landscape.space.templates.size());
    for (const auto& run : runs[strategy]) {
      found += run.best.back() > 0 && run.best.back() < 1.002 * landscape.optimum ? 1 : 0;
      mean += run.mean_ask_ms / static_cast<double>(arguments.seeds);
      slowest = std::max(slowest, run.slowest_ask_ms);
      for (std::size_t i = 0; i < shares.size(); ++i)
        shares[i] += run.of_template[i] / static_cast<double>(arguments.seeds);
    }
    fmt::print("{:>5}/{}{:>9.2f}/{:.1f} ", found, arguments.seeds, mean, slowest);
    for (const double share : shares) fmt::print(" {:.0f}", share);
    fmt::print("\n  {:<22}", "  +-");
    for (const engine::Moments& of : reached)
      fmt::print("{:>7.3f}", of.n < 2 ? 0 : 1.96 * std::sqrt(of.variance / static_cast<double>(of.n)));
    fmt::print("\n");
    const auto plain = runs.find(strategy.substr(0, strategy.find('+')));
    const bool changed = !screen_of(strategy).empty() || !preset_of(strategy).empty();
    if (!changed || plain == runs.end()) continue;
    Gains gains;
    for (const std::int64_t mark : arguments.marks)
      gains.push_back(gains_after(mark, plain->second, runs[strategy]));
    fmt::print("    gain %, interval      ");
    print_gains(gains);
    if (screen_of(strategy).empty()) {
      fmt::print("\n");
    } else {
      fmt::print("  rank correlation {:.2f}\n", spearman[strategy]);
    }
    Gains& sum = all[strategy];
    sum.resize(gains.size());
    for (std::size_t i = 0; i < gains.size(); ++i)
      sum[i].insert(sum[i].end(), gains[i].begin(), gains[i].end());
  }
  bench::print_kernel_tuner_bars(landscape.name, arguments.marks);
  std::fflush(stdout);
}

void judge_made_up(const bench::Arguments& arguments, std::map<std::string, Gains>& gains) {
  const auto path =
      config::default_search_path(evaluators::process::self_path(),
                                  evaluators::oracle::known_names(packs::catalogue_of(packs::builtin())));
  const auto experiment = config::load_experiment(arguments.experiment, {}, path);
  if (!experiment) throw model::Exception(model::ExitCode::invalid_configuration, experiment.error().text());
  const engine::SearchSpace space = engine::make_search_space(*experiment);
  for (std::int64_t instance = 1; instance <= arguments.instances; ++instance)
    judge(bench::synthetic_landscape(space, static_cast<std::uint64_t>(instance)), arguments, gains);
}

int run(const bench::Arguments& arguments) {
  fmt::print(
      "least latency known / best found after so many trials, mean of {} runs and, below it, half of its 95 "
      "% "
      "interval; population {}, in flight {}\n",
      arguments.seeds, arguments.search.population, arguments.search.max_in_flight);
  std::map<std::string, Gains> gains;
  for (const std::string& file : arguments.files) judge(bench::recorded_landscape(file), arguments, gains);
  if (!arguments.experiment.empty()) judge_made_up(arguments, gains);
  if (!gains.empty())
    fmt::print("\ngain % by screening or a preset over all landscapes and seeds, interval of the mean\n");
  for (const auto& [strategy, of] : gains) {
    fmt::print("  {:<24}", strategy);
    print_gains(of);
    fmt::print("\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return run(bench::parse_arguments(argc, argv));
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo-search: {}\n", error.what());
  return static_cast<int>(error.code());
}
