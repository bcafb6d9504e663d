// The value of a preprocessor's condition.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "source/tokens.hpp"

namespace evo::source {

/// A macro's replacement. `parameters` only where it is function-like.
struct Macro {
  std::optional<std::vector<std::string>> parameters;
  std::vector<Token> replacement;
};
using Macros = std::map<std::string, Macro, std::less<>>;

/// What #if makes of these tokens; nullopt where it is no integer expression.
[[nodiscard]] std::optional<std::int64_t> condition_value(const std::vector<Token>& condition,
                                                          const Macros& macros);

}  // namespace evo::source
