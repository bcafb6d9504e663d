#include "evaluators/gates/stride_cases.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/layout.hpp"
#include "model/stride_groups.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t vector_bytes = 16;
/// More elements than 32 bits count, signed or not, also of bytes that are cut off; keeps vectors aligned.
constexpr std::int64_t far_pad = (std::int64_t{1} << 35) + 8;
/// Strides of more elements than 16 bits count, of an array that stays below so many bytes with them.
constexpr std::int64_t wide_pad = 65536, most_wide_bytes = std::int64_t{48} << 20;

std::vector<std::string> names_of(const model::StrideGroup& group, const model::Case& bound) {
  std::vector<std::string> names;
  for (const std::size_t array : group.arrays) names.push_back(bound.arguments[array].name);
  return names;
}

/// What lies outside of a far dimension is far as well: its scalars have to hold that.
bool tells_all_in_64_bits(const model::StrideGroup& group, const model::Case& bound,
                          const model::CaseChanges& changes) {
  return std::ranges::all_of(group.scalars, [&](const auto& told) {
    return std::ranges::all_of(told.second, [&](std::size_t scalar) {
      return model::size_of(bound.arguments[scalar].dtype) == sizeof(std::int64_t) ||
             changes.scalars.at(scalar) <= std::numeric_limits<std::int32_t>::max();
    });
  });
}

}  // namespace

void change_strides(CaseBuilder& to, const model::Workload& workload) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  for (const model::StrideGroup& group : model::stride_groups(to.problem())) {
    const std::vector<std::string> names = names_of(group, *bound);
    const std::int64_t size = model::size_of(bound->arguments[group.arrays.front()].dtype);
    const std::int64_t vector = std::max<std::int64_t>(vector_bytes / size, 1);
    if (const auto changes = model::packed_strides(group, *bound)) {
      to.add(CaseUse::changed, workload,
             fmt::format("{}, packed strides of {}", workload.name, fmt::join(names, ", ")), *changes);
    }
    for (const char* manner : {"aligned", "odd", "mixed"}) {
      std::map<std::size_t, std::int64_t> pads;
      bool odd = *manner == 'o';
      for (const auto& [dimension, scalars] : group.scalars) {
        const auto any = static_cast<std::int64_t>(to.stream().below(3));
        pads[dimension] = odd ? 1 + 2 * any : vector * (1 + any);
        if (*manner == 'm') odd = !odd;
      }
      if (const auto changes = model::padded_strides(group, *bound, pads)) {
        to.add(CaseUse::changed, workload,
               fmt::format("{}, {} strides of {}", workload.name, manner, fmt::join(names, ", ")), *changes);
      }
    }
  }
}

void widen_strides(CaseBuilder& to, const model::Workload& workload) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  for (const model::StrideGroup& group : model::stride_groups(to.problem())) {
    std::map<std::size_t, std::int64_t> pads;
    for (const auto& [dimension, scalars] : group.scalars)
      pads[dimension] = wide_pad + 8 * (1 + static_cast<std::int64_t>(to.stream().below(3)));
    const auto changes = model::padded_strides(group, *bound, pads);
    if (!changes) continue;
    const auto changed = to.bind(workload, *changes);
    if (!changed || oracle::case_bytes(*changed) > most_wide_bytes) continue;
    to.add(CaseUse::changed, workload,
           fmt::format("{}, wide strides of {}", workload.name, fmt::join(names_of(group, *bound), ", ")),
           *changes);
  }
}

void part_strides(CaseBuilder& to, const model::Workload& workload) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  std::map<std::size_t, model::CaseChanges> by_dimension;
  for (const model::StrideGroup& group : model::stride_groups(to.problem())) {
    for (const auto& [dimension, of_it] : group.scalars) {
      if (bound->arguments[group.arrays.front()].shape[dimension] < 2) continue;
      // What lies outside of it has to stay as far from its last part.
      const auto& strides = bound->arguments[group.arrays.front()].strides;
      std::map<std::size_t, std::int64_t> pads;
      for (const auto& [outer, told] : group.scalars) {
        if (strides[outer] >= strides[dimension]) pads[outer] = far_pad;
      }
      const auto changes = model::padded_strides(group, *bound, pads);
      if (!changes || !tells_all_in_64_bits(group, *bound, *changes)) continue;
      model::CaseChanges& all = by_dimension[dimension];
      all.strides.insert(changes->strides.begin(), changes->strides.end());
      all.scalars.insert(changes->scalars.begin(), changes->scalars.end());
    }
  }
  for (const auto& [dimension, changes] : by_dimension)
    to.add(CaseUse::changed, workload,
           fmt::format("{}, far strides in dimension {}", workload.name, dimension), changes);
}

void pack_strides(CaseBuilder& to, const model::Workload& workload) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  model::CaseChanges all;
  for (const model::StrideGroup& group : model::stride_groups(to.problem())) {
    if (const auto changes = model::packed_strides(group, *bound)) {
      all.strides.insert(changes->strides.begin(), changes->strides.end());
      all.scalars.insert(changes->scalars.begin(), changes->scalars.end());
    }
  }
  if (!all.strides.empty())
    to.add(CaseUse::changed, workload, workload.name + ", packed strides of all", all);
}

}  // namespace evo::evaluators::gates
