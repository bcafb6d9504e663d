// What the lines behind each cause look like.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace evo::diagnose {

enum class Look : std::uint8_t {
  text,         ///< lines that match
  named,        ///< of these those that give a value to a name that stands where the first finding points
  hook_factor,  ///< lines that match and make what the first wrong stage's hook multiplies by
  factor_use,   ///< lines that match and multiply by what a line with one of the rule's words makes
};

struct SuspectPattern {
  std::string_view rule;     ///< of the rule base
  std::string_view fact;     ///< must be there; "" for none
  std::string_view pattern;  ///< ECMAScript, searched in a line without its comment
  std::string_view why;
  Look look = Look::text;
};

/// In the order in which they are tried: the first that some line matches counts.
[[nodiscard]] std::span<const SuspectPattern> suspect_patterns();

}  // namespace evo::diagnose
