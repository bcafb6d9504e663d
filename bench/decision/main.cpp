// How often does each rule promote a copy, and how often a kernel that is 1, 2 or 5 % faster; what does it
// cost?
#include <cstdlib>
#include <exception>

#include <fmt/format.h>

#include "bench/decision/rules.hpp"

namespace {

using namespace evo::bench;

constexpr int copies = 2000, gains = 500;

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

}  // namespace

int main(int argc, char** argv) try {
  constexpr double margin = 0.005;  // gates.timing_resolution
  for (const Noise& noise : modelled_noises()) measure(noise, margin, 1);
  for (int i = 1; i < argc; ++i) measure(recorded_noise(argv[i]), margin, 1);
  fmt::print("\n{} comparisons of copies and {} of each gain; margin {} %; a round times each kernel once\n",
             copies, gains, 100 * margin);
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  fmt::print(stderr, "evo-decision: {}\n", error.what());
  return EXIT_FAILURE;
}
