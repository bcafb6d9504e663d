#include "evaluators/gates/scalar_rows.hpp"

#include <functional>
#include <numeric>

#include "evaluators/gates/covering_array.hpp"
#include "evaluators/oracle/elements.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::size_t most_rows = 24;

/// All combinations, in the order of numbers with such digits.
std::vector<LevelRow> all_rows(const std::vector<std::size_t>& levels, std::size_t count) {
  std::vector<LevelRow> rows;
  for (std::size_t number = 0; number < count; ++number) {
    LevelRow row;
    std::size_t rest = number;
    for (const std::size_t level : levels) {
      row.push_back(rest % level);
      rest /= level;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<ScalarRow> scalar_rows(const model::Case& bound,
                                   const std::map<std::size_t, std::vector<std::int64_t>>& further,
                                   std::size_t shapes, model::RandomStream& stream) {
  std::vector<std::size_t> scalars, levels;
  for (const auto& [i, values] : further) {
    if (i >= bound.arguments.size() || !oracle::is_floating(bound.arguments[i].dtype)) continue;
    scalars.push_back(i);
    levels.push_back(1 + values.size());
  }
  std::vector<ScalarRow> chosen;
  if (scalars.empty()) return chosen;
  levels.push_back(shapes);
  // More than that many are not counted.
  const std::size_t count =
      std::accumulate(levels.begin(), levels.end(), std::size_t{1},
                      [](std::size_t all, std::size_t level) { return all > most_rows ? all : all * level; });
  const std::vector<LevelRow> rows =
      count <= most_rows ? all_rows(levels, count)
                         : cover_pairs(levels, most_rows, stream, [](const LevelRow&) { return true; });
  for (const LevelRow& row : rows) {
    ScalarRow one{{}, row.back()};
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      if (row[i] > 0) one.scalars[scalars[i]] = static_cast<double>(further.at(scalars[i])[row[i] - 1]);
    }
    const bool shown = one.scalars.empty() || (one.scalars.size() == 1 && one.shape == 0);
    if (!shown) chosen.push_back(std::move(one));
  }
  return chosen;
}

}  // namespace evo::evaluators::gates
