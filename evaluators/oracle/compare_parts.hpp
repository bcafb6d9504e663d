// Outputs of which some elements are compared: rows of a sample, what some blocks wrote, all that is finite.
#pragma once

#include <cstddef>
#include <span>

#include "evaluators/oracle/compare.hpp"

namespace evo::evaluators::oracle {

/// Deviations that a comparison tells, the worst first.
inline constexpr std::size_t worst_kept = 5;

/// Errors of the sampled rows; of all others, whether they are written and finite.
[[nodiscard]] Comparison compare_rows(const model::BoundArgument& argument, std::span<const std::byte> actual,
                                      std::span<const double> reference, const CompareOptions& options);

/// The elements that a launch of some blocks wrote, packed, as an output of their own.
[[nodiscard]] Comparison compare_written(const model::BoundArgument& argument,
                                         std::span<const std::byte> actual, std::span<const double> reference,
                                         const CompareOptions& options);

/// NaN or infinite, as the type rounds it.
[[nodiscard]] bool is_special(model::DType dtype, double reference);

/// Elements that the reference says are NaN or infinite, one by one; the others as an output of their own.
[[nodiscard]] Comparison compare_special(const model::BoundArgument& argument,
                                         std::span<const std::byte> actual, std::span<const double> reference,
                                         const CompareOptions& options);

}  // namespace evo::evaluators::oracle
