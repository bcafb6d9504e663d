// Arrays of structs with members of several types: their fields, and how large a struct is.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/struct_layout.hpp"

namespace evo::intake {

/// The members of a struct, neighbours of one type together, but for those whose names are `alone`. Empty
/// where one is a pointer or of no type that problem.yaml has, or where C++ would not lay them out as they
/// are.
[[nodiscard]] std::vector<DraftField> fields_of(const StructLayout& layout,
                                                const std::set<std::string>& alone = {});

/// Where the fields begin, and behind them the bytes of a struct. `wide`: as a reference has it, what floats
/// being double.
[[nodiscard]] std::vector<std::int64_t> field_offsets(const std::vector<DraftField>& fields, bool wide);

}  // namespace evo::intake
