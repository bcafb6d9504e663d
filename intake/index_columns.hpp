// Rows of a few numbers of which each leads to an axis of its own: an edge's ends, a voxel's place, a box's
// image.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/index_codes.hpp"
#include "intake/request.hpp"
#include "intake/signature.hpp"

namespace evo::intake {

/// Takes 'boxes[0]: {fill: ...}' out of the flags, where `boxes` is a pointer of the kernel's: the columns by
/// the array's name. Throws model::Exception (usage) for anything but fill: and unused: of one.
[[nodiscard]] std::map<std::string, std::vector<DraftColumn>> take_column_flags(
    std::vector<ArgumentFlag>& flags, const std::vector<Parameter>& parameters);

/// Whether the array is rows of 2 to 16 numbers, of which some may lead somewhere, and nobody has said what
/// they hold.
[[nodiscard]] bool may_have_columns(const DraftArgument& argument);

/// The columns of the array that may not hold any number, with the fill: of each, as `codes` of `draft` show
/// it. The draft is as it was afterwards.
[[nodiscard]] std::vector<DraftColumn> find_index_columns(Draft& draft, const IndexCodes& codes,
                                                          std::size_t argument);

/// The one fill: of all columns, where it is one: ends of edges. Nothing where they differ, or some have
/// none.
[[nodiscard]] std::optional<std::string> same_for_all(const DraftArgument& argument,
                                                      const std::vector<DraftColumn>& columns);

/// The columns of which something is known become fields of their own, c0, c1, ...: as an array of structs.
/// Throws model::Exception (usage) where they are none of the array's.
void split_columns(DraftArgument& argument);

/// "bottom_rois[0] holds {integers: [0, batch - 1]}", of each that was found.
[[nodiscard]] std::vector<std::string> column_notes(const DraftArgument& argument);

}  // namespace evo::intake
