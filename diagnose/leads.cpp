#include "diagnose/leads.hpp"

#include <algorithm>

namespace evo::diagnose {
namespace {

using LineNumbers = std::vector<int>;

/// One list behind the other, each line once.
LineNumbers joined(std::initializer_list<LineNumbers> lists) {
  LineNumbers all;
  for (const LineNumbers& list : lists) {
    for (const int line : list) {
      if (std::find(all.begin(), all.end(), line) == all.end()) all.push_back(line);
    }
  }
  return all;
}

bool among(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The loop header at or before each of `lines`.
LineNumbers loops_of(const LineNumbers& lines, const Roles& roles) {
  LineNumbers result;
  for (const int line : lines) {
    int nearest = 0;
    for (const int loop : roles.loops()) nearest = loop <= line ? loop : nearest;
    if (nearest > 0) result.push_back(nearest);
  }
  return result;
}

}  // namespace

Lead lead_of(const Answer& answer, const Roles& roles) {
  const std::string& name = answer.name;
  if (name == "scalar_other") {
    // A scalar that nobody uses belongs into what the exponential or the output is made of.
    return {{"factor", "function", "constant", "operand", "arithmetic", "grouping"},
            joined({roles.uses(answer.argument), roles.exponentials(), roles.accumulator(), roles.stores()}),
            answer.argument + " is used, or should be, here"};
  }
  if (among(name, {"base_two", "base_ten"}))
    return {{"function", "factor", "constant"}, joined({roles.exponentials()}), "the exponential"};
  if (name == "flag_ignored" || name == "mask_early" || name == "mask_late")
    return {{"comparison", "condition", "bound", "constant", "operand"}, roles.masks(), "the mask"};
  if (among(name, {"input_replaced", "inputs_exchanged", "input_ignored"}))
    return {{"operand", "arguments", "arithmetic"},
            joined({roles.uses(answer.argument), roles.stores()}),
            answer.argument + " is read, or should be, here"};
  if (name == "input_scaled")
    return {{"grouping", "factor", "arithmetic", "operand"},
            joined({roles.uses(answer.argument), roles.stores()}),
            answer.argument + " is read here"};
  if (name.starts_with("input_"))
    return {{"operand", "constant", "arithmetic", "index", "condition", "grouping", "bound", "function"},
            joined({roles.uses(answer.argument), roles.stores()}),
            answer.argument + " is read here"};
  if (name.starts_with("output_") && name != "output_not_rescaled")
    return {{"operand", "index", "constant", "arithmetic", "grouping"},
            roles.stores(),
            "the output is stored here"};
  if (among(name, {"sum_not_rescaled", "nothing_rescaled"}))
    return {{"rescale", "order", "operand", "arithmetic", "removal"},
            roles.normaliser(),
            "the sum is carried on here"};
  if (name == "output_not_rescaled")
    return {{"rescale", "order", "operand", "arithmetic", "removal"},
            roles.accumulator(),
            "the accumulator is carried on here"};
  if (name == "maximum_not_carried")
    return {{"operand", "start", "order", "arithmetic", "rescale"},
            joined({roles.maxima(), roles.exponentials()}),
            "the maximum is carried on here"};
  if (among(name, {"unshifted", "first_as_maximum"}))
    return {{"function", "comparison", "operand", "arithmetic", "constant"},
            joined({roles.exponentials(), roles.maxima()}),
            "the maximum is subtracted, or should be, here"};
  if (among(name, {"maximum_clamped", "smallest_as_maximum"})) {
    return {{"start", "function", "constant"}, roles.maxima(), "the maximum"};
  }
  if (name == "padding_counted")
    return {{"condition", "bound", "comparison", "constant"},
            joined({roles.masks(), roles.maxima(), loops_of(roles.normaliser(), roles), roles.loops()}),
            "which elements count"};
  if (among(name, {"elements_dropped", "sum_misses_element", "sum_repeats_element"}))
    return {{"bound", "comparison", "constant", "condition", "removal", "arithmetic"},
            joined({loops_of(roles.normaliser(), roles), roles.masks(), roles.loops(), roles.normaliser()}),
            "which elements count"};
  if (among(name, {"row_factor", "not_normalised", "normalised_twice"}))
    return {{"constant", "comparison", "bound", "rescale", "function", "operand", "arithmetic", "order",
             "condition", "removal"},
            joined({roles.divisions(), roles.normaliser()}),
            "what is divided by is made here"};
  if (name == "constant_factor")
    return {{"factor", "constant", "arithmetic", "function", "operand"},
            joined({roles.divisions(), roles.stores(), roles.exponentials()}),
            "a factor of the output"};
  return {};
}

Lead lead_of(const Facts& facts, const Roles& roles) {
  if (facts.has("error.small") && !roles.half_storage().empty())
    return {{"type"}, joined({roles.half_storage()}), "a value is kept in 16 bits here"};
  if (facts.has("axis.far_needed") && !roles.narrowings().empty())
    return {{"width"}, roles.narrowings(), "64 bits go into fewer here"};
  if (facts.has("wrong.gap_overwritten") || facts.has("wrong.guard_overwritten") ||
      (facts.has("axis.layout_needed") && facts.has("wrong.unwritten")))
    return {{"index", "width", "operand"}, roles.stores(), "the output is stored here"};
  if (facts.has("wrong.non_finite"))
    return {{"infinity", "start", "condition", "comparison", "initialiser"},
            joined({roles.exponentials(), roles.maxima(), roles.divisions()}),
            "where a number may become none"};
  if (facts.has("axis.flag_needed") && !roles.masks().empty())
    return {{"comparison", "condition", "bound", "constant"}, roles.masks(), "the mask"};
  if (facts.has("wrong.unwritten"))
    return {{"bound", "comparison", "exchange", "constant", "condition"},
            joined({loops_of(roles.stores(), roles), roles.stores(), roles.loops()}),
            "which elements are written"};
  // Right within one tile: what is wrong is carried on from tile to tile.
  if (facts.has("shape.several_tiles_only") && !roles.exponentials().empty())
    return {{"operand", "rescale", "order", "function", "removal"},
            joined({roles.exponentials(), roles.normaliser(), roles.accumulator(), roles.maxima()}),
            "what is carried on from tile to tile"};
  return {};
}

}  // namespace evo::diagnose
