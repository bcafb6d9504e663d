// A race, as the gates found it, and the barriers that would order it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/verdict.hpp"
#include "mutators/source_mutator.hpp"

namespace evo::mutators {

inline constexpr std::string_view race_repair_name = "race_repair";

/// Two accesses that nothing orders, by their lines in the kernel's file.
struct Race {
  int line = 0, other_line = 0;
  bool same_warp = false;  ///< the threads that were named are of one warp
  bool blocks = false;     ///< ... of two blocks, which no barrier orders
};

/// The races among findings; those in `file` only (empty: in any).
[[nodiscard]] std::vector<Race> races_of(const std::vector<model::Evidence>& evidence, std::string_view file);

/// Barriers between the two accesses, the likeliest first: where a barrier stood that `made` took away or
/// changed, that one again; then the weakest that can order them on the path between; then the full one at
/// the end of the loop that both are in, in front of it and behind it. Between two blocks it is a fence
/// behind the first access, in front of the second, and both: there the two speak by an atomic, or do not.
/// Each is a whole list of edits: `made`, mended.
[[nodiscard]] std::vector<source::Edits> race_repairs(const EditedSource& source, const source::Edits& made,
                                                      const std::vector<Race>& races);

}  // namespace evo::mutators
