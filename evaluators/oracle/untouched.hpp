// Does an output still hold what was there before the launch: poison, zeros, or an inout's own contents?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "evaluators/oracle/compare.hpp"

namespace evo::evaluators::oracle {

/// What was there before the launch may be correct, too: only the poison is never.
[[nodiscard]] bool is_given(const CompareOptions& options);

/// Does an element (`size` bytes at `offset`) hold what was there before the launch?
[[nodiscard]] bool is_untouched(const CompareOptions& options, std::span<const std::byte> actual,
                                std::int64_t offset, std::int64_t size);

/// Bytes between the output's elements that are no longer the poison.
[[nodiscard]] std::int64_t count_gap_bytes(const model::BoundArgument& argument,
                                           std::span<const std::byte> actual, std::uint32_t pattern);

}  // namespace evo::evaluators::oracle
