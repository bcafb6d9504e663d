#include "evaluators/gates/base64.hpp"

#include <cstdint>
#include <stdexcept>

namespace evo::evaluators::gates {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint32_t digit(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0' + 52);
  if (c == '+') return 62;
  if (c == '/') return 63;
  throw std::runtime_error("base64: a character outside the alphabet");
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = (group << 8) | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : alphabet[(group >> (18 - 6 * j)) & 63];
    }
  }
  return text;
}

std::string decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) throw std::runtime_error("base64: the length is no multiple of 4");
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t padding = !last ? 0 : text[i + 2] == '=' ? 2 : text[i + 3] == '=' ? 1 : 0;
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const bool padded = j >= 4 - padding;
      if (padded && text[i + j] != '=') throw std::runtime_error("base64: wrong padding");
      group = (group << 6) | (padded ? 0 : digit(text[i + j]));
    }
    if ((group & ((1U << (8 * padding)) - 1)) != 0)
      throw std::runtime_error("base64: stray bits in the padding");
    for (std::size_t j = 0; j < 3 - padding; ++j) bytes += static_cast<char>((group >> (16 - 8 * j)) & 0xff);
  }
  return bytes;
}

}  // namespace evo::evaluators::gates
