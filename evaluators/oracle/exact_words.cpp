#include "evaluators/oracle/exact_words.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr double most_of_a_double = 0x1p53;

bool takes_floats(const model::Case& bound) {
  return std::ranges::any_of(bound.arguments, [](const model::BoundArgument& argument) {
    const bool read = model::is_given(argument.role) || argument.role == model::ArgumentRole::scalar;
    return read && is_floating(argument.dtype);
  });
}

}  // namespace

ExactWords exact_words(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                       const Reference& reference) {
  if (oracle.computed == nullptr || !reference.rows.empty() || takes_floats(bound)) return {};
  bool any = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    any |= model::is_judged(argument.role) && is_long_integer(argument.dtype) &&
           argument.reduce == model::Reduction::none &&
           std::ranges::any_of(reference.outputs[i],
                               [](double value) { return std::abs(value) >= most_of_a_double; });
  }
  if (!any) return {};
  auto words = oracle.computed->compute_words(bound, inputs);
  return words ? std::move(*words) : ExactWords{};
}

std::optional<WordDifference> difference_of_words(const model::BoundArgument& argument,
                                                  std::span<const std::byte> actual,
                                                  std::span<const std::int64_t> words,
                                                  std::span<const std::uint8_t> written) {
  if (static_cast<std::int64_t>(words.size()) != element_count(argument) ||
      static_cast<std::int64_t>(actual.size()) != buffer_bytes(argument))
    return std::nullopt;  // compare() has said so
  std::optional<WordDifference> found;
  for_elements(argument, 0, element_count(argument), [&](std::int64_t e, std::int64_t offset) {
    const auto at = static_cast<std::size_t>(offset) * sizeof(std::int64_t);
    const auto bytes = written.empty() ? written : written.subspan(at, sizeof(std::int64_t));
    if (!written.empty() && std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; })) return;
    std::int64_t value = 0;
    std::memcpy(&value, actual.data() + at, sizeof value);
    if (value == words[static_cast<std::size_t>(e)]) return;
    if (!found) found = {coordinates_of(argument, e), words[static_cast<std::size_t>(e)], value, 0};
    ++found->count;
  });
  return found;
}

}  // namespace evo::evaluators::oracle
