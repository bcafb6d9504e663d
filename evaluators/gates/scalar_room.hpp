// Shapes in which an integer scalar that is far from the usual one has room: a stretch of 200 elements is cut
// off at the border of an axis of 41, and what a kernel makes of a whole one never shows there.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/gates/bound_variant.hpp"

namespace evo::evaluators::gates {

/// Larger ones are counts, masks or seeds: no axis that a test has time for has room for them.
inline constexpr std::int64_t most_of_a_window = 4096;

/// Which of `values` are shown with room: the one of largest size and one in the middle, of those of size 2
/// to most_of_a_window.
[[nodiscard]] std::vector<std::int64_t> values_with_room(std::vector<std::int64_t> values);

/// `workload` with each free axis in turn so long that `value` elements lie on both sides of one that is in
/// no block at the border: twice the value and more than two blocks. Where that is too much, 10 and 5 eighths
/// of the value: a kernel that takes less than half of it shows. Light ones, within the genome's domain; none
/// of an axis that is as long already or may not be so long.
[[nodiscard]] std::vector<model::Workload> shapes_with_room(const TemplateContext& context,
                                                            const model::Genome& genome,
                                                            const model::Workload& workload,
                                                            std::int64_t value);

}  // namespace evo::evaluators::gates
