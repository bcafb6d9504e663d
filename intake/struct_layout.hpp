// Structs by value as the compiler lays them out: a parameter of a kernel becomes its members.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "intake/types.hpp"

namespace evo::intake {

/// A number, a pointer, or an element of an array, in a struct or in a struct in it.
struct StructMember {
  std::string path;          ///< from the struct on: "rows", "centre.x", "weight[2]"
  std::string type;          ///< as C++ spells it: "float const*"
  std::uint32_t offset = 0;  ///< bytes
  std::uint32_t count = 1;   ///< elements, of an array of numbers in a struct that a pointer leads to
};

struct StructLayout {
  std::uint32_t bytes = 0, alignment = 1;
  std::vector<StructMember> members;  ///< in the order of their offsets; none of an empty class
  std::string objection;              ///< why its members cannot be had; "": they are all there
};

/// Compiles the kernel's text with `epilogue` behind it: the mangled name of `entry`, a kernel in there.
/// Nothing where it does not compile.
using AskName =
    std::function<std::optional<std::string>(const std::string& entry, const std::string& epilogue)>;

/// Of the parameter of the kernel whose `address` ("&k<float>") is said, counted from 0, whose type the
/// compiler spells `type`; of what a pointer points to. `texts` declare it.
[[nodiscard]] StructLayout layout_of(const AskName& ask, const std::vector<std::string>& texts,
                                     const std::string& address, std::size_t parameter,
                                     const std::string& type);

/// Whether a parameter of this type is a struct, an enum or a vector: no pointer, and no number of
/// problem.yaml.
[[nodiscard]] bool is_struct_type(const std::string& type);
/// "Node const*", a pointer to no number of problem.yaml: "Node"; "" of others.
[[nodiscard]] std::string struct_pointed_to(const std::string& type);
/// Of a struct whose members are numbers of one type without gaps: that type, as many lanes as members. Its
/// dtype is empty for others.
[[nodiscard]] ElementType element_of(const StructLayout& layout);
/// Of a member's type: 8 of a pointer.
[[nodiscard]] std::uint32_t bytes_of_type(const std::string& type);

}  // namespace evo::intake
