// C++ types of kernel parameters as the element types of problem.yaml.
#pragma once

#include <string>
#include <string_view>

namespace evo::intake {

struct ElementType {
  std::string dtype;  ///< "" where problem.yaml has none for it
  int lanes = 1;      ///< elements of a vector type: 4 of float4
  bool pointer = false;
  bool constant = false;   ///< what it points to is const
  bool structure = false;  ///< the lanes are members of a struct, which is aligned as one of them
  [[nodiscard]] bool floating() const { return dtype.starts_with("f") || dtype == "bf16"; }
};

/// "float const*", "const __half *", "unsigned int". Template parameters are not looked up.
[[nodiscard]] ElementType element_type(std::string_view type);

/// The type as a reference gets it: EVO_REAL for what floats.
[[nodiscard]] std::string reference_type(const std::string& dtype);
/// Bytes of an element; 4 of one that is not known.
[[nodiscard]] int bytes_of(const std::string& dtype);

}  // namespace evo::intake
