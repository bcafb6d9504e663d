// Names of files as they may stand in sources, in PTX, in messages and in JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evo::model {

/// The name with every character that `#line "..."`, ptxas (which reads ASCII only) or a line of text could
/// not hold as it is, replaced by '_'; blanks stay. "candidate.cu" for an empty one.
[[nodiscard]] std::string plain_file_name(std::string_view name);

/// "k.cu:12", or what is known of it: "k.cu", "line 12", "" (line 0: none).
[[nodiscard]] std::string place_text(std::string_view file, int line);

/// Bytes of the UTF-8 character that the text begins with; 0 if it begins with none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

}  // namespace evo::model
