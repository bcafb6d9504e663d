#include "evaluators/gates/integer_cases.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "evaluators/gates/integers_together.hpp"
#include "evaluators/gates/scalar_room.hpp"
#include "evaluators/gates/unusual_scalars.hpp"

namespace evo::evaluators::gates {
namespace {

/// Leaves nothing beyond the range, and adds both of its ends.
void keep_to(const model::ScalarRange& range, std::int64_t usual, std::vector<std::int64_t>& values) {
  for (const double end : {std::ceil(range.least), std::floor(range.most)}) {
    const auto value = static_cast<std::int64_t>(end);
    if (value != usual && std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  std::erase_if(values, [&](std::int64_t value) { return !range.has(static_cast<double>(value)); });
}

}  // namespace

void set_other_integers(CaseBuilder& to, const model::Workload& workload,
                        const std::map<std::size_t, std::vector<std::int64_t>>& further) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
    const model::BoundArgument& scalar = bound->arguments[i];
    if (!may_be_another(to.problem().arguments[i])) continue;
    std::vector<std::int64_t> values = other_integers(scalar.scalar_integer, scalar.dtype);
    if (const auto more = further.find(i); more != further.end())
      std::ranges::copy_if(more->second, std::back_inserter(values), [&](std::int64_t value) {
        return std::ranges::find(values, value) == values.end();
      });
    // Of a range each number is legal, also one whose next has the same answer.
    const auto& range = to.problem().arguments[i].range;
    if (range) keep_to(*range, scalar.scalar_integer, values);
    const std::vector<std::int64_t> windows = values;
    // All of an axis the other way round: a rotation, an offset, a shift to the left.
    for (const auto& [axis, size] : workload.axes) {
      const bool fresh = std::ranges::find(values, -size) == values.end() && -size != scalar.scalar_integer;
      if (range && fresh && range->has(static_cast<double>(-size))) values.push_back(-size);
    }
    const CaseUse use = range ? CaseUse::ranged : CaseUse::unusual;
    for (const std::int64_t value : values)
      to.add_scalar(use, workload, *bound, i, static_cast<double>(value));
    // Of what nobody says a range of, only those that are like the usual one.
    for (const std::int64_t value :
         values_with_room(range ? windows : other_integers(scalar.scalar_integer, scalar.dtype))) {
      for (const model::Workload& roomy : shapes_with_room(to.context(), to.genome(), workload, value)) {
        if (const auto at = to.bind(roomy)) to.add_scalar(use, roomy, *at, i, static_cast<double>(value));
      }
    }
  }
}

void set_integers_together(CaseBuilder& to, const model::Workload& workload,
                           const std::map<std::size_t, std::vector<std::int64_t>>& equal,
                           std::uint64_t entropy) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "integers together"});
  for (const auto& row : integers_together(to.problem(), *bound, equal, stream)) {
    model::CaseChanges changes;
    changes.scalars = row;
    changes.undeclared_scalar = row.begin()->first;
    to.add_named(CaseUse::ranged, workload, *bound, changes);
  }
}

void set_upper_end(CaseBuilder& to, const model::Workload& workload, std::size_t turn) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  std::vector<std::size_t> with_range;
  for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
    const model::Argument& declared = to.problem().arguments[i];
    if (may_be_another(declared) && declared.range) with_range.push_back(i);
  }
  if (with_range.empty()) return;
  const std::size_t scalar = with_range[turn % with_range.size()];
  const double most = std::floor(to.problem().arguments[scalar].range->most);
  if (most == static_cast<double>(bound->arguments[scalar].scalar_integer)) return;
  to.add_scalar(CaseUse::ranged, workload, *bound, scalar, most);
}

}  // namespace evo::evaluators::gates
