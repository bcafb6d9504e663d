#include "evaluators/oracle/matching.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/dtype.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Stretches are at most so long, and at most twice the array that they are taken from.
constexpr std::size_t longest_stretch = 128;

bool is_integer(model::DType dtype) {
  return !model::is_floating(dtype) && dtype != model::DType::boolean;
}

void take_stretches(const std::vector<double>& from, const model::BoundFill* fill,
                    model::RandomStream& stream, std::vector<double>& values) {
  const std::size_t longest = std::min(longest_stretch, 2 * from.size());
  for (std::size_t at = 0; at < values.size();) {
    const std::size_t length = 1 + stream.below(longest), end = std::min(at + length, values.size());
    const bool taken = stream.below(2) == 0;
    std::size_t place = stream.below(2) == 0 ? 0 : stream.below(from.size());
    for (; at < end; ++at, place = (place + 1) % from.size()) {
      const double value = from[place];
      if (taken && (fill == nullptr || (value >= fill->low() && value <= fill->high()))) values[at] = value;
    }
  }
}

}  // namespace

bool may_match(const std::vector<model::Argument>& arguments) {
  const auto takes = [](const model::Argument& argument) {
    return model::is_given(argument.role) && is_integer(argument.dtype) &&
           (!argument.fill || argument.fill->form == model::FillForm::integers);
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (takes(arguments[i]) && takes(arguments[j]) && arguments[i].dtype == arguments[j].dtype) return true;
    }
  }
  return false;
}

void match_integers(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                    DraftInputs& draft) {
  const auto takes = [&](std::size_t i) {
    const model::BoundArgument& argument = bound.arguments[i];
    const model::BoundFill* fill = argument.fill_in(set.name);
    return model::is_given(argument.role) && is_integer(argument.dtype) && !draft[i].empty() &&
           (fill == nullptr || fill->form == model::FillForm::integers);
  };
  const DraftInputs before = draft;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!takes(i)) continue;
    for (std::size_t other = 0; other < draft.size(); ++other) {
      const std::size_t size = before[other].size(), own = before[i].size();
      if (other == i || !takes(other) || bound.arguments[other].dtype != bound.arguments[i].dtype) continue;
      if (size > own || (size == own && other > i)) continue;
      const std::string purpose = fmt::format("matches/{}/{}", bound.name, other);
      model::RandomStream stream(
          {.seed = key.seed, .generation = key.rotation, .slot = i, .purpose = purpose});
      take_stretches(before[other], bound.arguments[i].fill_in(set.name), stream, draft[i]);
      break;
    }
  }
}

}  // namespace evo::evaluators::oracle
