#include "intake/t1_sizes.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "model/expression.hpp"

namespace evo::intake {
namespace {

std::optional<std::int64_t> as_integer(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::int64_t> integers_of(const DraftGene& gene) {
  std::vector<std::int64_t> numbers;
  for (const std::string& value : gene.values)
    if (const auto number = as_integer(value)) numbers.push_back(*number);
  return numbers;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::string T1Sizes::with_numbers(std::string text) const {
  for (std::size_t i = 0; i < problem.size(); ++i)
    replace_all(text, fmt::format("ProblemSize[{}]", i), std::to_string(problem[i]));
  for (const DraftGene& gene : genes) {
    const std::vector<std::int64_t> numbers = integers_of(gene);
    if (numbers.empty() || numbers.size() != gene.values.size()) continue;
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    replace_all(text, fmt::format("max({})", gene.name), std::to_string(*most));
    replace_all(text, fmt::format("min({})", gene.name), std::to_string(*least));
  }
  return text;
}

std::int64_t T1Sizes::elements(const ForeignJson& size) const {
  if (!size.is_text()) return size.integer();
  const auto expression = model::Expression::parse(with_numbers(size.text()));
  if (!expression) size.fail(fmt::format("'{}' is no size: {}", size.text(), expression.error().message));
  model::Environment names;
  for (const DraftGene& gene : genes) {
    if (gene.values.size() != 1) continue;
    if (const auto number = as_integer(gene.values.front())) names.emplace(gene.name, *number);
  }
  const auto value = expression->evaluate_integer(names);
  if (!value) size.fail(fmt::format("'{}' is no size: {}", size.text(), value.error().message));
  return *value;
}

T1Sizes t1_sizes(const ForeignJson& kernel, const std::vector<DraftGene>& genes) {
  T1Sizes sizes;
  sizes.genes = genes;
  if (!kernel.has("ProblemSize") || kernel.at("ProblemSize").is_null()) return sizes;
  for (const ForeignJson& size : kernel.at("ProblemSize").items())
    sizes.problem.push_back(T1Sizes{{}, genes}.elements(size));
  return sizes;
}

}  // namespace evo::intake
