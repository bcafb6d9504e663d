#include "source/number_types.hpp"

#include <cstdlib>
#include <limits>
#include <string_view>

#include "source/tokens.hpp"

namespace evo::source {
namespace {

bool is_hexadecimal(const Token& token) {
  return token.text.starts_with("0x") || token.text.starts_with("0X");
}

bool ends_with_any(const Token& token, std::string_view letters) {
  return letters.find(token.text.back()) != std::string_view::npos;
}

}  // namespace

std::string with_float_numbers(const std::string& source) {
  std::string text;
  std::size_t done = 0;
  for (const Token& token : tokens_of(source)) {
    const bool floating = token.kind == TokenKind::number && !is_hexadecimal(token) &&
                          token.text.find_first_of(".eE") != std::string::npos;
    if (!floating || ends_with_any(token, "fFlL")) continue;
    // One beyond float stays a double: the compiler refuses it as a float.
    const double number = std::strtod(token.text.c_str(), nullptr);
    if (number != 0 &&
        (number < std::numeric_limits<float>::min() || number > std::numeric_limits<float>::max()))
      continue;
    text += source.substr(done, token.end() - done) + "f";
    done = token.end();
  }
  return text + source.substr(done);
}

std::string with_double_numbers(const std::string& source) {
  std::string text;
  std::size_t done = 0;
  for (const Token& token : tokens_of(source)) {
    const char* const marks = is_hexadecimal(token) ? "pP" : ".eE";
    const bool floating =
        token.kind == TokenKind::number && token.text.find_first_of(marks) != std::string::npos;
    if (!floating || !ends_with_any(token, "fF")) continue;
    text += source.substr(done, token.begin - done) + "(static_cast<double>(" + token.text + "))";
    done = token.end();
  }
  return text + source.substr(done);
}

}  // namespace evo::source
