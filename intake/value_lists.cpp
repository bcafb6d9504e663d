#include "intake/value_lists.hpp"

#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "model/expression.hpp"

namespace evo::intake {
namespace {

using Values = std::vector<std::string>;
using Answer = tl::expected<Values, std::string>;

/// What a gene may have; a range of a billion is a mistake.
constexpr std::size_t most_values = 4096;
constexpr std::int64_t farthest = std::int64_t{1} << 53;

std::string_view bare_text(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// Where `word` stands in no brackets and no quotes; npos: nowhere.
std::size_t find_outside(std::string_view text, std::string_view word, std::size_t from = 0) {
  int depth = 0;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (depth == 0 && at >= from && text.substr(at).starts_with(word)) return at;
    if (c == '\'' || c == '"') quote = c;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> list_parts(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0;;) {
    const std::size_t at = find_outside(text, separator, from);
    parts.push_back(bare_text(text.substr(from, at == std::string_view::npos ? at : at - from)));
    if (at == std::string_view::npos) return parts;
    from = at + separator.size();
  }
}

/// "32, 257" of "range(32, 257)".
std::optional<std::string_view> text_inside(std::string_view text, std::string_view front, char back) {
  if (!text.starts_with(front) || !text.ends_with(back)) return std::nullopt;
  return bare_text(text.substr(front.size(), text.size() - front.size() - 1));
}

tl::expected<std::int64_t, std::string> integer_of(std::string_view text, const model::Environment& names) {
  const auto parsed = model::Expression::parse(text);
  if (!parsed) return tl::make_unexpected(parsed.error().message);
  const auto value = parsed->evaluate_integer(names);
  if (!value) return tl::make_unexpected(value.error().message);
  return *value;
}

/// A number that is no integer, a name, a truth value: as it stands.
std::optional<std::string> as_it_stands(std::string_view text) {
  if (text == "True") return "1";
  if (text == "False") return "0";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return std::string(text);
  const bool quoted =
      text.size() >= 2 && text.front() == text.back() && (text.front() == '\'' || text.front() == '"');
  const std::string_view word = quoted ? text.substr(1, text.size() - 2) : text;
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front())) != 0) return std::nullopt;
  for (const char c : word)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return std::nullopt;
  return std::string(word);
}

Answer python_range(std::string_view text) {
  const auto arguments = text_inside(text, "range(", ')');
  if (!arguments) return tl::make_unexpected(fmt::format("'{}' is neither a list nor a range", text));
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : list_parts(*arguments, ",")) {
    const auto number = integer_of(part, {});
    if (!number) return tl::make_unexpected(number.error());
    if (*number > farthest || *number < -farthest)
      return tl::make_unexpected(fmt::format("'{}' goes further than {}", text, farthest));
    numbers.push_back(*number);
  }
  if (numbers.empty() || numbers.size() > 3 || (numbers.size() == 3 && numbers[2] == 0))
    return tl::make_unexpected(fmt::format("'{}' is no range", text));
  const std::int64_t first = numbers.size() == 1 ? 0 : numbers[0];
  const std::int64_t end = numbers.size() == 1 ? numbers[0] : numbers[1];
  const std::int64_t step = numbers.size() == 3 ? numbers[2] : 1;
  Values values;
  for (std::int64_t value = first; step > 0 ? value < end : value > end; value += step) {
    if (values.size() == most_values)
      return tl::make_unexpected(fmt::format("'{}' has more than {} values", text, most_values));
    values.push_back(std::to_string(value));
  }
  return values;
}

Answer python_list(std::string_view text);

/// "2**i for i in range(6) if i != 3".
Answer comprehension(std::string_view text, std::size_t before_for) {
  const std::string_view each = bare_text(text.substr(0, before_for));
  const std::string_view rest = text.substr(before_for + 5);
  const std::size_t in = find_outside(rest, " in ");
  if (in == std::string_view::npos) return tl::make_unexpected(fmt::format("'{}' lacks its in", text));
  const std::string name(bare_text(rest.substr(0, in)));
  std::string_view over = rest.substr(in + 4), condition;
  if (const std::size_t asks = find_outside(over, " if "); asks != std::string_view::npos) {
    condition = bare_text(over.substr(asks + 4));
    over = over.substr(0, asks);
  }
  const Answer source = python_list(bare_text(over));
  if (!source) return source;
  Values values;
  for (const std::string& value : *source) {
    const auto number = integer_of(value, {});
    if (!number) return tl::make_unexpected(number.error());
    const model::Environment names{{name, model::Value(*number)}};
    if (!condition.empty()) {
      const auto holds = integer_of(condition, names);
      if (!holds) return tl::make_unexpected(holds.error());
      if (*holds == 0) continue;
    }
    const auto made = integer_of(each, names);
    if (!made) return tl::make_unexpected(made.error());
    values.push_back(std::to_string(*made));
  }
  return values;
}

/// A list, a range, list(...) of one: what stands between the + of a sum of lists.
Answer python_list(std::string_view text) {
  if (const auto list = text_inside(text, "list(", ')')) return python_list(*list);
  const auto elements = text_inside(text, "[", ']');
  if (!elements) return python_range(text);
  if (const std::size_t loop = find_outside(*elements, " for "); loop != std::string_view::npos)
    return comprehension(*elements, loop);
  Values values;
  for (const std::string_view element : list_parts(*elements, ",")) {
    if (element.empty()) continue;  // [1, 2, ]
    if (auto plain = as_it_stands(element)) {
      values.push_back(*plain);
      continue;
    }
    const auto number = integer_of(element, {});
    if (!number) return tl::make_unexpected(number.error());
    values.push_back(std::to_string(*number));
  }
  return values;
}

}  // namespace

Answer listed_values(std::string_view text) {
  Values values;
  for (const std::string_view part : list_parts(bare_text(text), "+")) {
    const Answer some = python_list(part);
    if (!some) return some;
    values.insert(values.end(), some->begin(), some->end());
  }
  if (values.size() > most_values)
    return tl::make_unexpected(fmt::format("more than {} values", most_values));
  return values;
}

}  // namespace evo::intake
