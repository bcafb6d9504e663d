#include "evaluators/gates/crossed_changes.hpp"

#include <algorithm>
#include <optional>

#include "evaluators/oracle/elements.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t vector_access_bytes = 16;
constexpr std::size_t aligned = 1, odd = 2;  // levels of strides; the next is packed
constexpr std::size_t another = 1;           // of scalars; the next is one

}  // namespace

CrossedChanges::CrossedChanges(const model::Problem& problem) : groups_(model::stride_groups(problem)) {
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    const model::Argument& argument = problem.arguments[i];
    // Of a neutral one only the value that is declared changes nothing; a fixed one has no other.
    if (argument.role == model::ArgumentRole::scalar && oracle::is_floating(argument.dtype) &&
        !argument.neutral && !argument.fixed)
      scalars_.push_back(i);
    if (argument.range) ranges_.emplace(i, *argument.range);
  }
}

model::CaseChanges CrossedChanges::draw(const model::Case& bound, const ParameterLevels& levels,
                                        model::RandomStream& stream) const {
  model::CaseChanges all;
  std::int64_t step = 1;
  for (const model::StrideGroup& group : groups_) {
    if (levels.strides == 0) break;
    std::optional<model::CaseChanges> changes;
    if (levels.strides == aligned || levels.strides == odd) {
      const std::int64_t size = model::size_of(bound.arguments[group.arrays.front()].dtype);
      const std::int64_t vector = std::max<std::int64_t>(vector_access_bytes / size, 1);
      std::map<std::size_t, std::int64_t> pads;
      for (const auto& [dimension, told] : group.scalars) {
        pads[dimension] = levels.strides == aligned ? vector * step : 2 * step - 1;
        ++step;
      }
      changes = model::padded_strides(group, bound, pads);
    } else {
      changes = model::packed_strides(group, bound);
    }
    if (!changes) continue;
    all.strides.insert(changes->strides.begin(), changes->strides.end());
    all.scalars.insert(changes->scalars.begin(), changes->scalars.end());
  }
  for (const std::size_t i : scalars_) {
    if (levels.scalars == 0) break;
    const model::BoundArgument& scalar = bound.arguments[i];
    const double usual = scalar.scalar_float == 0 ? 1 : scalar.scalar_float;
    double value = usual < 0 ? -1 : 1;
    // The sign stays, which a kernel may count on.
    if (levels.scalars == another)
      value = usual * (stream.below(2) == 0 ? 0.5 : 2) * (0.75 + 0.5 * stream.uniform());
    if (const auto range = ranges_.find(i); range != ranges_.end())
      value = std::clamp(value, range->second.least, range->second.most);
    // As the kernel gets it, so that the reference multiplies with the same number.
    all.scalars[i] =
        scalar.dtype == model::DType::f64 ? value : static_cast<double>(static_cast<float>(value));
  }
  return all;
}

bool CrossedChanges::rescales(const model::CaseChanges& changes) const {
  return std::ranges::any_of(scalars_, [&](std::size_t i) { return changes.scalars.contains(i); });
}

}  // namespace evo::evaluators::gates
