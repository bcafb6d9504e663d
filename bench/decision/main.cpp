// How often does each rule promote a copy, and how often a kernel that is 1, 2 or 5 % faster; what does it
// cost?
#include <cstdlib>
#include <exception>
#include <string_view>

#include <fmt/format.h>

#include "bench/decision/early.hpp"
#include "bench/decision/rules.hpp"
#include "bench/decision/runs.hpp"
#include "evaluators/measure/statistics.hpp"

namespace {

using namespace evo::bench;

constexpr int copies = 20000, gains = 500;

void measure(const Noise& noise, double margin, std::uint64_t seed) {
  fmt::print("\n{}\n{:<32} {:>14} {:>9} {:>9} {:>9} {:>11} {:>11}\n", noise.name, "", "A/A promoted",
             "1 % found", "2 % found", "5 % found", "rounds A/A", "rounds 2 %");
  for (const Rule& rule : rules(margin)) {
    const auto run = [&](double ratio, int times) {
      std::pair<int, double> found{0, 0};
      for (int i = 0; i < times; ++i) {
        Turns turns(noise, ratio, seed, static_cast<std::uint64_t>(i));
        found.first += rule.promotes(turns) ? 1 : 0;
        found.second += static_cast<double>(turns.rounds()) / times;
      }
      return found;
    };
    const auto same = run(1, copies), one = run(0.99, gains), two = run(0.98, gains), five = run(0.95, gains);
    const auto share = [](const auto& found) { return 100.0 * found.first / gains; };
    fmt::print("{:<32} {:>6} of {:>4} {:>7.1f} % {:>7.1f} % {:>7.1f} % {:>11.1f} {:>11.1f}\n", rule.name,
               same.first, copies, share(one), share(two), share(five), same.second, two.second);
  }
}

/// Candidates of a recorded space against the best of as many as a search has seen: who is promoted wrongly,
/// which gains are missed, and what the timing costs.
void race(const Noise& space, double margin) {
  constexpr int pairs = 2000, seen = 20;
  evo::model::RandomStream draws(
      {.seed = 1, .generation = 0, .slot = 0, .purpose = "race pairs " + space.name});
  const auto drawn = [&]() -> const std::vector<double>& {
    return space.recorded[draws.below(space.recorded.size())];
  };
  const auto median = [](const std::vector<double>& runs) { return evo::evaluators::measure::median(runs); };
  std::vector<std::array<const std::vector<double>*, 2>> sides;
  for (int i = 0; i < pairs; ++i) {
    const std::vector<double>* incumbent = &drawn();
    for (int k = 1; k < seen; ++k)
      if (const auto& other = drawn(); median(other) < median(*incumbent)) incumbent = &other;
    sides.push_back({&drawn(), incumbent});
  }
  fmt::print("\n{}: {} candidates against the best of {}\n{:<32} {:>14} {:>14} {:>14} {:>14}\n", space.name,
             pairs, seen, "", "slower promoted", "gains missed", "device time", "of fixed 64");
  double fixed = 0;
  const auto all = rules(margin);
  for (const bool printing : {false, true}) {
    for (const Rule& rule : all) {
      const bool is_fixed = rule.name.starts_with("fixed 64");
      if (!printing && !is_fixed) continue;
      int wrong = 0, missed = 0, faster = 0;
      double spent = 0;
      for (std::size_t i = 0; i < sides.size(); ++i) {
        const double truth = median(*sides[i][0]) / median(*sides[i][1]);
        Turns turns(space, *sides[i][0], *sides[i][1], i);
        const bool promoted = rule.promotes(turns);
        spent += turns.spent();
        wrong += promoted && truth >= 1 ? 1 : 0;
        faster += truth < 0.99 ? 1 : 0;
        missed += !promoted && truth < 0.99 ? 1 : 0;
      }
      if (is_fixed) fixed = spent;
      if (printing)
        fmt::print("{:<32} {:>14} {:>7} of {:>4} {:>12.1f} s {:>12.1f} %\n", rule.name, wrong, missed, faster,
                   spent / 1000, 100 * spent / fixed);
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  constexpr double margin = 0.005;  // gates.timing_resolution
  if (argc == 3 && std::string_view(argv[1]) == "--runs") {
    print_runs(std::atoi(argv[2]), margin);
    return EXIT_SUCCESS;
  }
  if (argc == 4 && std::string_view(argv[1]) == "--early") {
    print_early(std::atoi(argv[2]), static_cast<std::size_t>(std::atoi(argv[3])), margin);
    return EXIT_SUCCESS;
  }
  for (const Noise& noise : modelled_noises()) measure(noise, margin, 1);
  for (int i = 1; i < argc; ++i) measure(recorded_noise(argv[i]), margin, 1);
  for (int i = 1; i < argc; ++i) race(recorded_configurations(argv[i]), margin);
  fmt::print("\n{} comparisons of copies and {} of each gain; margin {} %; a round times each kernel once\n",
             copies, gains, 100 * margin);
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  fmt::print(stderr, "evo-decision: {}\n", error.what());
  return EXIT_FAILURE;
}
