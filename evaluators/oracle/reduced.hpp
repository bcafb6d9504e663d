// Outputs whose slices are combined, or whose order does not count, before they are compared
// (model::Reduction).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "evaluators/oracle/compare.hpp"

namespace evo::evaluators::oracle {

/// compare() of an output that is reduced: slices are combined in double and rounded to the output's type;
/// elements of a sorted one are compared by rank, NaNs last, and so are those of the reference. An element of
/// any slice that still holds the poison is unwritten (of types of fewer than four bytes: where the result is
/// wrong). Ignores options.written: a part of the blocks has no whole element.
[[nodiscard]] Comparison compare_reduced(const model::BoundArgument& argument,
                                         std::span<const std::byte> actual, std::span<const double> reference,
                                         const CompareOptions& options);

/// What a kernel left in an output, as one slice: the bytes themselves where there are no others.
[[nodiscard]] std::vector<std::byte> as_one_slice(const model::BoundArgument& argument,
                                                  std::span<const std::byte> actual);

/// `bytes` holds an answer in the first slice: fills the others so that all of them reduce to it.
void spread_slices(const model::BoundArgument& argument, std::span<std::byte> bytes);

}  // namespace evo::evaluators::oracle
