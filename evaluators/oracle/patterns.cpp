#include "evaluators/oracle/patterns.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluators/oracle/fill_shapes.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/matching.hpp"
#include "evaluators/oracle/reaching_values.hpp"
#include "evaluators/oracle/specials.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Where an output is of bytes, the largest of its type once in each stretch of 32, in every second row: a
/// quantiser that takes its scale from the largest number has a scale of 1 there, and ties stay ties.
void put_largest_byte(const model::Case& bound, const model::BoundArgument& argument,
                      model::RandomStream stream, std::vector<double>& values) {
  const auto output = std::ranges::find_if(bound.arguments, [](const model::BoundArgument& each) {
    return model::is_judged(each.role) && (each.dtype == model::DType::i8 || each.dtype == model::DType::u8);
  });
  if (output == bound.arguments.end() || argument.shape.empty()) return;
  constexpr std::size_t stretch = 32;
  const double largest = model::range_of(output->dtype).high;
  const auto columns = std::max<std::size_t>(static_cast<std::size_t>(argument.shape.back()), 1);
  for (std::size_t row = 0; row < values.size(); row += 2 * columns) {
    const std::size_t end = std::min(row + columns, values.size());
    for (std::size_t first = row; first < end; first += stretch)
      values[first + stream.below(std::min(stretch, end - first))] = largest;
  }
}

}  // namespace

bool has_ties(const model::InputSet& set) {
  return set.kind == "ties" || set.kind == "near_ties" || set.kind == "near_comb" || set.kind == "halves" ||
         set.kind == "narrow_halves" || set.kind == fine_halves_kind || set.kind == matches_kind ||
         set.kind == "near_ties_below" || set.kind == "comb_below" || set.kind == reaching_kind;
}

std::string_view kind_for(const model::InputSet& set, std::size_t index) {
  if (set.kind != ends_apart_kind) return set.kind;
  return parameter(set, "argument", -1) == static_cast<double>(index) ? "top" : "bottom";
}

bool is_at_ends_of_ranges(const model::InputSet& set) {
  return set.kind == ends_apart_kind || set.kind == "top" || set.kind == "bottom";
}

bool is_opposed(const model::InputSet& set) {
  return set.kind == "sunken" && set.parameters.contains(raised_parameter);
}

bool is_at_an_end(const model::InputSet& set) {
  return set.kind == "lowest" || set.kind == "highest" || is_of_infinite_ends(set);
}

bool has_equals(const model::InputSet& set) {
  return has_ties(set) || is_at_an_end(set) || set.kind == "ones" || set.kind == "plateau" ||
         set.kind == "dominant" || set.kind == "equal" || set.kind == all_zero_kind;
}

bool selects_inputs(const model::Case& bound, const InputBuffers& inputs, const Reference& reference) {
  std::vector<double> given;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    for (const double value : load_array(argument, inputs[i])) {
      if (!std::isnan(value)) given.push_back(value);
    }
  }
  std::ranges::sort(given);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& output = bound.arguments[i];
    if (!model::is_judged(output.role) || !is_floating(output.dtype)) continue;
    const auto known = [&](double value) {
      return !std::isnan(value) && std::ranges::binary_search(given, value);
    };
    if (!std::ranges::all_of(reference.outputs[i], known)) return false;
  }
  return true;
}

model::Expected<void> apply_pattern(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                    DraftInputs& draft, Pattern pattern) {
  const double named = parameter(set, "argument", -1);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype) || draft[i].empty()) continue;
    if (named >= 0 && static_cast<std::size_t>(named) != i) continue;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("pattern/{}/{}", set.name, bound.name)});
    pattern(argument, draft[i], stream.next_u64());
    if (set.kind == "halves") put_largest_byte(bound, argument, std::move(stream), draft[i]);
  }
  return {};
}

model::Expected<void> sink_inputs(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                  DraftInputs& draft) {
  const double named = parameter(set, "argument", -1), by = parameter(set, "by", sunken_by),
               raised = parameter(set, "raised", 0);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype) || draft[i].empty()) continue;
    const bool sinks = named < 0 || static_cast<std::size_t>(named) == i;
    if (!sinks && raised == 0) continue;
    for (double& value : draft[i]) value += sinks ? -by : raised;
  }
  return {};
}

model::Expected<void> relate_inputs(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                    DraftInputs& draft, double sign) {
  const std::vector<double>* first = nullptr;
  double turn = sign;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!model::is_given(bound.arguments[i].role) || !is_floating(bound.arguments[i].dtype) ||
        bound.arguments[i].fill_in(set.name) != nullptr)
      continue;
    if (first == nullptr) {
      first = &draft[i];
    } else if (draft[i].size() == first->size()) {
      // Not quite opposite in every third element: what is left of a sum is small, and not nothing.
      for (std::size_t e = 0; e < draft[i].size(); ++e)
        draft[i][e] = (*first)[e] * turn + (sign < 0 && e % 3 == 0 ? draft[i][e] / 4096 : 0);
      turn *= sign;
    }
  }
  return {};
}

}  // namespace evo::evaluators::oracle
