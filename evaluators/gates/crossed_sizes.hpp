// Sizes of an axis by class: what a kernel may choose its path by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/problem.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {

enum class SizeClass : std::uint8_t {
  tiny,         ///< 1 to 7
  ragged,       ///< up to some hundreds: an odd multiple of 1, 2, 4, 8 or 16
  whole,        ///< a multiple of 32, up to 160
  own,          ///< the workload's
  large,        ///< beyond 8 bits, ragged
  large_whole,  ///< a multiple of 256, up to 1280
  huge,         ///< beyond 1024, ragged
  huge_whole,   ///< a multiple of 1024
};
inline constexpr std::size_t size_classes = 8;

/// A drawn size of this class, as near as the axis allows.
[[nodiscard]] std::int64_t size_of_class(const model::Axis& axis, SizeClass which, std::int64_t own,
                                         model::RandomStream& stream);

/// `value`, or where the axis ends before it, a drawn value in the axis's last quarter: its end may be a
/// round number.
[[nodiscard]] std::int64_t short_of_maximum(const model::Axis& axis, std::int64_t value,
                                            model::RandomStream& stream);

/// Workloads in which one of `axes` is the sum of two others, or their product: six triples at most. The
/// other axes are small.
[[nodiscard]] std::vector<model::Workload> related_triples(const model::Workload& own,
                                                           const std::vector<const model::Axis*>& axes,
                                                           model::RandomStream& stream);

/// No compile-time constant, and its legal values are listed or 16 at most: a flag, or a small count.
[[nodiscard]] bool is_flag(const model::Axis& axis);

/// Legal values of a flag, in the problem's order; of more than four that nobody listed the ends, the initial
/// one and the one between.
[[nodiscard]] std::vector<std::int64_t> values_of(const model::Axis& flag);

}  // namespace evo::evaluators::gates
