#include "report/bandit_output.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evo::report {

boost::json::array bandit_json(const std::vector<engine::BanditGeneration>& history) {
  boost::json::array generations;
  for (const engine::BanditGeneration& generation : history) {
    boost::json::array arms;
    for (const engine::BanditArm& arm : generation.arms) {
      arms.push_back(boost::json::object{{"name", arm.name},
                                         {"weight", arm.weight},
                                         {"factor", arm.factor},
                                         {"trials", arm.trials},
                                         {"gains", arm.gains},
                                         {"reward", arm.reward}});
    }
    generations.push_back(
        boost::json::object{{"generation", generation.generation}, {"arms", std::move(arms)}});
  }
  return generations;
}

std::string bandit_text(const std::vector<engine::BanditGeneration>& history) {
  if (history.empty()) return {};
  std::vector<engine::BanditArm> arms = history.back().arms;
  double sum = 0;
  for (const engine::BanditArm& arm : arms) sum += arm.weight * arm.factor;
  if (sum <= 0) return {};
  std::ranges::stable_sort(arms, [](const engine::BanditArm& a, const engine::BanditArm& b) {
    return a.weight * a.factor > b.weight * b.factor;
  });
  std::string text = fmt::format(
      "weights of generation {}: what brought gains over its parent is asked more often\n"
      "  {:<24} {:>7} {:>8} {:>7} {:>6} {:>12}\n",
      history.back().generation, "operator", "share", "factor", "trials", "gains", "mean gain");
  for (const engine::BanditArm& arm : arms) {
    text +=
        fmt::format("  {:<24} {:>6.1f}% {:>8.2f} {:>7} {:>6} {:>11.2f}%\n", arm.name,
                    100 * arm.weight * arm.factor / sum, arm.factor, arm.trials, arm.gains, 100 * arm.reward);
  }
  return text;
}

}  // namespace evo::report
