// evo-search: which share of the optimum a strategy has reached after so many trials. See bench/README.md.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "bench/search/replay.hpp"
#include "config/loader.hpp"
#include "engine/statistics.hpp"
#include "evaluators/oracle/known_names.hpp"
#include "evaluators/process/child.hpp"
#include "mutators/sampling.hpp"
#include "packs/builtin.hpp"

namespace {

using namespace evo;

struct Arguments {
  std::vector<std::string> files;  // recorded spaces
  std::string experiment;          // whose templates get made-up latencies
  std::int64_t instances = 4;
  std::vector<std::string> strategies{"random", "local", "genetic", "surrogate"};
  std::vector<std::int64_t> marks{50, 100, 200, 400};
  std::int64_t seeds = 20;
  std::vector<std::string> axes{"sectors", "conflicts", "occupancy", "instructions"};
  int pool = model::ScreenSettings::default_pool;
  double explore = model::ScreenSettings::default_explore;
  model::SearchSettings search;
};

constexpr const char* usage =
    "usage: evo-search [options] [FILE.json.gz ...]\n"
    "  FILE                 recorded spaces in Kernel Tuner's cache format\n"
    "  --experiment YAML    the templates of an experiment, with made-up latencies\n"
    "  --instances N        how many such landscapes (4)\n"
    "  --strategies A,B     (random,local,genetic,surrogate); genetic+archive: with an archive of behaviour\n"
    "                       genetic+screen=M: screened by the model M: exact, 0.85 (a rank correlation), "
    "noise, genes "
    "(misleads),\n"
    "                       inverse\n"
    "                       genetic+preset=P: knows free or insight only (docs/concepts/search.md)\n"
    "  --pool N, --explore X of the screening (4, 0.1)\n"
    "  --axes A,B           of the archives (sectors,conflicts,occupancy,instructions)\n"
    "  --archive-share X    of parents from cells (0.5)\n"
    "  --trials A,B         when the best so far is looked at (50,100,200,400)\n"
    "  --seeds N            runs of each (20)\n"
    "  --population N, --window N, --elite N, --mutation X, --tournament N   of the search (20, 1, 2, 0.15, "
    "3)\n"
    "  --mutators A=X,B=Y   weights of operators, of every strategy; others: the strategy's defaults\n";

template <class T>
T number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw model::Exception(model::ExitCode::usage, fmt::format("'{}' is no number\n{}", text, usage));
  }
  return value;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  arguments.search.population = 20;
  arguments.search.max_in_flight = 1;
  const std::map<std::string, std::function<void(const std::string&)>> options{
      {"--experiment", [&](const std::string& v) { arguments.experiment = v; }},
      {"--instances", [&](const std::string& v) { arguments.instances = number<std::int64_t>(v); }},
      {"--strategies", [&](const std::string& v) { arguments.strategies = split(v); }},
      {"--pool", [&](const std::string& v) { arguments.pool = number<int>(v); }},
      {"--explore", [&](const std::string& v) { arguments.explore = number<double>(v); }},
      {"--axes", [&](const std::string& v) { arguments.axes = split(v); }},
      {"--archive-share", [&](const std::string& v) { arguments.search.archive_share = number<double>(v); }},
      {"--trials",
       [&](const std::string& v) {
         arguments.marks.clear();
         for (const std::string& part : split(v)) arguments.marks.push_back(number<std::int64_t>(part));
       }},
      {"--seeds", [&](const std::string& v) { arguments.seeds = number<std::int64_t>(v); }},
      {"--population", [&](const std::string& v) { arguments.search.population = number<int>(v); }},
      {"--window", [&](const std::string& v) { arguments.search.max_in_flight = number<int>(v); }},
      {"--tournament", [&](const std::string& v) { arguments.search.tournament = number<int>(v); }},
      {"--elite", [&](const std::string& v) { arguments.search.elite = number<int>(v); }},
      {"--mutation", [&](const std::string& v) { arguments.search.mutation = number<double>(v); }},
      {"--mutators",
       [&](const std::string& v) {
         for (const std::string& part : split(v)) {
           const std::size_t equal = std::min(part.find('='), part.size());
           arguments.search.mutators[part.substr(0, equal)] =
               number<double>(part.substr(std::min(equal + 1, part.size())));
         }
       }},
  };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      arguments.files.push_back(word);
      continue;
    }
    const auto option = options.find(word);
    if (option == options.end() || i + 1 == argc) throw model::Exception(model::ExitCode::usage, usage);
    option->second(argv[++i]);
  }
  if (arguments.files.empty() && arguments.experiment.empty())
    throw model::Exception(model::ExitCode::usage, usage);
  std::sort(arguments.marks.begin(), arguments.marks.end());
  return arguments;
}

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

/// What Kernel Tuner 1.4.0, unmodified, reached in its simulation mode on spaces of its community's hub
/// (optimum over best; failures counted; mean of 20 runs, each with a search space object of its own, as a
/// user's tune_kernel has). Constants, for comparison. Runs that share the object are led by its neighbour
/// cache to what earlier ones found: rows of simulated annealing that this program had until 2026-11-23 came
/// from such runs.
struct Bar {
  const char* landscape;
  const char* strategy;
  std::array<double, 4> after_50_100_200_400;
};
constexpr Bar bars[] = {
    {"convolution-RTX_3090", "simulated annealing", {.928, .985, .993, .995}},
    {"convolution-RTX_3090", "tuned genetic", {.840, .950, .997, .998}},
    {"convolution-RTX_3090", "genetic", {.869, .923, .976, .997}},
    {"convolution-RTX_3090", "tabu_greywolf", {.898, .971, .989, .997}},
    {"convolution-RTX_3090", "random", {.845, .897, .937, .969}},
    {"convolution_milo-A100", "simulated annealing", {.716, .808, .886, .904}},
    {"convolution_milo-A100", "tuned genetic", {.664, .822, .966, .983}},
    {"convolution_milo-A100", "genetic", {.685, .832, .961, .971}},
    {"convolution_milo-A100", "tabu_greywolf", {.793, .868, .937, .965}},
    {"convolution_milo-A100", "random", {.653, .709, .769, .808}},
    {"convolution_milo-A4000", "simulated annealing", {.802, .892, .951, .972}},
    {"convolution_milo-A4000", "tuned genetic", {.823, .882, .949, .994}},
    {"convolution_milo-A4000", "genetic", {.813, .859, .926, .964}},
    {"convolution_milo-A4000", "tabu_greywolf", {.816, .879, .951, 1}},
    {"convolution_milo-A4000", "random", {.827, .860, .924, .959}},
    {"dedispersion_milo-MI250X", "simulated annealing", {.840, .970, .987, .996}},
    {"dedispersion_milo-MI250X", "tuned genetic", {.762, .853, .952, .994}},
    {"dedispersion_milo-MI250X", "genetic", {.754, .824, .997, 1}},
    {"dedispersion_milo-MI250X", "tabu_greywolf", {.836, .980, 1, 1}},
    {"dedispersion_milo-MI250X", "random", {.813, .892, .930, .959}},
    {"pnpoly-RTX_3090", "simulated annealing", {.884, .916, .953, .998}},
    {"pnpoly-RTX_3090", "tuned genetic", {.931, .978, 1, 1}},
    {"pnpoly-RTX_3090", "genetic", {.928, .986, 1, 1}},
    {"pnpoly-RTX_3090", "tabu_greywolf", {.941, 1, 1, 1}},
    {"pnpoly-RTX_3090", "random", {.916, .952, .961, .980}},
};

void print_bars(const std::string& landscape, const std::vector<std::int64_t>& marks) {
  for (const Bar& bar : bars) {
    if (landscape != bar.landscape) continue;
    fmt::print("  {:<22}", fmt::format("KT {}", bar.strategy));
    for (const std::int64_t mark : marks) {
      const std::array<std::int64_t, 4> known{50, 100, 200, 400};
      const auto* const at = std::find(known.begin(), known.end(), mark);
      if (at == known.end()) {
        fmt::print("{:>7}", "-");
      } else {
        fmt::print("{:>7.3f}", bar.after_50_100_200_400.at(static_cast<std::size_t>(at - known.begin())));
      }
    }
    fmt::print("\n");
  }
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
void judge(bench::Landscape landscape, const Arguments& arguments, std::map<std::string, Gains>& all) {
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
  print_bars(landscape.name, arguments.marks);
  std::fflush(stdout);
}

void judge_made_up(const Arguments& arguments, std::map<std::string, Gains>& gains) {
  const auto path =
      config::default_search_path(evaluators::process::self_path(),
                                  evaluators::oracle::known_names(packs::catalogue_of(packs::builtin())));
  const auto experiment = config::load_experiment(arguments.experiment, {}, path);
  if (!experiment) throw model::Exception(model::ExitCode::invalid_configuration, experiment.error().text());
  const engine::SearchSpace space = engine::make_search_space(*experiment);
  for (std::int64_t instance = 1; instance <= arguments.instances; ++instance)
    judge(bench::synthetic_landscape(space, static_cast<std::uint64_t>(instance)), arguments, gains);
}

int run(const Arguments& arguments) {
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
  return run(parse(argc, argv));
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo-search: {}\n", error.what());
  return static_cast<int>(error.code());
}
