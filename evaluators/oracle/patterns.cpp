#include "evaluators/oracle/patterns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fills.hpp"
#include "evaluators/oracle/index_chains.hpp"
#include "evaluators/oracle/matching.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/plain_integers.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Parameters of the kind `named`.
constexpr std::string_view floating_number = "value", whole_number = "integer", first_number = "first";
/// A draft is a double, which holds whole numbers up to here.
constexpr std::int64_t largest_integer = std::int64_t{1} << 53;
constexpr std::uint64_t few_integers = 24;
/// Of a number: beyond what rounding to 16 bits makes the same of, and still near it.
constexpr double beside = 0x1p-8, beyond = 1.5, largest_half = 65504;
/// Of several at once, in FP16.
constexpr double most_of_several = largest_half / 4;

constexpr double most_of_a_small_one = 1024;
/// Short of the largest of FP16 by more than inputs are moved by to see what that changes.
constexpr double most_beyond = 64512;

/// A number, twice, its neighbours in FP32, what is beside it, and, `far`, what is beyond it, as far as FP16
/// has room.
void add_with_neighbours(double value, bool far, std::vector<double>& numbers) {
  const auto single = static_cast<float>(value);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  numbers.insert(numbers.end(), {value, value, std::nextafter(single, infinity),
                                 std::nextafter(single, -infinity), value * (1 - beside)});
  // Where it is the largest of FP16, what is beyond would put all of the set out of the question.
  const double above = value * (1 + beside);
  if (std::abs(above) <= largest_half || std::abs(value) > largest_half) numbers.push_back(above);
  const double more = value * beyond;
  if (far)
    numbers.push_back(std::abs(value) > largest_half ? more : std::clamp(more, -most_beyond, most_beyond));
}

/// Of those that are named.
bool holds_integers(model::DType dtype) {
  return !is_floating(dtype) && model::size_of(dtype) >= 4;
}

struct NamedPattern {
  std::string_view kind;
  bool apart;                  ///< on each argument apart; otherwise on all at once
  bool wide_only;              ///< for types with the range of FP32
  bool whole_outputs = false;  ///< only where an output is an integer
  bool of_ranges = false;      ///< only on arguments that have a range
};

constexpr std::array patterns{
    NamedPattern{"rising", true, false},        NamedPattern{"falling", true, false},
    NamedPattern{"late_spike", true, false},    NamedPattern{"early_spike", true, false},
    NamedPattern{"dominant", true, false},      NamedPattern{"plateau", true, false},
    NamedPattern{"cancellation", true, false},  NamedPattern{"ones", true, false},
    NamedPattern{"large", true, false},         NamedPattern{"small", true, false},
    NamedPattern{"huge", true, true},           NamedPattern{"huge_negative", true, true},
    NamedPattern{"tiny", true, true},           NamedPattern{"larger", false, false},
    NamedPattern{"small", false, false},        NamedPattern{"zeros", false, false},
    NamedPattern{"denormal", false, false},     NamedPattern{"tiny", false, true},
    NamedPattern{"equal", false, false},        NamedPattern{"opposite", false, false},
    NamedPattern{"ties", false, false},         NamedPattern{"comb", false, false},
    NamedPattern{"near_ties", false, false},    NamedPattern{"sunken", true, false},
    NamedPattern{"halves", false, false, true}, NamedPattern{fine_halves_kind, false, false, true, true},
    NamedPattern{"lowest", false, false},       NamedPattern{"highest", false, false},
    NamedPattern{"vast", false, true},
};

}  // namespace

bool has_ties(const model::InputSet& set) {
  return set.kind == "ties" || set.kind == "near_ties" || set.kind == "halves" ||
         set.kind == fine_halves_kind || set.kind == matches_kind;
}

bool is_at_an_end(const model::InputSet& set) {
  return set.kind == "lowest" || set.kind == "highest";
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
  }
  return {};
}

model::Expected<void> sink_inputs(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                  DraftInputs& draft) {
  const double named = parameter(set, "argument", -1), by = parameter(set, "by", sunken_by);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype) || draft[i].empty()) continue;
    if (named >= 0 && static_cast<std::size_t>(named) != i) continue;
    for (double& value : draft[i]) value -= by;
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

std::optional<model::InputSet> set_of_numbers(const std::vector<model::Argument>& arguments,
                                              const std::vector<double>& numbers,
                                              const std::vector<std::int64_t>& integers,
                                              const std::vector<double>& first) {
  const auto any = [&](bool floating) {
    return std::ranges::any_of(arguments, [&](const model::Argument& argument) {
      return model::is_given(argument.role) && !argument.fill &&
             (floating ? is_floating(argument.dtype) : holds_integers(argument.dtype));
    });
  };
  model::InputSet set{
      "numbers of the code", std::string(named_kind), {{std::string(undeclared_parameter), 1}}};
  // References are kept by the set's name.
  const auto name = [&](std::string_view what, std::size_t i, double number) {
    set.parameters[fmt::format("{}{}", what, i)] = number;
    set.name += fmt::format("{}{}", set.parameters.size() == 2 ? ": " : ", ", number);
  };
  for (std::size_t i = 0; any(true) && i < numbers.size(); ++i) name(floating_number, i, numbers[i]);
  for (std::size_t i = 0; any(false) && i < integers.size(); ++i) {
    if (std::abs(integers[i]) < largest_integer) name(whole_number, i, static_cast<double>(integers[i]));
  }
  if (set.parameters.size() <= 1) return std::nullopt;
  for (std::size_t i = 0; any(true) && i < first.size(); ++i)
    set.parameters[fmt::format("{}{}", first_number, i)] = first[i];
  return set;
}

std::vector<model::InputSet> sets_of_words(const std::vector<model::Argument>& arguments,
                                           const std::vector<std::int64_t>& integers) {
  std::vector<model::InputSet> sets;
  const bool floating_output = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && is_floating(argument.dtype);
  });
  if (!floating_output || integers.empty()) return sets;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!model::is_given(arguments[i].role) || arguments[i].fill || !may_hold_words(arguments[i].dtype))
      continue;
    model::InputSet set{
        fmt::format("words of the code in {}: {}", arguments[i].name, fmt::join(integers, ", ")),
        std::string(bits_kind),
        {{"argument", static_cast<double>(i)}, {std::string(undeclared_parameter), 1}}};
    for (std::size_t k = 0; k < integers.size(); ++k) {
      if (std::abs(integers[k]) < largest_integer)
        set.parameters[fmt::format("{}{}", whole_number, k)] = static_cast<double>(integers[k]);
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

model::Expected<void> put_numbers(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                  DraftInputs& draft) {
  model::RandomStream cases({.seed = key.seed,
                             .generation = key.rotation,
                             .slot = 0,
                             .purpose = fmt::format("sizes/{}/{}", set.name, bound.name)});
  // The exponential of what is beyond the largest that it has room for would put all of the set out of the
  // question.
  const bool small = cases.below(2) == 0, far = cases.below(2) == 0;
  std::vector<double> numbers, first, integers;
  for (const auto& [name, value] : set.parameters) {
    if (name.starts_with(whole_number)) integers.push_back(value);
    if (name.starts_with(floating_number)) add_with_neighbours(value, far, numbers);
    if (name.starts_with(first_number)) add_with_neighbours(value, far, first);
  }
  const auto takes_numbers = [&](const model::BoundArgument& argument) {
    return model::is_given(argument.role) && is_floating(argument.dtype);
  };
  const auto arrays = static_cast<std::size_t>(std::ranges::count_if(bound.arguments, takes_numbers));
  const bool halves = std::ranges::any_of(bound.arguments, [](const model::BoundArgument& argument) {
    return argument.dtype == model::DType::f16;
  });
  // Beside a large number nobody sees what is wrong with a small one: of every second case small ones alone.
  if (small) {
    const auto is_large = [](double value) { return std::abs(value) > most_of_a_small_one; };
    for (std::vector<double>* some : {&numbers, &first}) {
      if (!std::ranges::all_of(*some, is_large)) std::erase_if(*some, is_large);
    }
  }
  const double words_of = set.kind == bits_kind ? parameter(set, "argument", -1) : -1;
  std::size_t array = 0;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::DType dtype = bound.arguments[i].dtype;
    const bool floating = is_floating(dtype);
    if (!model::is_given(bound.arguments[i].role) || (!floating && !holds_integers(dtype))) continue;
    std::vector<double> chosen = numbers;
    if (!floating)
      chosen = words_of == static_cast<double>(i) ? integers_of_type(dtype, integers)
                                                  : integers_that_fit(bound, i, integers, draft[i].size());
    const std::size_t turn = floating ? array++ : 0;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("numbers/{}/{}", set.name, bound.name)});
    for (std::size_t e = 0; !chosen.empty() && e < draft[i].size(); ++e) {
      if (stream.below(floating ? 2 : few_integers) != 0) continue;
      const bool of_first = floating && !first.empty() && stream.below(2) == 0;
      const std::vector<double>& from = of_first ? first : chosen;
      const double number = from[stream.below(from.size())];
      if (floating && halves && std::abs(number) > most_of_several && e % arrays != turn) continue;
      draft[i][e] = number;
    }
  }
  return {};
}

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
    }
    for (const std::size_t input : integers) {
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
  };
  if (inputs.empty()) {
    add_zeros();
    add_of_integers();
    add_of_indices();
    if (may_match(arguments)) {
      sets.push_back({"matches everywhere", std::string(matches_kind), {{undeclared, 1}}});
      sets.push_back({"ones everywhere", "ones", {{undeclared, 1}}});
    }
    return sets;
  }
  const auto wide = [&](std::size_t input) { return arguments[input].dtype != model::DType::f16; };
  const bool outputs_are_wide = std::ranges::none_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && model::is_floating(argument.dtype) &&
           model::size_of(argument.dtype) < 4;
  });
  for (const NamedPattern& pattern : patterns) {
    const std::string kind(pattern.kind);
    const bool pairs = pattern.kind == "equal" || pattern.kind == "opposite";
    // Products of two halves leave their type: whoever computes in it shows where outputs have room for them.
    const bool room = kind == "vast" && outputs_are_wide;
    if (pattern.wide_only && !room && !std::all_of(inputs.begin(), inputs.end(), wide)) continue;
    if (pairs && inputs.size() < 2) continue;
    if (pattern.of_ranges) continue;
    if (pattern.whole_outputs && !whole_output) continue;
    if (!pattern.apart) {
      sets.push_back({kind + " everywhere", kind, {{undeclared, 1}}});
      continue;
    }
    for (const std::size_t input : inputs) {
      add_apart(kind, input);
      // Alone it is in no product with another, which a 16-bit type would have to hold.
      if (kind == "sunken" && inputs.size() == 1) sets.back().parameters["by"] = sunken_alone_by;
    }
  }
  add_zeros();
  add_of_integers();
  add_of_indices();
  if (may_match(arguments))
    sets.push_back({"matches everywhere", std::string(matches_kind), {{undeclared, 1}}});
  return sets;
}

}  // namespace evo::evaluators::oracle
