#include "config/special_values.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <string>

namespace evo::config {
namespace {

constexpr std::array nan_names{"isnan",  "__isnan",  "__isnanf",   "__isnand",
                               "isnanf", "__hisnan", "isunordered"};
constexpr std::array infinity_names{"isinf", "__isinf", "__isinff", "__isinfd", "isinff", "__hisinf"};
constexpr std::array both_names{"isfinite", "__isfinited", "__finitef", "__finite", "finite", "fpclassify"};

bool is_of_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Without comments, and with empty strings and characters.
std::string code_of(std::string_view source) {
  std::string code;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::string_view rest = source.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(source.find('\n', i), source.size()) - 1;
    } else if (rest.starts_with("/*")) {
      i = std::min(source.find("*/", i + 2), source.size() - 2) + 1;
      code += ' ';
    } else if (source[i] == '"' || (source[i] == '\'' && !(i > 0 && is_of_word(source[i - 1])))) {
      const char quote = source[i];
      for (++i; i < source.size() && source[i] != quote && source[i] != '\n'; ++i) i += source[i] == '\\';
      code += ' ';
    } else {
      code += source[i];
    }
  }
  return code;
}

template <std::size_t count>
bool calls(const std::string& code, const std::array<const char*, count>& names) {
  return std::ranges::any_of(names, [&](const char* name) {
    return std::regex_search(code, std::regex("\\b" + std::string(name) + "\\s*\\("));
  });
}

}  // namespace

model::SpecialValues named_special_values(std::string_view source) {
  const std::string code = code_of(source);
  // A name, or an element of one, beside itself: no part of a sum or of a product.
  static const std::regex differs_from_itself(
      R"((^|[(!=,;{}&|?:]|\breturn)\s*([A-Za-z_]\w*(\s*\[[^\[\]]*\]|\.\w+)*)\s*[!=]=\s*\2\s*($|[)?;,&|}:]))");
  static const std::string infinity =
      R"((INFINITY|HUGE_VALF?|CUDART_INF(_F)?|(std\s*::\s*)?numeric_limits\s*<\s*\w+\s*>\s*::\s*infinity\s*\(\s*\)))";
  static const std::regex compares(R"(([!=]=|[<>]=?)\s*-?\s*)" + infinity + "|" + infinity +
                                   R"(\s*([!=]=|[<>]=?))");
  const bool both = calls(code, both_names);
  model::SpecialValues named;
  named.nan = both || calls(code, nan_names) || std::regex_search(code, differs_from_itself);
  named.infinity = both || calls(code, infinity_names) || std::regex_search(code, compares);
  return named;
}

void infer_special_values(std::string_view source, std::vector<model::Argument>& arguments) {
  model::SpecialValues named = named_special_values(source);
  if (!named.nan && !named.infinity) return;
  named.inferred = true;
  for (model::Argument& argument : arguments) {
    if (model::is_given(argument.role) && model::is_floating(argument.dtype) &&
        model::size_of(argument.dtype) >= 2 && !argument.fill && !argument.special)
      argument.special = named;
  }
}

}  // namespace evo::config
