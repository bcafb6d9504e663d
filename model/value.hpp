// A value that an expression can name: a checked 64-bit integer or a symbol such as "half".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace evo::model {

using Value = std::variant<std::int64_t, std::string>;

/// Names visible to an expression: genes (upper case), axes (lower case), limits of the target.
using Environment = std::map<std::string, Value, std::less<>>;

/// "64" or "half": the spelling used in genomes, ledgers and macros.
[[nodiscard]] std::string to_string(const Value& value);

}  // namespace evo::model
