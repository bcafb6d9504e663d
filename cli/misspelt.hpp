// What a word of the command line was meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evo::cli {

/// "unknown verb 'rnu'; did you mean 'run'?", or all verbs when none is near.
[[nodiscard]] std::string unknown_verb(std::string_view word, const std::vector<std::string>& verbs);

/// The first of `words`, which a verb did not expect, that looks like an option, without "=value"; nothing
/// where none does. A negative number does not.
[[nodiscard]] std::optional<std::string> first_option(const std::vector<std::string>& words);

/// "run has no option '--sed'; did you mean '--seed'?" `options` are the long ones, as one types them:
/// between single letters nothing is near.
[[nodiscard]] std::string unknown_option(std::string_view verb, std::string_view word,
                                         const std::vector<std::string>& options);

}  // namespace evo::cli
