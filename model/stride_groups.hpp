// Which arrays may have strides of their own: those whose strides the kernel is told by scalars of its own.
//
// A kernel that gets the strides of O apart from those of Q must use them apart, and nothing notices that it
// does not as long as both are equal. So evo has to know which scalar tells which array's stride: the problem
// says it with `stride(D, A, ...)`, or only one scalar has the expression of a stride, and it is no size of
// anything.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::model {

/// Arrays that share the scalars which tell their strides, and so change together. Indices are those of
/// Problem::arguments.
struct StrideGroup {
  std::vector<std::size_t> arrays;
  std::map<std::size_t, std::vector<std::size_t>> scalars;  ///< dimension -> the scalars that tell its stride
};

/// The groups of a problem, in the order of their first arrays; empty if no kernel is told a stride.
[[nodiscard]] std::vector<StrideGroup> stride_groups(const Problem& problem);

/// Strides of the group with `pads` elements more in each dimension that may change (a dimension's pad; those
/// that are missing get none), made large enough that no two elements meet. nullopt where a stride that may
/// not change would have to, or nothing changes.
[[nodiscard]] std::optional<CaseChanges> padded_strides(const StrideGroup& group, const Case& bound,
                                                        const std::map<std::size_t, std::int64_t>& pads);

/// Strides of the group as small as they can be without two elements meeting; nullopt where they are so
/// already.
[[nodiscard]] std::optional<CaseChanges> packed_strides(const StrideGroup& group, const Case& bound);

}  // namespace evo::model
