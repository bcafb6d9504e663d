// Where the arrays of a case begin. A caller's view may start at any element of an array, so nothing but the
// alignment of an element is promised, and each array stands for itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/random.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// Bytes past a 256-byte boundary, one entry an argument (0 for scalars).
using Placement = std::vector<std::uint32_t>;

/// Distances that keep 16-byte accesses aligned. They differ, so that a kernel may not count on 32 or 128.
inline constexpr unsigned alignment_count = 4;
[[nodiscard]] std::uint32_t misalignment(unsigned shift);

/// The i-th array at misalignment(shift + i), so that neighbours differ; below it where the problem aligns it
/// to more than 16 bytes.
[[nodiscard]] Placement in_turn(const model::Case& bound, unsigned shift);

/// in_turn(), and after each round of it once every array at a boundary of 256 bytes, as cudaMalloc() gives
/// it.
[[nodiscard]] Placement in_turn_or_aligned(const model::Case& bound, std::size_t check);
inline constexpr unsigned placement_count = alignment_count + 1;

/// Each array, apart from the others, at every multiple of its element's size below 16; the others keep
/// 16-byte accesses aligned.
[[nodiscard]] std::vector<Placement> each_apart(const model::Case& bound);

/// The k-th array (of those that may, counted round and round), apart from the others, at a drawn one of
/// those; empty where no array may begin elsewhere than at 16 bytes.
[[nodiscard]] Placement one_apart(const model::Case& bound, std::size_t k, model::RandomStream& stream);

/// All arrays, and each two of them, equally far from 16-byte alignment, the others aligned, and each two so
/// that the sum of their addresses is aligned: who judges one array by another, by their difference or by
/// their sum is wrong there.
[[nodiscard]] std::vector<Placement> alike(const model::Case& bound, model::RandomStream& stream);

/// Every array one element past a boundary of 16 bytes.
[[nodiscard]] Placement none_aligned(const model::Case& bound);

/// Every array at a drawn multiple of its element's size below 256.
[[nodiscard]] Placement anywhere(const model::Case& bound, model::RandomStream& stream);

/// "Q +2, K +16": the arrays that do not begin at a 256-byte boundary.
[[nodiscard]] std::string text_of(const Placement& placement, const model::Case& bound);

}  // namespace evo::evaluators::gates
