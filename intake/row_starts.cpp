#include "intake/row_starts.hpp"

#include <cctype>
#include <string>

namespace evo::intake {

bool has_one_more(const DraftArgument& argument) {
  if (argument.shape.size() != 1) return false;
  std::string size = argument.shape[0];
  std::erase_if(size, [](unsigned char c) { return std::isspace(c) != 0; });
  return size.ends_with("+1") ||
         (size.starts_with("1+") && size.find_first_of("+-*/(", 2) == std::string::npos);
}

}  // namespace evo::intake
