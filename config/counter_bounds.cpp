#include "config/counter_bounds.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "config/nearest.hpp"

namespace evo::config {
namespace {

std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

model::CounterBound bound_of(const Reader& item) {
  constexpr const char* example = "dram_percent < 60";
  if (!item.is_scalar()) item.fail(fmt::format("expected a bound such as '{}'", example));
  const std::string text = item.text();
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string::npos)
    item.fail(fmt::format("'{}' has no <, <=, > or >=: expected a bound such as '{}'", text, example));
  const bool equal = at + 1 < text.size() && text[at + 1] == '=';
  model::CounterBound bound{without_blanks(text.substr(0, at)), text.substr(at, equal ? 2 : 1), 0};
  if (model::find_counter(bound.counter) == nullptr) {
    std::vector<std::string> known;
    for (const model::CounterName& counter : model::counter_names()) known.emplace_back(counter.name);
    item.fail(fmt::format("there is no counter '{}'{}", bound.counter, suggestion(bound.counter, known)));
  }
  std::string digits = without_blanks(text.substr(at + bound.comparison.size()));
  if (digits.ends_with('%')) digits = without_blanks(digits.substr(0, digits.size() - 1));
  char* end = nullptr;
  bound.limit = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0' || !std::isfinite(bound.limit) || bound.limit < 0)
    item.fail(fmt::format("'{}' is no number of 0 or more: expected a bound such as '{}'", digits, example));
  return bound;
}

bool is_upper(const model::CounterBound& bound) {
  return bound.comparison.front() == '<';
}

/// No value keeps both; counters are 0 or more.
bool exclude(const model::CounterBound& upper, const model::CounterBound& lower) {
  const bool both_equal = upper.comparison == "<=" && lower.comparison == ">=";
  return upper.limit < lower.limit || (upper.limit == lower.limit && !both_equal);
}

/// Every candidate would be refused.
void expect_possible(const Reader& item, const model::CounterBound& bound,
                     const std::vector<model::CounterBound>& before) {
  if (bound.comparison == "<" && bound.limit <= 0)
    item.fail(fmt::format("no kernel keeps {}: counters are 0 or more", model::text_of(bound)));
  for (const model::CounterBound& other : before) {
    if (other.counter != bound.counter || is_upper(other) == is_upper(bound)) continue;
    if (is_upper(bound) ? exclude(bound, other) : exclude(other, bound))
      item.fail(fmt::format("no kernel keeps both {} and {}", model::text_of(other), model::text_of(bound)));
  }
}

}  // namespace

std::vector<model::CounterBound> read_counter_bounds(const Reader& value) {
  if (!value.is_sequence()) value.fail("expected a list of bounds such as [dram_percent < 60]");
  std::vector<model::CounterBound> bounds;
  for (const Reader& item : value.items()) {
    model::CounterBound bound = bound_of(item);
    expect_possible(item, bound, bounds);
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

}  // namespace evo::config
