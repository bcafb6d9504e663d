// What the lines behind each cause look like.
#pragma once

#include <span>
#include <string_view>

namespace evo::diagnose {

struct SuspectPattern {
  std::string_view rule;     ///< of the rule base
  std::string_view fact;     ///< must be there; "" for none
  std::string_view pattern;  ///< ECMAScript, searched in a line without its comment
  std::string_view why;
};

/// In the order in which they are tried: the first that some line matches counts.
[[nodiscard]] std::span<const SuspectPattern> suspect_patterns();

}  // namespace evo::diagnose
