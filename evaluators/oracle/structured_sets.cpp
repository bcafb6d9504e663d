// Which structured sets a problem sees, by its arguments.
#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "evaluators/oracle/fill_shapes.hpp"
#include "evaluators/oracle/fills.hpp"
#include "evaluators/oracle/index_chains.hpp"
#include "evaluators/oracle/long_rounds.hpp"
#include "evaluators/oracle/longest.hpp"
#include "evaluators/oracle/matching.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/plain_integers.hpp"
#include "evaluators/oracle/reaching_values.hpp"
#include "evaluators/oracle/relations.hpp"
#include "evaluators/oracle/saturating.hpp"
#include "evaluators/oracle/specials.hpp"

namespace evo::evaluators::oracle {
namespace {

struct NamedPattern {
  std::string_view kind;
  bool apart;                  ///< on each argument apart; otherwise on all at once
  bool wide_only;              ///< for types with the range of FP32
  bool whole_outputs = false;  ///< only where an output is an integer
  bool of_ranges = false;      ///< only on arguments that have a range
};

constexpr std::array patterns{
    NamedPattern{"rising", true, false},
    NamedPattern{"falling", true, false},
    NamedPattern{"late_spike", true, false},
    NamedPattern{"early_spike", true, false},
    NamedPattern{"dominant", true, false},
    NamedPattern{"plateau", true, false},
    NamedPattern{"shelf", true, false},
    NamedPattern{"cancellation", true, false},
    NamedPattern{"ones", true, false},
    NamedPattern{"large", true, false},
    NamedPattern{"small", true, false},
    NamedPattern{"huge", true, true},
    NamedPattern{"huge_negative", true, true},
    NamedPattern{"tiny", true, true},
    NamedPattern{"larger", false, false},
    NamedPattern{"small", false, false},
    NamedPattern{"zeros", false, false},
    NamedPattern{"denormal", false, false},
    NamedPattern{"tiny", false, true},
    NamedPattern{"equal", false, false},
    NamedPattern{"opposite", false, false},
    NamedPattern{"ties", false, false},
    NamedPattern{"comb", false, false},
    NamedPattern{"near_comb", false, false},
    NamedPattern{"near_ties", false, false},
    NamedPattern{"sunken", true, false},
    NamedPattern{"sunken", false, false},
    NamedPattern{"creeping", true, false},
    NamedPattern{"narrow_halves", false, false, true},
    NamedPattern{"halves", false, false, true},
    NamedPattern{fine_halves_kind, false, false, true, true},
    NamedPattern{"lowest", false, false},
    NamedPattern{"highest", false, false},
    NamedPattern{"vast", false, true},
    NamedPattern{"peak", true, false},
    NamedPattern{"near_ties_below", false, false, true},
    NamedPattern{"comb_below", false, false, true},
};

}  // namespace

std::vector<model::InputSet> structured_sets(const std::vector<model::Argument>& arguments) {
  std::vector<model::InputSet> sets;
  std::vector<std::size_t> inputs, filled, integers;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!model::is_given(arguments[i].role)) continue;
    if (arguments[i].fill) {
      filled.push_back(i);
    } else if (is_floating(arguments[i].dtype)) {
      inputs.push_back(i);
    } else {
      integers.push_back(i);
    }
  }
  const std::string undeclared(undeclared_parameter);
  const bool whole_output = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && !is_floating(argument.dtype);
  });
  // Who makes a narrower float by hand keeps its bits so; a quantiser to signed bytes multiplies before it
  // rounds.
  const bool words_of_floats = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && !is_floating(argument.dtype) &&
           argument.dtype != model::DType::i8 && argument.dtype != model::DType::boolean;
  });
  const bool floating_output = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && is_floating(argument.dtype);
  });
  const auto add_apart = [&](const std::string& kind, std::size_t input) {
    sets.push_back({fmt::format("{} of {}", kind, arguments[input].name),
                    kind,
                    {{"argument", static_cast<double>(input)}, {undeclared, 1}}});
  };
  for (const NamedPattern& pattern : patterns) {
    if (!pattern.apart && !(pattern.whole_outputs && whole_output)) continue;
    for (const std::size_t input : filled) {
      if (pattern.whole_outputs && !is_floating(arguments[input].dtype)) continue;
      if (takes_pattern(arguments[input].fill->form, pattern.kind))
        add_apart(std::string(pattern.kind), input);
    }
  }
  const auto add_of_integers = [&] {
    for (const std::size_t input : filled) {
      for (const std::string_view kind : {std::string_view("ties"), std::string_view("comb"), runs_kind})
        if (takes_pattern(arguments[input].fill->form, kind)) add_apart(std::string(kind), input);
      if (holds_words_of_bits(*arguments[input].fill)) add_apart(std::string(odd_multiples_kind), input);
    }
    for (const std::size_t input : integers) {
      if (!floating_output && may_hold_words(arguments[input].dtype))
        add_apart(std::string(odd_multiples_kind), input);
      for (const std::string_view kind : plain_integer_kinds(arguments[input].dtype))
        add_apart(std::string(kind), input);
      if (floating_output && may_hold_words(arguments[input].dtype)) add_apart(std::string(bits_kind), input);
    }
  };
  // What a sum, or a comparison, of several makes of numbers at one end of what they may be, or of large
  // ones.
  const auto add_ends = [&] {
    const auto takes_end = [&](std::size_t input) {
      return takes_pattern(arguments[input].fill->form, "top");
    };
    const auto ranges = static_cast<std::size_t>(std::ranges::count_if(filled, takes_end));
    if (ranges + integers.size() < 2) return;
    for (const char* kind : {"top", "bottom", "wide"})
      sets.push_back({fmt::format("{} everywhere", kind), kind, {{undeclared, 1}}});
    constexpr std::size_t most = 3;  // a set for each
    std::vector<std::size_t> with_ends = integers;
    std::ranges::copy_if(filled, std::back_inserter(with_ends), takes_end);
    std::ranges::sort(with_ends);
    for (std::size_t i = 0; i < with_ends.size() && i < most; ++i)
      add_apart(std::string(ends_apart_kind), with_ends[i]);
  };
  add_ends();
  // What is divided by a maximum, a sum or a norm of nothing.
  const auto add_zeros = [&] {
    std::vector<std::size_t> all = inputs;
    std::ranges::copy_if(filled, std::back_inserter(all), [&](std::size_t input) {
      const model::Fill& fill = *arguments[input].fill;
      return takes_pattern(fill.form, all_zero_kind) && may_be_zero(fill);
    });
    all.insert(all.end(), integers.begin(), integers.end());
    for (const std::size_t input : all) add_apart(std::string(all_zero_kind), input);
    if (all.size() > 1)
      sets.push_back(
          {fmt::format("{} everywhere", all_zero_kind), std::string(all_zero_kind), {{undeclared, 1}}});
  };
  const auto add_of_indices = [&] {
    for (model::InputSet& set : sets_of_indices(arguments)) sets.push_back(std::move(set));
    for (model::InputSet& set : sets_of_long_rounds(arguments)) sets.push_back(std::move(set));
    for (model::InputSet& set : sets_of_longest(arguments)) sets.push_back(std::move(set));
  };
  const auto add_related = [&] {
    if (may_be_related(arguments))
      sets.push_back({"related everywhere", std::string(related_kind), {{undeclared, 1}}});
  };
  if (inputs.empty()) {
    add_zeros();
    add_of_integers();
    add_of_indices();
    add_related();
    if (may_match(arguments)) {
      sets.push_back({"matches everywhere", std::string(matches_kind), {{undeclared, 1}}});
      sets.push_back({"ones everywhere", "ones", {{undeclared, 1}}});
    }
    return sets;
  }
  const auto wide = [&](std::size_t input) { return arguments[input].dtype != model::DType::f16; };
  const auto long_enough = [&](std::size_t input) { return model::size_of(arguments[input].dtype) >= 4; };
  const bool outputs_are_wide = std::ranges::none_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && model::is_floating(argument.dtype) &&
           model::size_of(argument.dtype) < 4;
  });
  // What it makes of a sum is a ten-thousandth and less: 16 bits do not show that.
  const bool floats_are_wide = floating_output && outputs_are_wide;
  for (const NamedPattern& pattern : patterns) {
    const std::string kind(pattern.kind);
    const bool together = kind == "sunken" && !pattern.apart;
    const bool pairs = pattern.kind == "equal" || pattern.kind == "opposite" || together;
    // Products of two halves leave their type: whoever computes in it shows where outputs have room for them.
    const bool room = kind == "vast" && outputs_are_wide;
    if (pattern.wide_only && !room && !std::all_of(inputs.begin(), inputs.end(), wide)) continue;
    if (pairs && inputs.size() < 2) continue;
    if (pattern.of_ranges) continue;
    if (pattern.whole_outputs && !whole_output) continue;
    if (kind == "narrow_halves" && !words_of_floats) continue;
    if (kind == "shelf" && !floats_are_wide) continue;
    if (!pattern.apart) {
      sets.push_back({kind + " everywhere", kind, {{undeclared, 1}}});
      if (together)
        sets.back().parameters["by"] =
            std::ranges::all_of(inputs, long_enough) ? sunken_together_by : halves_sunken_together_by;
      continue;
    }
    for (const std::size_t input : inputs) {
      add_apart(kind, input);
      // Alone it is in no product with another, which a 16-bit type would have to hold.
      if (kind == "sunken" && inputs.size() == 1) sets.back().parameters["by"] = sunken_alone_by;
    }
  }
  // Where a type of 8 bits has no normal numbers, whatever inputs are multiplied by.
  const bool byte_floats = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && is_floating(argument.dtype) &&
           model::size_of(argument.dtype) == 1;
  });
  for (const char* kind : {"faint", "fainter"}) {
    if (byte_floats) sets.push_back({fmt::format("{} everywhere", kind), kind, {{undeclared, 1}}});
  }
  constexpr std::size_t most_opposed = 3;  // a set for each
  for (std::size_t i = 0; i < inputs.size() && inputs.size() > 1 && i < most_opposed; ++i) {
    add_apart("sunken", inputs[i]);
    const double by = std::ranges::all_of(inputs, long_enough) ? opposed_by : halves_opposed_by;
    sets.back().name = fmt::format("{} opposed to all others", arguments[inputs[i]].name);
    sets.back().parameters["by"] = by;
    sets.back().parameters[std::string(raised_parameter)] = by;
  }
  for (model::InputSet& set : sets_of_saturation(arguments, inputs)) sets.push_back(std::move(set));
  for (model::InputSet& set : sets_of_brims(arguments, inputs)) sets.push_back(std::move(set));
  add_zeros();
  add_of_integers();
  add_of_indices();
  add_related();
  if (may_match(arguments))
    sets.push_back({"matches everywhere", std::string(matches_kind), {{undeclared, 1}}});
  return sets;
}

}  // namespace evo::evaluators::oracle
