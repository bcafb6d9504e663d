#include "config/scalar_value.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "model/real_expression.hpp"
#include "model/real_parser.hpp"

namespace evo::config {
namespace {

/// "0, Q, K": the dimension, then the arrays. Which expression that is, is known once all arguments are read.
void read_stride(const Reader& reader, const std::string& text, model::ScalarValue& value) {
  std::vector<std::string> words;
  std::stringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    const std::size_t begin = word.find_first_not_of(" \t"), end = word.find_last_not_of(" \t");
    words.push_back(begin == std::string::npos ? "" : word.substr(begin, end - begin + 1));
  }
  const bool number = !words.empty() && words[0].size() == 1 && std::isdigit(words[0][0]) != 0;
  if (!number || words.size() < 2)
    reader.fail("expected stride(DIMENSION, ARRAY, ...), for example stride(0, Q, K)");
  value.dimension = static_cast<std::size_t>(words[0][0] - '0');
  value.stride_of.assign(words.begin() + 1, words.end());
}

/// "0.5", "-1e-3": a number that is no integer.
std::optional<double> real_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool real = text.find_first_of(".eE") != std::string::npos;
  if (!real || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

/// The real number in front of the '/' at `over`: 1.0 of "1.0 / n".
std::optional<double> numerator(const std::string& text, std::size_t over) {
  std::string front = text.substr(0, over);
  while (!front.empty() && front.back() == ' ') front.pop_back();
  return real_number(front);
}

/// "n", "64", "ceil_div(n, 4)", "(n + 1)": nothing that a reader might take for a further operation.
bool is_one_operand(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && std::string_view("+-*/%<>=!&|?,").find(c) != std::string_view::npos) return false;
  }
  return true;
}

/// "height / rows" behind the '*' of "1.0 * height / rows": what the number is multiplied with, and what all
/// of it is divided by.
struct Factor {
  std::string times, below;
};
std::optional<Factor> factor_behind(const std::string& text, std::size_t star) {
  std::string rest = text.substr(star + 1);
  rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
  int depth = 0;
  std::size_t over = rest.size();
  for (std::size_t at = 0; at < rest.size() && over == rest.size(); ++at) {
    depth += rest[at] == '(' ? 1 : rest[at] == ')' ? -1 : 0;
    if (depth == 0 && rest[at] == '/') over = at;
  }
  std::string below = over == rest.size() ? "1" : rest.substr(over + 1);
  rest.resize(over);
  while (!rest.empty() && rest.back() == ' ') rest.pop_back();
  below.erase(0, std::min(below.find_first_not_of(' '), below.size()));
  if (rest.empty() || below.empty() || !is_one_operand(rest) || !is_one_operand(below)) return std::nullopt;
  return Factor{rest, below};
}

/// An expression with a real number or a function of real numbers in it, all of it in double; nothing where
/// it is none.
std::optional<model::ScalarValue> real_expression(const Reader& reader, const std::string& text) {
  const auto use = model::use_of_real(text);
  if (!use || !use->real) return std::nullopt;
  model::ScalarValue value;
  value.form = model::ScalarValue::Form::real;
  value.real = text;
  std::string names = "0";
  for (const std::string& name : use->names) names += " + " + name;
  auto parsed = model::Expression::parse(names, reader.file(), reader.line(), reader.column());
  if (!parsed) throw Invalid{parsed.error()};
  value.expression = *parsed;
  return value;
}

/// Why it is no expression of real numbers, where one is meant.
void refuse_real(const Reader& reader, const std::string& text) {
  const auto use = model::use_of_real(text);
  if (use || model::Expression::parse(text)) return;
  const std::string& why = use.error();
  const bool point = text.find('.') != std::string::npos;
  const std::size_t word = why.find("unknown function '");
  if (!point && word == std::string::npos) return;
  if (word == std::string::npos) reader.fail(why);
  const std::size_t begin = word + std::string_view("unknown function '").size();
  const std::string called = why.substr(begin, why.find('\'', begin) - begin);
  std::vector<std::string> known;
  for (const model::RealFunction& function : model::real_functions) known.emplace_back(function.name);
  reader.fail(fmt::format("'{}': unknown function '{}'{}", text, called, suggestion(called, known)));
}

}  // namespace

model::ScalarValue read_scalar(const Reader& reader) {
  const std::string text = reader.text();
  constexpr std::string_view form = "inverse_sqrt(";
  model::ScalarValue value;
  if (text.starts_with(form) && is_one_operand(text) &&
      !model::use_of_real(text.substr(form.size() - 1)).value_or(model::RealUse{}).real) {
    value.form = model::ScalarValue::Form::inverse_sqrt;
    auto inner = model::Expression::parse(text.substr(form.size(), text.size() - form.size() - 1),
                                          reader.file(), reader.line(), reader.column());
    if (!inner) throw Invalid{inner.error()};
    value.expression = *inner;
  } else if (text.starts_with("stride(") && text.ends_with(")")) {
    read_stride(reader, text.substr(7, text.size() - 8), value);
  } else if (const auto number = real_number(text)) {
    value.form = model::ScalarValue::Form::number;
    value.number = *number;
  } else if (const std::size_t over = text.find('/'); over != std::string::npos && numerator(text, over)) {
    value.form = model::ScalarValue::Form::quotient;
    value.number = *numerator(text, over);
    const std::size_t first = text.find_first_not_of(' ', over + 1);
    if (first != std::string::npos &&
        (!is_one_operand(text.substr(first)) || !model::Expression::parse(text.substr(first)))) {
      if (auto real = real_expression(reader, text)) return *real;
      refuse_real(reader, text);
    }
    auto below = model::Expression::parse(first == std::string::npos ? "" : text.substr(first), reader.file(),
                                          reader.line(), reader.column() + static_cast<int>(over) + 1);
    if (!below) throw Invalid{below.error()};
    value.expression = *below;
  } else if (const std::size_t star = text.find('*'); star != std::string::npos && numerator(text, star)) {
    // As C++ divides: of integers alone 15 / 10 would be 1.
    const auto factor = factor_behind(text, star);
    if (!factor || !model::Expression::parse(factor->times) || !model::Expression::parse(factor->below)) {
      if (auto real = real_expression(reader, text)) return *real;
      refuse_real(reader, text);
      reader.fail(fmt::format("'{}' is neither a number nor an expression", text));
    }
    value.form = model::ScalarValue::Form::quotient;
    value.number = *numerator(text, star);
    const auto part = [&](const std::string& of) {
      auto parsed = model::Expression::parse(of, reader.file(), reader.line(), reader.column());
      if (!parsed) throw Invalid{parsed.error()};
      return *parsed;
    };
    value.times = part(factor->times);
    value.expression = part(factor->below);
  } else if (auto real = real_expression(reader, text)) {
    return *real;
  } else {
    refuse_real(reader, text);
    value.expression = reader.expression();
  }
  return value;
}

}  // namespace evo::config
