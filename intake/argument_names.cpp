#include "intake/argument_names.hpp"

#include <algorithm>
#include <cctype>

namespace evo::intake {

std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

const DraftAxis* axis_named(const std::vector<DraftAxis>& axes, const std::string& name) {
  for (const bool exact : {true, false}) {
    for (const DraftAxis& axis : axes) {
      if (exact ? axis.name == name : in_small_letters(axis.name) == in_small_letters(name)) return &axis;
    }
  }
  return nullptr;
}

}  // namespace evo::intake
