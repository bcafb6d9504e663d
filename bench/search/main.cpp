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
#include "evaluators/process/child.hpp"
#include "mutators/sampling.hpp"

namespace {

using namespace evo;

struct Arguments {
  std::vector<std::string> files;  // recorded spaces
  std::string experiment;          // whose templates get made-up latencies
  std::int64_t instances = 4;
  std::vector<std::string> strategies{"random", "local", "genetic", "surrogate"};
  std::vector<std::int64_t> marks{50, 100, 200, 400};
  std::int64_t seeds = 20;
  model::SearchSettings search;
};

constexpr const char* usage =
    "usage: evo-search [options] [FILE.json.gz ...]\n"
    "  FILE                 recorded spaces in Kernel Tuner's cache format\n"
    "  --experiment YAML    the templates of an experiment, with made-up latencies\n"
    "  --instances N        how many such landscapes (4)\n"
    "  --strategies A,B     (random,local,genetic,surrogate)\n"
    "  --trials A,B         when the best so far is looked at (50,100,200,400)\n"
    "  --seeds N            runs of each (20)\n"
    "  --population N, --window N, --elite N, --immigrants X   of the search (20, 1, 2, 0.1)\n";

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
  arguments.search.window = 1;
  const std::map<std::string, std::function<void(const std::string&)>> options{
      {"--experiment", [&](const std::string& v) { arguments.experiment = v; }},
      {"--instances", [&](const std::string& v) { arguments.instances = number<std::int64_t>(v); }},
      {"--strategies", [&](const std::string& v) { arguments.strategies = split(v); }},
      {"--trials",
       [&](const std::string& v) {
         arguments.marks.clear();
         for (const std::string& part : split(v)) arguments.marks.push_back(number<std::int64_t>(part));
       }},
      {"--seeds", [&](const std::string& v) { arguments.seeds = number<std::int64_t>(v); }},
      {"--population", [&](const std::string& v) { arguments.search.population = number<int>(v); }},
      {"--window", [&](const std::string& v) { arguments.search.window = number<int>(v); }},
      {"--elite", [&](const std::string& v) { arguments.search.elite = number<int>(v); }},
      {"--immigrants", [&](const std::string& v) { arguments.search.immigrants = number<double>(v); }},
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
  space.baseline = *mutators::random_legal(space.templates[space.baseline_template].space, random);
  // A recorded space has no initial genome either; opening with one is for templates that somebody wrote.
}

/// What Kernel Tuner 1.4.0, unmodified, reached in its simulation mode on two spaces of its community's hub
/// (optimum over best; failures counted; mean of 20 runs, of 50 on the convolution). Constants, for
/// comparison.
struct Bar {
  const char* landscape;
  const char* strategy;
  std::array<double, 3> after_50_100_200;
};
constexpr Bar bars[] = {
    {"convolution_milo-A100", "simulated annealing", {.881, .928, .947}},
    {"convolution_milo-A100", "tuned genetic", {.708, .861, .969}},
    {"convolution_milo-A100", "tabu_greywolf", {.794, .859, .935}},
    {"convolution_milo-A100", "random", {.670, .716, .775}},
    {"dedispersion_milo-MI250X", "simulated annealing", {.939, .977, .987}},
    {"dedispersion_milo-MI250X", "tuned genetic", {.785, .928, 1.000}},
    {"dedispersion_milo-MI250X", "tabu_greywolf", {.836, .980, 1.000}},
    {"dedispersion_milo-MI250X", "random", {.813, .892, .930}},
};

void print_bars(const std::string& landscape, const std::vector<std::int64_t>& marks) {
  for (const Bar& bar : bars) {
    if (landscape != bar.landscape) continue;
    fmt::print("  {:<22}", fmt::format("KT {}", bar.strategy));
    for (const std::int64_t mark : marks) {
      const std::array<std::int64_t, 3> known{50, 100, 200};
      const auto* const at = std::find(known.begin(), known.end(), mark);
      if (at == known.end()) {
        fmt::print("{:>7}", "-");
      } else {
        fmt::print("{:>7.3f}", bar.after_50_100_200.at(static_cast<std::size_t>(at - known.begin())));
      }
    }
    fmt::print("\n");
  }
}

void judge(bench::Landscape landscape, const Arguments& arguments) {
  std::map<std::string, std::vector<bench::Replayed>> runs;
  for (std::int64_t seed = 1; seed <= arguments.seeds; ++seed) {
    draw_baseline(landscape, static_cast<std::uint64_t>(seed));
    for (const std::string& strategy : arguments.strategies) {
      model::SearchSettings settings = arguments.search;
      settings.strategy = strategy;
      settings.seed = static_cast<std::uint64_t>(seed);
      runs[strategy].push_back(bench::replay(landscape, settings, arguments.marks.back()));
      const double best = runs[strategy].back().best.back();
      if (best > 0) landscape.optimum = std::min(landscape.optimum, best);
    }
  }
  fmt::print("\n{:<24}", landscape.name);
  for (const std::int64_t mark : arguments.marks) fmt::print("{:>7}", mark);
  fmt::print("    best  ask ms mean/max  trials of each template\n");
  for (const std::string& strategy : arguments.strategies) {
    fmt::print("  {:<22}", strategy);
    for (const std::int64_t mark : arguments.marks) {
      double sum = 0;
      for (const auto& run : runs[strategy]) {
        const double best = run.best[static_cast<std::size_t>(mark - 1)];
        sum += best > 0 ? landscape.optimum / best : 0;
      }
      fmt::print("{:>7.3f}", sum / static_cast<double>(arguments.seeds));
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
    fmt::print("\n");
  }
  print_bars(landscape.name, arguments.marks);
  std::fflush(stdout);
}

int run(const Arguments& arguments) {
  fmt::print(
      "least latency known / best found after so many trials, mean of {} runs; population {}, window {}\n",
      arguments.seeds, arguments.search.population, arguments.search.window);
  for (const std::string& file : arguments.files) judge(bench::recorded_landscape(file), arguments);
  if (arguments.experiment.empty()) return 0;
  const auto path = config::default_search_path(evaluators::process::self_path());
  const auto experiment = config::load_experiment(arguments.experiment, {}, path);
  if (!experiment) throw model::Exception(model::ExitCode::invalid_configuration, experiment.error().text());
  const engine::SearchSpace space = engine::make_search_space(*experiment);
  for (std::int64_t instance = 1; instance <= arguments.instances; ++instance)
    judge(bench::synthetic_landscape(space, static_cast<std::uint64_t>(instance)), arguments);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return run(parse(argc, argv));
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo-search: {}\n", error.what());
  return static_cast<int>(error.code());
}
