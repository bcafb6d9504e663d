#include "evaluators/oracle/reference_data.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/compared_values.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/exact_words.hpp"
#include "evaluators/oracle/few_numbers.hpp"
#include "evaluators/oracle/float_range.hpp"
#include "evaluators/oracle/long_rounds.hpp"
#include "evaluators/oracle/longest.hpp"
#include "evaluators/oracle/moved_ranges.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/plain_errors.hpp"
#include "evaluators/oracle/poles.hpp"
#include "evaluators/oracle/reaching_values.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "evaluators/oracle/saturating.hpp"
#include "evaluators/oracle/specials.hpp"
#include "evaluators/oracle/tails.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// False: a sum that makes an output may leave the type's range on its way, in some order of its terms,
/// though the output itself does not. Asked only near the end of the range: there the answer to the inputs'
/// magnitudes bounds such sums. `finite`: the answer, but for infinities that are meant.
bool sums_are_representable(const Oracle& oracle, const model::Case& bound, const ReferenceData& data,
                            const Reference& finite) {
  constexpr double near_the_end = 0x1p-20;
  if (share_of_range(bound, finite) < near_the_end) return true;
  const InputBuffers without_signs = magnitudes(bound, data.inputs);
  Reference sums;
  auto outputs = data.rows.empty() ? oracle.compute(bound, without_signs)
                                   : oracle.compute_rows(bound, without_signs, data.rows);
  if (!outputs) return true;
  sums.outputs = without_infinities(std::move(*outputs), data);
  return representable(bound, sums);
}

/// Where all that goes in is 0, and the answer is: no change of the inputs and no share of the answer
/// measures what a kernel is off that adds and takes away numbers about 1 on its way. A few roundings of
/// those.
void grant_about_zero(const model::Case& bound, ReferenceData& data) {
  constexpr double few_roundings = 0x1p-20, few_of_double = 0x1p-46;
  for (std::size_t i = 0; i < bound.arguments.size() && i < data.outputs.size(); ++i) {
    const model::BoundArgument& output = bound.arguments[i];
    if (!model::is_judged(output.role) || !model::is_floating(output.dtype)) continue;
    if (!std::ranges::all_of(data.outputs[i], [](double value) { return value == 0; })) continue;
    const double roundings = output.dtype == model::DType::f64 ? few_of_double : few_roundings;
    const double off = std::max(roundings, half_ulp(output.dtype, 1));
    data.conditioning.resize(bound.arguments.size());
    data.conditioning[i] = {std::max(data.conditioning[i].rms, off),
                            std::max(data.conditioning[i].largest, off)};
  }
}

void grant_no_integer(const model::Case& bound, std::vector<OutputErrors>& conditioning) {
  for (std::size_t i = 0; i < conditioning.size(); ++i) {
    if (!model::is_floating(bound.arguments[i].dtype)) conditioning[i] = {};
  }
}

/// Of an output of integers, does its oracle in float give another where results are rounded to one neighbour
/// or the other, or can nobody tell? Then correct kernels differ by more elements than anybody is granted.
bool integers_hang_on_roundings(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                                const Reference& reference) {
  constexpr std::uint64_t rounded_draws = 4;
  const auto is_whole = [&](std::size_t i) {
    return model::is_judged(bound.arguments[i].role) && !model::is_floating(bound.arguments[i].dtype);
  };
  bool any = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) any = any || is_whole(i);
  for (std::uint64_t draw = 0; any && draw < rounded_draws; ++draw) {
    if (oracle.computed == nullptr || !reference.rows.empty()) return true;
    const auto answer = oracle.computed->compute_rounded(bound, inputs, draw);
    if (!answer) return true;
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      if (is_whole(i) && (*answer)[i] != reference.outputs[i]) return true;
    }
  }
  return false;
}

bool is_undeclared(const model::Case& bound, const model::InputSet& set) {
  return parameter(set, undeclared_parameter, 0) != 0 || bound.undeclared_scalar.has_value() ||
         (bound.reference_budget != 0 && set.kind != bits_kind);  // those get one from limited_by()
}

/// Where the answer to finite numbers has poles, a kernel must have them, too. A NaN stays no answer.
SetRules rules_for(const Catalogue& known, const Oracle& oracle, const model::Case& bound,
                   const model::InputSet& set, const ReferenceData& data) {
  SetRules rules = rules_of(known, set);
  rules.special_values |= has_infinity(data) && are_poles(oracle, bound, data.inputs, data);
  return rules;
}

/// Where the infinities of the answer are meant, all of its other values are to fit.
bool all_representable(const Oracle& oracle, const model::Case& bound, const ReferenceData& data) {
  const auto fits = [&](const Reference& finite) {
    return representable(bound, finite) && sums_are_representable(oracle, bound, data, finite);
  };
  if (!data.rules.special_values) return fits(data);
  Reference others;
  others.outputs = without_infinities(data.outputs, data);
  return fits(others);
}

/// `single`: the oracle's answer in float, where it was asked for.
NearbyAnswers nearby_of(const Oracle& oracle, const model::Case& bound, const model::InputSet& set,
                        const InputKey& key, const ReferenceData& data,
                        const std::optional<ReferenceOutputs>& single) {
  std::optional<Borders> in_single;
  if (single) in_single = borders_between(bound, data.outputs, *single);
  return nearby_answers(oracle, bound, key.seed, std::move(in_single), compared_values(bound, set),
                        has_equals(set) ? BorderSearch::roundings_alone : BorderSearch::all);
}

/// `bound` with an end to what its reference may run, where the set asks for one. What is no word may be the
/// count of a loop: the reference would run for hours on it.
std::optional<model::Case> limited_by(const model::Case& bound, const model::InputSet& set) {
  const bool long_rounds = is_of_long_rounds(set.kind) || set.kind == longest_kind;
  if ((set.kind != bits_kind && !long_rounds) || bound.reference_budget != 0) return std::nullopt;
  if (long_rounds && parameter(set, undeclared_parameter, 0) == 0)
    return std::nullopt;  // a problem asks for it
  model::Case limited = bound;
  // Nobody said that what goes round on such data ends.
  limited.reference_budget = std::uint64_t{1} << (long_rounds ? 28 : 32);
  return limited;
}

/// Where all hangs on a few integers, or an output is a few numbers, the plain implementation counts as it is
/// on other draws of them, too.
void raise_by_other_draws(const Catalogue& known, const Oracle& oracle, const model::Case& bound,
                          const model::InputSet& set, const InputKey& key, ReferenceData& data) {
  const bool by_integers = hangs_on_few_integers(bound);
  const auto counts = [&](std::size_t i) {
    return by_integers || is_of_few_numbers(bound, bound.arguments[i]);
  };
  bool any = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) any = any || counts(i);
  // Of a program there is no plain answer, and each that it gives costs a start.
  if (any && !by_integers && oracle.computed != nullptr) {
    const auto in_float = oracle.computed->compute_plain(bound, data.inputs, {});
    if (!in_float || !*in_float) return;
  }
  for (std::uint64_t draw = 1; any && draw <= 4; ++draw) {
    const InputKey other{key.seed ^ draw * 0x9e3779b97f4a7c15U, key.rotation};
    auto inputs = make_inputs(known, bound, set, other);
    if (!inputs || !oracle.can_answer(bound, *inputs)) continue;
    // The floating-point numbers stay where only what few integers make of them is to be drawn anew.
    for (std::size_t i = 0; by_integers && i < inputs->size() && i < data.inputs.size(); ++i) {
      const model::BoundArgument& argument = bound.arguments[i];
      if (model::is_given(argument.role) && is_floating(argument.dtype)) (*inputs)[i] = data.inputs[i];
    }
    const auto reference =
        make_reference(oracle, bound, *inputs, other.seed, std::numeric_limits<double>::infinity());
    if (!reference || !reference->rows.empty() || !representable(bound, *reference)) continue;
    if (!by_integers && !are_as_large(bound, data.outputs, reference->outputs)) continue;
    const bool undeclared = is_undeclared(bound, set) && !data.rules.special_values;
    const auto errors = measure_plain(oracle, bound, *inputs, *reference, {0, other.seed, undeclared, false});
    if (!errors) continue;
    const auto larger = larger_errors(data.plain_errors, data.outputs, *errors, reference->outputs);
    for (std::size_t i = 0; i < larger.size(); ++i)
      if (counts(i)) data.plain_errors[i] = larger[i];
  }
}

/// Only where the data decides how far a kernel may be off: elsewhere the class's own bounds are what is
/// asked. Of many elements, one pair that ties decides nothing.
BlurredElements ranges_of(const Oracle& oracle, const model::Case& bound, const model::InputSet& set,
                          const InputKey& key, double conditioning, const ReferenceData& data) {
  constexpr std::size_t most_elements = 65536;
  std::size_t elements = 0;
  for (const auto& values : data.outputs) elements += values.size();
  if (conditioning <= rounding_of_inputs(bound) || data.conditioning.empty()) return {};
  if (elements > most_elements || !data.rows.empty()) return {};
  return moved_ranges(oracle, bound, conditioning, key.seed, compared_values(bound, set));
}

}  // namespace

std::shared_ptr<const ReferenceData> make_reference_data(const Catalogue& known,
                                                         const std::string& oracle_name, const DataOf& of,
                                                         std::vector<std::int64_t> rows,
                                                         std::optional<InputBuffers> made) {
  const auto limited = limited_by(of.bound, of.set);
  const model::Case& bound = limited ? *limited : of.bound;
  const model::InputSet& set = of.set;
  const InputKey& key = of.key;
  const double conditioning = of.conditioning;
  const auto refuse = [&](const std::string& message) {
    return model::Exception(model::ExitCode::invalid_configuration, message);
  };
  const Oracle* oracle = known.find_oracle(oracle_name);
  if (oracle == nullptr) {
    throw refuse(
        fmt::format("unknown oracle {}; known are {}", oracle_name, fmt::join(known.oracle_names(), ", ")));
  }
  if (oracle->computed == nullptr) {
    for (const model::BoundArgument& argument : bound.arguments) {
      if (argument.role == model::ArgumentRole::inout)
        throw refuse(
            fmt::format("the oracle {} knows no inout argument ({}); a kernel does: oracle: {{kernel: "
                        "reference.cu}}",
                        oracle_name, argument.name));
    }
  }
  auto data = std::make_shared<ReferenceData>();
  if (made) {
    data->inputs = std::move(*made);
  } else {
    auto inputs = make_inputs(known, bound, set, key);
    if (!inputs) throw refuse(inputs.error().text());
    data->inputs = std::move(*inputs);
  }
  if (!oracle->can_answer(bound, data->inputs)) {
    data->outputs.resize(bound.arguments.size());
    data->in_domain = false;
    return data;
  }
  const bool undeclared = is_undeclared(bound, set);
  const auto beyond_the_domain = [&] {
    data->outputs.resize(bound.arguments.size());
    data->in_domain = false;
    return data;
  };
  // Other rows for each set and rotation, so that together they cover more.
  model::RandomStream entropy(
      {.seed = key.seed, .generation = key.rotation, .slot = 0, .purpose = "rows of " + set.name});
  const std::uint64_t row_entropy = entropy.next_u64();
  if (!rows.empty() && oracle->computes_rows(bound)) {
    auto outputs = oracle->compute_rows(bound, data->inputs, rows);
    if (!outputs && undeclared) return beyond_the_domain();
    if (!outputs) throw refuse(outputs.error().text());
    data->outputs = std::move(*outputs);
    data->rows = std::move(rows);
  } else {
    auto reference = make_reference(*oracle, bound, data->inputs, row_entropy, of.whole_flops);
    if (!reference && undeclared) return beyond_the_domain();  // it faults on such data, say
    if (!reference) throw refuse(reference.error().text());
    static_cast<Reference&>(*data) = std::move(*reference);
  }
  const bool asked_for = rules_of(known, set).special_values;
  data->rules = rules_for(known, *oracle, bound, set, *data);
  const bool special = data->rules.special_values;
  // What a NaN goes into unasked may give another, or none: correct kernels differ there.
  if (parameter(set, inferred_parameter, 0) != 0 && has_nan(*data)) return beyond_the_domain();
  if (undeclared && !asked_for && !all_representable(*oracle, bound, *data)) {
    data->in_domain = false;
    return data;
  }
  std::optional<ReferenceOutputs> single;  // once for all that ask
  if (undeclared) single = in_float(*oracle, bound, data->inputs, *data);
  if (undeclared && !float_can_take(bound, *data, single)) {
    data->in_domain = false;
    return data;
  }
  if (undeclared && set.kind == bits_kind && !holds_words(*oracle, bound, set, data->inputs, *data, key.seed))
    return beyond_the_domain();
  if (undeclared && set.kind == "denormal" && integers_hang_on_denormals(*oracle, bound, data->inputs, *data))
    return beyond_the_domain();
  const bool at_an_end = is_at_an_end(set);
  if (undeclared && at_an_end && !selects_inputs(bound, data->inputs, *data)) return beyond_the_domain();
  if (undeclared && set.kind == brimming_kind && !reaches_the_brim(bound, *data)) return beyond_the_domain();
  // Nobody is granted a border on sampled rows, and of equals only what hangs on a rounding of the reference
  // itself. Elsewhere a set stays that has a few: a candidate chooses numbers of its code, and must not
  // choose by them that nobody looks.
  const bool granted = !has_equals(set) && data->rows.empty();
  const bool chosen = set.kind == named_kind || bound.undeclared_scalar.has_value();
  if (undeclared && !(granted ? float_reaches_integers(bound, *data, single, chosen)
                              : float_keeps_integers(bound, *data, single)))
    return beyond_the_domain();
  if (undeclared && set.kind == reaching_kind &&
      integers_hang_on_roundings(*oracle, bound, data->inputs, *data))
    return beyond_the_domain();
  if (data->rows.empty()) data->nearby = nearby_of(*oracle, bound, set, key, *data, single);
  if (data->rows.empty()) data->blurred = blurred_elements(*oracle, bound);
  if (data->rows.empty()) data->undefined = undefined_elements(*oracle, bound, undeclared);
  data->words = exact_words(*oracle, bound, data->inputs, *data);
  const double of_few = conditioning > 0 ? 0 : rounding_of_few(bound);
  if (conditioning > 0 || of_few > 0) {
    auto moved = measure_conditioning(*oracle, bound, data->inputs, *data, std::max(conditioning, of_few),
                                      key.seed, compared_values(bound, set));
    if (!moved && conditioning > 0) throw refuse(moved.error().text());
    if (!moved) moved = std::vector<OutputErrors>{};  // such inputs cannot be moved: nothing is granted
    data->conditioning = std::move(*moved);
    data->doubled_at_most = of_few > 0;
    data->moved = ranges_of(*oracle, bound, set, key, conditioning, *data);
    // A change of the inputs breaks the ties that the set is for, or makes the last number in front of
    // infinity one. And who computes in 16 bits has integers equal all the same.
    if (has_ties(set) || is_of_infinite_ends(set) || of_few > 0 || bound.computes_in)
      grant_no_integer(bound, data->conditioning);
  }
  if (of.plain) {
    auto plain_errors = measure_plain(*oracle, bound, data->inputs, *data,
                                      {conditioning, key.seed, undeclared && !special,
                                       undeclared && is_of_tails(set), single ? &*single : nullptr});
    if (!plain_errors && undeclared) {
      data->in_domain = false;
      return data;
    }
    if (!plain_errors) throw refuse(fmt::format("input set {}: {}", set.name, plain_errors.error().text()));
    data->plain_errors = std::move(*plain_errors);
    if (data->rows.empty() && key.rotation == 0) raise_by_other_draws(known, *oracle, bound, set, key, *data);
  }
  if (set.kind == all_zero_kind) grant_about_zero(bound, *data);
  return data;
}

void find_again(const Oracle& oracle, const DataOf& of, bool with_nearby, ReferenceData& data) {
  const auto limited = limited_by(of.bound, of.set);
  const model::Case& asked = limited ? *limited : of.bound;
  if (data.rows.empty()) data.blurred = blurred_elements(oracle, asked);
  if (data.rows.empty()) data.undefined = undefined_elements(oracle, asked, is_undeclared(of.bound, of.set));
  data.moved = ranges_of(oracle, asked, of.set, of.key, of.conditioning, data);
  if (!with_nearby) return;
  std::optional<ReferenceOutputs> single;
  if (is_undeclared(of.bound, of.set)) single = in_float(oracle, asked, data.inputs, data);
  data.nearby = nearby_of(oracle, asked, of.set, of.key, data, single);
}

}  // namespace evo::evaluators::oracle
