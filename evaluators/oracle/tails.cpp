#include "evaluators/oracle/tails.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "evaluators/oracle/fill_shapes.hpp"
#include "evaluators/oracle/fills.hpp"
#include "evaluators/oracle/transforms.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::array centres{-16.0, -5.0, 5.0, 16.0};
/// Of standard normal numbers: exp(-x^2 / 2) of the least and of the largest about 5 are within 100 times.
constexpr double spread = 0.125;
/// Some functions one behind the other, each a unit or two off.
constexpr double times_as_far = 4;

bool has_short_outputs(const std::vector<model::Argument>& arguments) {
  return std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && model::is_floating(argument.dtype) &&
           model::size_of(argument.dtype) < 4;
  });
}

bool has_float_output(const std::vector<model::Argument>& arguments) {
  return std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && argument.dtype == model::DType::f32;
  });
}

}  // namespace

std::vector<model::InputSet> tail_sets(const std::vector<model::Argument>& arguments) {
  std::vector<model::InputSet> sets;
  if (has_short_outputs(arguments) || !has_float_output(arguments)) return sets;
  const std::string undeclared(undeclared_parameter);
  int next_to_zero = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const model::Argument& input = arguments[i];
    if (!model::is_given(input.role) || !model::is_floating(input.dtype)) continue;
    const auto index = static_cast<double>(i);
    if (!input.fill) {
      for (const double about : centres)
        sets.push_back({fmt::format("tail of {} about {}", input.name, about),
                        std::string(tail_kind),
                        {{"argument", index}, {"about", about}, {undeclared, 1}}});
    } else if (takes_pattern(input.fill->form, near_zero_kind) && may_be_zero(*input.fill)) {
      sets.push_back({fmt::format("{} of {}", near_zero_kind, input.name),
                      std::string(near_zero_kind),
                      {{"argument", index}, {undeclared, 1}}});
      ++next_to_zero;
    }
  }
  // Beside another that is not small, a quotient is: what is added to its denominator shows in neither.
  if (next_to_zero > 1)
    sets.push_back(
        {fmt::format("{} everywhere", near_zero_kind), std::string(near_zero_kind), {{undeclared, 1}}});
  return sets;
}

bool is_of_tails(const model::InputSet& set) {
  return set.kind == tail_kind || set.kind == near_zero_kind;
}

model::Expected<void> shape_tail(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                 DraftInputs& draft) {
  model::InputSet narrow = set, moved = set;
  narrow.parameters["factor"] = spread;
  moved.parameters["by"] = parameter(set, "about", 0);
  if (auto done = scale(bound, narrow, key, draft); !done) return done;
  return shift(bound, moved, key, draft);
}

bool keeps_digits(const OutputErrors& plain, const OutputErrors& rounding) {
  return plain.rms <= times_as_far * rounding.rms && plain.largest <= times_as_far * rounding.largest;
}

}  // namespace evo::evaluators::oracle
