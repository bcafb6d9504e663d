// Base64 (RFC 4648, with padding), for machine code inside JSON.
#pragma once

#include <string>
#include <string_view>

namespace evo::evaluators::gates {

[[nodiscard]] std::string encode_base64(std::string_view bytes);
/// Throws std::runtime_error on anything that encode_base64 would not have written.
[[nodiscard]] std::string decode_base64(std::string_view text);

}  // namespace evo::evaluators::gates
