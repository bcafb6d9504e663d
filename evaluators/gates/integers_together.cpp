#include "evaluators/gates/integers_together.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "evaluators/gates/scalar_order.hpp"
#include "evaluators/gates/unusual_scalars.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::size_t most_rows_together = 24;
/// A double holds all whole numbers up to this.
constexpr double whole = 0x1p52;

struct Ranged {
  std::size_t argument = 0;
  std::int64_t usual = 0, least = 0, most = 0;
  std::vector<std::int64_t> equal;
};
using NumberPair = std::pair<std::int64_t, std::int64_t>;

std::vector<Ranged> ranged_integers(const model::Problem& problem, const model::Case& bound,
                                    const std::map<std::size_t, std::vector<std::int64_t>>& equal) {
  std::vector<Ranged> found;
  for (std::size_t i = 0; i < problem.arguments.size() && i < bound.arguments.size(); ++i) {
    const auto& range = problem.arguments[i].range;
    if (!range || !may_be_another(problem.arguments[i])) continue;
    Ranged one{i,
               bound.arguments[i].scalar_integer,
               static_cast<std::int64_t>(std::ceil(std::max(range->least, -whole))),
               static_cast<std::int64_t>(std::floor(std::min(range->most, whole))),
               {}};
    if (const auto asked = equal.find(i); asked != equal.end()) one.equal = asked->second;
    found.push_back(std::move(one));
  }
  return found;
}

/// Between both; where there is nothing between, the first.
std::int64_t drawn(std::int64_t least, std::int64_t most, model::RandomStream& stream) {
  if (most <= least) return least;
  return least + static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(most - least) + 1));
}

/// What tells most stands first.
std::vector<NumberPair> numbers_of(const Ranged& a, const Ranged& b, model::RandomStream& stream) {
  std::vector<NumberPair> pairs;
  for (const std::int64_t of_a : a.equal) {
    for (const std::int64_t of_b : b.equal) pairs.emplace_back(of_a, of_b);
  }
  const std::int64_t same = drawn(std::max(a.least, b.least), std::min(a.most, b.most), stream);
  const std::int64_t apart = drawn(std::max(a.least, -b.most), std::min(a.most, -b.least), stream);
  for (const NumberPair& pair :
       {NumberPair{a.least, b.least}, NumberPair{a.most, b.most}, NumberPair{apart, -apart},
        NumberPair{-apart, apart}, NumberPair{same, same}, NumberPair{same, same - 1},
        NumberPair{same, same + 1}, NumberPair{a.least, b.most}, NumberPair{a.most, b.least}})
    pairs.push_back(pair);
  std::vector<NumberPair> legal;
  for (const NumberPair& pair : pairs) {
    const auto& [of_a, of_b] = pair;
    const bool within = of_a >= a.least && of_a <= a.most && of_b >= b.least && of_b <= b.most;
    const bool one_alone = of_a == a.usual || of_b == b.usual;
    const bool turned = (a.usual < b.usual && of_a > of_b) || (a.usual > b.usual && of_a < of_b);
    if (within && !one_alone && !turned && std::ranges::find(legal, pair) == legal.end())
      legal.push_back(pair);
  }
  return legal;
}

}  // namespace

std::vector<std::map<std::size_t, double>> integers_together(
    const model::Problem& problem, const model::Case& bound,
    const std::map<std::size_t, std::vector<std::int64_t>>& equal, model::RandomStream& stream) {
  const std::vector<Ranged> ranged = ranged_integers(problem, bound, equal);
  std::vector<std::vector<std::map<std::size_t, double>>> of_pairs;
  for (std::size_t a = 0; a < ranged.size(); ++a) {
    for (std::size_t b = a + 1; b < ranged.size(); ++b) {
      auto& rows = of_pairs.emplace_back();
      for (const auto& [of_a, of_b] : numbers_of(ranged[a], ranged[b], stream)) {
        std::map<std::size_t, double> row =
            in_order(problem, bound, ranged[b].argument, static_cast<double>(of_b));
        row.merge(in_order(problem, bound, ranged[a].argument, static_cast<double>(of_a)));
        row[ranged[a].argument] = static_cast<double>(of_a);
        row[ranged[b].argument] = static_cast<double>(of_b);
        rows.push_back(std::move(row));
      }
    }
  }
  // One of each pair in turn.
  std::vector<std::map<std::size_t, double>> chosen;
  std::size_t longest = 0;
  for (const auto& rows : of_pairs) longest = std::max(longest, rows.size());
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (const auto& rows : of_pairs) {
      if (turn < rows.size() && chosen.size() < most_rows_together) chosen.push_back(rows[turn]);
    }
  }
  return chosen;
}

}  // namespace evo::evaluators::gates
