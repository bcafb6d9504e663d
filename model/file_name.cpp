#include "model/file_name.hpp"

namespace evo::model {

std::string plain_file_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 && byte < 0xc0) continue;  // of the character before it
    const bool kept = byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\' && c != '?';
    plain += kept ? c : '_';
  }
  return plain.empty() ? "candidate.cu" : plain;
}

std::string place_text(std::string_view file, int line) {
  if (line <= 0) return std::string(file);
  return file.empty() ? "line " + std::to_string(line) : std::string(file) + ":" + std::to_string(line);
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0 ? 2U : first >= 0xe0 && first < 0xf0 ? 3U : 4U;
  if (first < 0xc2 || first >= 0xf5 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0)) return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90)) return 0;
  return length;
}

}  // namespace evo::model
