// Arrays that a function declares, as operators on the text see them.
#pragma once

#include <string>
#include <vector>

#include "mutators/source_mutator.hpp"

namespace evo::mutators {

/// `T name[A][B]...` with one declarator.
struct Array {
  std::size_t node = 0;  ///< its declaration
  std::string name;
  std::string type;                     ///< words in front of the name, without __shared__
  std::vector<source::Span> lengths{};  ///< between the brackets
  std::size_t end = 0;                  ///< the token behind the last bracket
  bool shared = false;
  bool fixed = false;  ///< static, extern, const or constexpr
};

/// All of what the kernels reach, in the order of the text.
[[nodiscard]] std::vector<Array> arrays_of(const EditedSource& source);

}  // namespace evo::mutators
