#include "bench/search/kernel_tuner_bars.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace evo::bench {
namespace {

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

}  // namespace

void print_kernel_tuner_bars(const std::string& landscape, const std::vector<std::int64_t>& marks) {
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

}  // namespace evo::bench
