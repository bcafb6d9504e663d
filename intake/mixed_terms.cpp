#include "intake/mixed_terms.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/shape_finder.hpp"
#include "intake/size_candidates.hpp"

namespace evo::intake {
namespace {

using Shape = std::vector<std::string>;
constexpr std::int64_t most_times = 4096;  ///< of a product of axes

/// One code at all pairs of two sizes of each axis, the number's bits say which, and at others behind them.
class Corners {
 public:
  Corners(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
          std::uint64_t& spent)
      : draft_(draft) {
    const std::size_t count = draft.axes.size();
    const std::size_t corners = std::size_t{1} << count;
    // One further in each direction, and another order of sizes: min(n, m) is n in this one alone.
    for (std::size_t corner = 0; corner < corners + 2; ++corner) {
      auto one = std::make_unique<ShapeFinder>(draft, artifact, whose, scale, spent, corner == corners + 1);
      std::vector<std::int64_t> steps(count, 2);
      for (std::size_t i = 0; i < count && corner < corners; ++i)
        steps[i] = static_cast<std::int64_t>(corner >> i & 1);
      one->step_sizes(steps);
      if (!one->start()) return;
      at_.push_back(std::move(one));
    }
    ready_ = true;
  }
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] const std::vector<std::unique_ptr<ShapeFinder>>& at() const { return at_; }

  /// Of each set of axes (its bits) the factor of their product in the sum that these ends make; empty where
  /// they make none.
  [[nodiscard]] std::vector<std::int64_t> factors(const std::vector<std::int64_t>& ends) const {
    const std::size_t count = draft_.axes.size(), corners = std::size_t{1} << count;
    // Differences along one axis after the other: what is left at a corner is the factor of its product,
    // with the smaller sizes taken off.
    std::vector<std::int64_t> sums(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(corners));
    for (std::size_t axis = 0; axis < count; ++axis) {
      const std::size_t bit = std::size_t{1} << axis;
      const std::int64_t low = size(0, axis), step = size(bit, axis) - low;
      if (step == 0) return {};
      for (std::size_t corner = 0; corner < corners; ++corner) {
        if ((corner & bit) != 0) continue;
        const std::int64_t more = sums[corner | bit] - sums[corner];
        if (more % step != 0) return {};
        sums[corner | bit] = more / step;
        sums[corner] -= sums[corner | bit] * low;
      }
    }
    for (std::size_t other = corners; other < ends.size(); ++other) {
      if (value_of(sums, other) != ends[other]) return {};
    }
    return sums;
  }

  /// "2 * n * m + n - 1".
  [[nodiscard]] std::string text(const std::vector<std::int64_t>& factors) const {
    std::string text;
    std::vector<std::size_t> sets(factors.size());
    for (std::size_t set = 0; set < sets.size(); ++set) sets[set] = set;
    std::ranges::stable_sort(
        sets, [](std::size_t a, std::size_t b) { return std::popcount(a) > std::popcount(b); });
    for (const std::size_t set : sets) {
      const std::int64_t factor = factors[set];
      if (factor == 0) continue;
      std::vector<std::string> names;
      if (std::abs(factor) != 1 || set == 0) names.push_back(std::to_string(std::abs(factor)));
      for (std::size_t axis = 0; axis < draft_.axes.size(); ++axis) {
        if ((set >> axis & 1) != 0) names.push_back(draft_.axes[axis].name);
      }
      const char* sign = text.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
      text += fmt::format("{}{}", sign, fmt::join(names, " * "));
    }
    return text;
  }

 private:
  [[nodiscard]] std::int64_t size(std::size_t corner, std::size_t axis) const {
    return at_[corner]->elements_of({draft_.axes[axis].name}).value_or(0);
  }
  [[nodiscard]] std::int64_t value_of(const std::vector<std::int64_t>& factors, std::size_t corner) const {
    std::int64_t value = 0;
    for (std::size_t set = 0; set < factors.size(); ++set) {
      std::int64_t product = factors[set];
      for (std::size_t axis = 0; axis < draft_.axes.size(); ++axis) {
        if ((set >> axis & 1) != 0) product *= size(corner, axis);
      }
      value += product;
    }
    return value;
  }

  const Draft& draft_;
  std::vector<std::unique_ptr<ShapeFinder>> at_;
  bool ready_ = false;
};

/// Shapes of two axes or three, each with one more or as it is.
std::vector<Shape> grids_of(const Draft& draft) {
  std::vector<Shape> grids;
  const std::size_t count = draft.axes.size();
  for (std::size_t set = 1; set < std::size_t{1} << count; ++set) {
    if (std::popcount(set) < 2) continue;
    for (std::size_t more = 0; more < std::size_t{1} << count; ++more) {
      if ((more & ~set) != 0) continue;
      Shape grid;
      for (std::size_t axis = count; axis-- > 0;) {
        if ((set >> axis & 1) == 0) continue;
        grid.push_back(draft.axes[axis].name + ((more >> axis & 1) != 0 ? " + 1" : ""));
      }
      grids.push_back(grid);
      std::ranges::reverse(grid);
      grids.push_back(std::move(grid));
    }
  }
  return grids;
}

/// (ny + 3) rows of nx + 4, as where cells of a border lie around a grid. The sum says how much longer a row
/// (or a plane) is than its axis: by so many times the other axes it is more than their product. Of rows
/// there are the fewest that hold.
std::vector<Shape> bordered_grids(const Draft& draft, const std::vector<std::int64_t>& factors) {
  constexpr std::int64_t most_border = 64, most_rows = 16;
  const std::size_t count = draft.axes.size(), all = (std::size_t{1} << count) - 1;
  if (factors[all] != 1) return {};
  std::vector<Shape> grids;
  for (const bool as_told : {false, true}) {
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = as_told ? i : count - 1 - i;
    Shape grid{""};
    bool border = false;
    for (std::size_t i = 1; i < count; ++i) {
      const std::int64_t more = factors[all & ~(std::size_t{1} << order[i])];
      if (more < 0 || more > most_border) return {};
      border = border || more > 0;
      const std::string& name = draft.axes[order[i]].name;
      grid.push_back(more == 0 ? name : fmt::format("{} + {}", name, more));
    }
    for (std::int64_t more = 0; more <= most_rows && border; ++more) {
      const std::string& name = draft.axes[order[0]].name;
      grid[0] = more == 0 ? name : fmt::format("{} + {}", name, more);
      grids.push_back(grid);
    }
  }
  return grids;
}

/// The grid with the fewest elements behind these ends, at most a row and a half everywhere.
std::optional<FoundShape> holding_grid(const Draft& draft, const Corners& corners,
                                       const std::vector<std::int64_t>& ends,
                                       const std::vector<std::int64_t>& factors) {
  std::optional<FoundShape> found;
  std::int64_t fewest = 0;
  std::vector<Shape> grids = grids_of(draft);
  std::ranges::copy(bordered_grids(draft, factors), std::back_inserter(grids));
  for (const Shape& grid : grids) {
    std::int64_t all = 0, most = 0;
    bool holds = true;
    for (std::size_t at = 0; at < ends.size() && holds; ++at) {
      const ShapeFinder& one = *corners.at()[at];
      const std::int64_t unread = one.elements_of(grid).value_or(0) - ends[at];
      const std::int64_t row = one.elements_of({grid.back()}).value_or(0);
      holds = unread >= 0 && 2 * unread <= 3 * row;
      all += unread;
      most = std::max(most, unread);
    }
    if (!holds || (found && all >= fewest)) continue;
    fewest = all;
    found = FoundShape{grid, true, most};
  }
  return found;
}

/// Another array's certain shape that holds it, with at most a row and a half that this one leaves out.
struct Anothers {
  Shape shape;
  bool border = false;  ///< its rows are as long, and what is left out are no whole ones
  std::int64_t left = 0;
};
std::optional<Anothers> anothers_shape(const Draft& draft, const Corners& corners,
                                       const std::vector<std::int64_t>& ends,
                                       const std::vector<std::int64_t>& factors,
                                       const std::vector<std::optional<FoundShape>>& found, std::size_t own) {
  std::optional<Anothers> result;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i == own || !found[i] || !found[i]->exact || found[i]->shape.size() < 2) continue;
    bool holds = true, whole_rows = true;
    std::int64_t most = 0;
    std::vector<std::int64_t> all;
    for (std::size_t at = 0; at < ends.size() && holds; ++at) {
      const ShapeFinder& one = *corners.at()[at];
      all.push_back(one.elements_of(found[i]->shape).value_or(0));
      const std::int64_t left = all.back() - ends[at];
      const std::int64_t row = one.elements_of({found[i]->shape.back()}).value_or(0);
      holds = left >= 0 && 2 * left <= 3 * row;
      whole_rows = whole_rows && row > 0 && left % row == 0;
      most = std::max(most, left);
    }
    if (!holds) continue;
    // Rows as long have the same sum for all axes but one's, whichever is the row's.
    const std::vector<std::int64_t> others = corners.factors(all);
    const std::size_t every = (std::size_t{1} << draft.axes.size()) - 1;
    bool alike = !others.empty() && !whole_rows && others[every] == factors[every];
    for (std::size_t axis = 0; axis < draft.axes.size() && alike; ++axis) {
      const std::string& first = found[i]->shape.front();
      const std::string& name = draft.axes[axis].name;
      const std::size_t rest = every & ~(std::size_t{1} << axis);
      if (first != name && !first.starts_with(name + " ")) alike = others[rest] == factors[rest];
    }
    if (!result || (alike && (!result->border || most < result->left)))
      result = Anothers{found[i]->shape, alike, most};
  }
  return result;
}

/// Rows of an axis, the last of which is reached with whatever data.
std::optional<FoundShape> rows_to_the_last(const Draft& draft, const Corners& corners,
                                           const std::vector<ShapeFinder::Ends>& ends) {
  std::vector<Shape> grids = grids_of(draft);
  std::ranges::reverse(grids);  // as the axes were told: rows before what they have
  for (const Shape& grid : grids) {
    const bool plain =
        std::ranges::all_of(grid, [](const std::string& size) { return !size.ends_with("+ 1"); });
    bool holds = plain;
    std::int64_t most = 0;
    for (std::size_t at = 0; at < ends.size() && holds; ++at) {
      const ShapeFinder& one = *corners.at()[at];
      const std::int64_t all = one.elements_of(grid).value_or(0),
                         row = one.elements_of({grid.back()}).value_or(0);
      holds = ends[at].most <= all && ends[at].least > all - row;
      most = std::max(most, all - ends[at].most);
    }
    if (holds) return FoundShape{grid, false, most, true};
  }
  return std::nullopt;
}

}  // namespace

void settle_mixed_terms(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                        const std::vector<bool>& asked, std::uint64_t& spent,
                        std::vector<std::optional<FoundShape>>& found) {
  if (draft.axes.size() < 2 || draft.axes.size() > 3) return;
  std::unique_ptr<Corners> corners;
  // What is only written may have a shape that something else shows by reading more of it.
  std::vector<std::size_t> order(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return draft.arguments[i].role == "input"; });
  for (const std::size_t i : order) {
    const std::string& role = draft.arguments[i].role;
    if (!asked[i] || (found[i] && found[i]->exact) || role == "scalar") continue;
    if (corners == nullptr) corners = std::make_unique<Corners>(draft, artifact, whose, scale, spent);
    if (!corners->ready()) return;
    const bool read = role == "input" || role == "inout";
    std::vector<ShapeFinder::Ends> ends;
    for (const auto& at : corners->at()) {
      // Whether data counts shows at the first sizes; where it does not, one filling of the others is enough.
      const bool alike = !ends.empty() && ends.front().least == ends.front().most;
      std::optional<ShapeFinder::Ends> seen;
      if (at->takes(i) && alike) {
        if (const auto reached = at->reached(i)) seen = ShapeFinder::Ends{*reached, *reached};
      } else if (at->takes(i)) {
        seen = at->ends(i);
      }
      if (!seen || seen->most == 0) break;
      ends.push_back(*seen);
      if (ends.size() == 1 && seen->least != seen->most && !(read && rows_to_the_last(draft, *corners, ends)))
        break;
    }
    if (ends.size() < corners->at().size()) continue;
    if (ends.front().least != ends.front().most) {
      if (auto rows = rows_to_the_last(draft, *corners, ends)) found[i] = std::move(rows);
      continue;
    }
    std::vector<std::int64_t> reached;
    for (const ShapeFinder::Ends& seen : ends) reached.push_back(seen.most);
    const std::vector<std::int64_t> factors = corners->factors(reached);
    const bool few =
        std::ranges::all_of(factors, [](std::int64_t each) { return std::abs(each) <= most_times; });
    const auto product = std::ranges::count_if(factors, [](std::int64_t each) { return each != 0; });
    if (factors.empty() || !few || product < 2) continue;
    const auto another = anothers_shape(draft, *corners, reached, factors, found, i);
    if (another && another->border) {
      found[i] = FoundShape{another->shape, true, another->left};
    } else if (auto grid = read ? holding_grid(draft, *corners, reached, factors) : std::nullopt) {
      found[i] = std::move(grid);
    } else if (!another) {
      found[i] = FoundShape{{corners->text(factors)}, true};
    }
  }
}

}  // namespace evo::intake
