#include "evaluators/gates/meant_integers.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "evaluators/gates/unusual_scalars.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/float_range.hpp"

namespace evo::evaluators::gates {
namespace {

/// To the case's own inputs.
using Answer = std::function<Reference(const model::Case&)>;

/// Has each output one number everywhere, and some of them many elements? Of a clamp whose ends have changed
/// places each order of the two makes another.
bool is_flat(const oracle::ReferenceOutputs& outputs) {
  const auto is_one_number = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
  };
  return std::ranges::all_of(outputs, is_one_number) &&
         std::ranges::any_of(outputs, [](const std::vector<double>& values) { return values.size() > 1; });
}

/// Does the scalar's value lie on the other side of another integer than `usual` does? Two may be the ends of
/// a clamp. Sizes are none of those.
bool passes_another(const model::Case& bound, std::size_t scalar, std::int64_t usual) {
  const std::int64_t asked = bound.arguments[scalar].scalar_integer;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& other = bound.arguments[i];
    if (i == scalar || other.role != model::ArgumentRole::scalar || oracle::is_floating(other.dtype))
      continue;
    const std::int64_t beside = other.scalar_integer;
    if (std::ranges::any_of(bound.axes, [&](const auto& axis) { return axis.second == beside; })) continue;
    if ((usual < beside && asked > beside) || (usual > beside && asked < beside)) return true;
  }
  return false;
}

/// Has each output far fewer different numbers than it usually has, or two at most? Where the ends of a clamp
/// have changed places nothing but them is left.
bool collapses(const oracle::ReferenceOutputs& outputs, const oracle::ReferenceOutputs& usual) {
  constexpr std::size_t few = 2;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::set<double> now(outputs[i].begin(), outputs[i].end());
    const std::set<double> before(usual[i].begin(), usual[i].end());
    if (now.size() > std::max(few, before.size() / 2)) return false;
  }
  return true;
}

model::Case with_integer(const model::Case& bound, std::size_t scalar, std::int64_t value) {
  model::Case other = bound;
  other.arguments[scalar].scalar_integer = value;
  other.arguments[scalar].scalar_float = static_cast<double>(value);
  return other;
}

/// Of a far integer: does a number beyond it, away from `usual`, have another answer? The next one, or one
/// twice as far from 0: a threshold decides between few of the numbers that there are. Not on the case's own
/// inputs, perhaps, but on those of `tell`.
bool says_more_than_usual(const model::Case& bound, std::int64_t usual, const Answer& answer,
                          const AnswerTo& answer_to, const std::vector<model::InputSet>& tell) {
  const std::size_t scalar = *bound.undeclared_scalar;
  const model::DType dtype = bound.arguments[scalar].dtype;
  const std::int64_t asked = bound.arguments[scalar].scalar_integer;
  const auto [low, high] = model::range_of(dtype);
  std::vector<std::int64_t> beyond{asked<usual&& static_cast<double>(asked)> low ? asked - 1 : asked + 1};
  if (asked != 0 && 2 * std::abs(static_cast<double>(asked)) <= high) beyond.push_back(2 * asked);
  const auto tells = [&](const Answer& answer_here) {
    const Reference there = answer_here(bound);
    return there->in_domain && std::ranges::any_of(beyond, [&](std::int64_t value) {
             const Reference other = answer_here(with_integer(bound, scalar, value));
             return other->in_domain && other->outputs != there->outputs;
           });
  };
  return tells(answer) || std::ranges::any_of(tell, [&](const model::InputSet& set) {
           return tells([&](const model::Case& asked_of) { return answer_to(asked_of, set); });
         });
}

}  // namespace

bool all_finite(const oracle::ReferenceOutputs& outputs) {
  return std::ranges::all_of(outputs, [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  });
}

bool integer_is_meant(const model::Case& bound, const model::Case& declared, const model::InputSet& set,
                      const AnswerTo& answer_to, const std::vector<model::InputSet>& tell) {
  const Answer answer = [&](const model::Case& asked_of) { return answer_to(asked_of, set); };
  const std::size_t scalar = *bound.undeclared_scalar;
  const std::int64_t usual = declared.arguments[scalar].scalar_integer;
  const std::int64_t asked = bound.arguments[scalar].scalar_integer;
  const auto there = answer(bound);
  if (!there->in_domain || !all_finite(there->outputs)) return false;
  const auto answer_at = [&](std::int64_t value) { return answer(with_integer(bound, scalar, value)); };
  const auto same_at = [&](std::int64_t value) {
    const Reference here = answer_at(value);
    return here->in_domain && here->outputs == there->outputs;
  };
  if (same_at(usual)) return false;
  if (usual == 0 && asked == 1) return true;
  if (usual == 1 && asked == 0) {
    // A flag, unless 2 says something of its own: of a step or a count of 1, 0 is none.
    const Reference two = answer_at(2), one = answer_at(usual);
    return !two->in_domain || !all_finite(two->outputs) || two->outputs == there->outputs ||
           two->outputs == one->outputs;
  }
  const std::vector<std::int64_t> others = other_integers(usual, bound.arguments[scalar].dtype);
  if (std::ranges::find(others, asked) == others.end()) {
    // One that the code names, or a word of bits: a number, unless the next one is the same. Behind the last
    // of several names they all are.
    if (is_flat(there->outputs)) return false;
    if (passes_another(bound, scalar, usual) && collapses(there->outputs, answer_at(usual)->outputs))
      return false;
    if (!says_more_than_usual(bound, usual, answer, answer_to, tell)) return false;
  }
  return std::ranges::none_of(others, [&](std::int64_t value) { return value != asked && same_at(value); });
}

}  // namespace evo::evaluators::gates
