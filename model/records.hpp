// Arrays of structs whose members have several types: each run of members of one type is an argument of the
// problem, "points[].position", and all of one array are one buffer and one parameter of the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/variant.hpp"

namespace evo::model {

/// Of the argument "points[].position" the array, "points"; "" of one that is no member of an array of
/// structs.
[[nodiscard]] std::string_view record_of(std::string_view argument);

/// How one array of structs lies in memory, by the rules of C++ for plain structs.
struct RecordLayout {
  std::size_t first = 0;              ///< of its arguments; the others follow
  std::vector<std::int64_t> offsets;  ///< bytes in the struct, of each argument
  std::vector<std::int64_t> lengths;  ///< bytes of each in one struct
  std::int64_t bytes = 0;             ///< of a struct
  std::int64_t alignment = 1;         ///< of a struct, in bytes
  std::int64_t count = 0;             ///< structs
  [[nodiscard]] bool has(std::size_t argument) const {
    return argument >= first && argument < first + offsets.size();
  }
};

/// The arrays of structs among the arguments. The last dimension of a member's shape is its elements in one
/// struct; those before count structs.
[[nodiscard]] std::vector<RecordLayout> records_of(std::span<const BoundArgument> arguments);

/// Why the problem's arguments make no such arrays: members that do not stand together, or have other roles
/// or shapes than their neighbours. "" where they are fine.
[[nodiscard]] std::string record_objection(const std::vector<Argument>& arguments);

/// The arguments that a kernel gets as parameters where it takes all: of an array of structs the first, of
/// what is in a variable of the module none. Indices.
[[nodiscard]] std::vector<std::uint32_t> parameter_arguments(const std::vector<Argument>& arguments);
/// The same of a reference, which has no variables of a module: of an array of structs the first alone.
[[nodiscard]] std::vector<std::uint32_t> reference_arguments(const std::vector<Argument>& arguments);
/// The same of a case's arguments, for a launch plan: nothing where there is no array of structs.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> record_parameters(
    std::span<const BoundArgument> arguments);

}  // namespace evo::model
