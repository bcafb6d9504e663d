#include "evaluators/oracle/input_sets.hpp"

#include <algorithm>
#include <array>

#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/compared_values.hpp"
#include "evaluators/oracle/fill_shapes.hpp"
#include "evaluators/oracle/longest.hpp"
#include "evaluators/oracle/matching.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/reaching_values.hpp"
#include "evaluators/oracle/relations.hpp"
#include "evaluators/oracle/saturating.hpp"
#include "evaluators/oracle/specials.hpp"
#include "evaluators/oracle/tails.hpp"
#include "evaluators/oracle/transforms.hpp"

namespace evo::evaluators::oracle {
namespace {

/// The draft stands for inputs that are not recorded; see make_inputs().
model::Expected<void> unchanged(const model::Case&, const model::InputSet&, const InputKey&, DraftInputs&) {
  return {};
}

model::Expected<void> normal(const model::Case&, const model::InputSet& set, const InputKey&,
                             DraftInputs& draft) {
  const double mean = parameter(set, "mean", 0);
  const double deviation = parameter(set, "deviation", 1);
  for (std::vector<double>& values : draft) {
    for (double& value : values) value = mean + deviation * value;
  }
  return {};
}

template <Pattern shape>
model::Expected<void> pattern(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                              DraftInputs& draft) {
  return apply_pattern(bound, set, key, draft, shape);
}

template <int sign>
model::Expected<void> related(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                              DraftInputs& draft) {
  return relate_inputs(bound, set, key, draft, sign);
}

constexpr std::array kinds{
    InputKind{"normal", "every input standard normal (parameters mean, deviation)", false, 1, &normal, false,
              0, "mean|deviation"},
    InputKind{"scale", "times `factor` (parameter argument: of this one alone)", false, 1, &scale, false, 0,
              "factor|argument"},
    InputKind{"ramp", "times `low` (0.25) to `high` (4) along dimension `axis` (argument: of this one alone)",
              false, 1, &ramp, false, 0, "low|high|axis|argument"},
    InputKind{"constant", "`value` (1) everywhere (parameter argument: of this one alone)", false, 1,
              &constant, false, 0, "value|argument"},
    InputKind{"shift", "plus `by` (parameter argument: of this one alone)", false, 1, &shift, false, 0,
              "by|argument"},
    InputKind{"rising", "grow along rows and columns (parameter argument: of this one alone)", false, 1,
              &pattern<rising>, true, 0, "argument"},
    InputKind{"falling", "fall along rows and columns (parameter argument: of this one alone)", false, 1,
              &pattern<falling>, true, 0, "argument"},
    InputKind{"late_spike", "+120 in the last row and column (parameter argument: of this one alone)", false,
              1, &pattern<late_spike>, true, 0, "argument"},
    InputKind{"early_spike", "+120 in the first row and column (parameter argument: of this one alone)",
              false, 1, &pattern<early_spike>, true, 0, "argument"},
    InputKind{"dominant", "1, but for a 120 in each row (parameter argument: of this one alone)", false, 1,
              &pattern<dominant>, true, 0, "argument"},
    InputKind{"peak",
              "normal, but for one 2^17 (f16: 2^12) in each row (parameter argument: of this one alone)",
              false, 1, &pattern<peak>, true, 0, "argument"},
    InputKind{"faint", "over 2^2 to 2^6 (parameter argument: of this one alone)", false, 1, &pattern<faint>,
              true, 0, "argument"},
    InputKind{"fainter", "over 2^7 to 2^11 (parameter argument: of this one alone)", false, 1,
              &pattern<fainter>, true, 0, "argument"},
    InputKind{"plateau",
              "0, but for a number from 6 to 25 in each row (parameter argument: of this one alone)", false,
              1, &pattern<plateau>, true, 0, "argument"},
    InputKind{"shelf",
              "0 in the first 32 to 256 of each row, elsewhere 8 to 11 less (parameter argument: of this one "
              "alone)",
              false, 1, &pattern<shelf>, true, 0, "argument"},
    InputKind{"cancellation",
              "neighbours of opposite sign, 120 large (parameter argument: of this one alone)", false, 1,
              &pattern<cancellation>, true, 0, "argument"},
    InputKind{"ones", "1 everywhere (parameter argument: of this one alone)", false, 1, &pattern<ones>, true,
              0, "argument"},
    InputKind{"zeros", "half of the elements, and one row, are 0 (parameter argument: of this one alone)",
              false, 1, &pattern<zeros>, true, 0, "argument"},
    InputKind{all_zero_kind, "0 everywhere (parameter argument: of this one alone)", false, 1,
              &pattern<all_zero>, true, 0, "argument"},
    InputKind{"denormal", "below the smallest normal number (parameter argument: of this one alone)", false,
              1, &pattern<denormal>, true, 0, "argument"},
    InputKind{"large", "times 2^20 (f16: 2^8) (parameter argument: of this one alone)", false, 1,
              &pattern<large>, true, 0, "argument"},
    InputKind{"larger", "times 2^10 (f16: 2^4) (parameter argument: of this one alone)", false, 1,
              &pattern<larger>, true, 0, "argument"},
    InputKind{matches_kind, "normal, but stretches of arrays of integers are taken from others of their type",
              false, 1, &unchanged, true},
    InputKind{"vast", "times 2^36 (f16: 2^8) (parameter argument: of this one alone)", false, 1,
              &pattern<vast>, true, 0, "argument"},
    InputKind{"small", "over 2^20 (f16: 2^8) (parameter argument: of this one alone)", false, 1,
              &pattern<small>, true, 0, "argument"},
    InputKind{"huge", "times 2^122 (f16: 2^8) (parameter argument: of this one alone)", false, 1,
              &pattern<huge>, true, 0, "argument"},
    InputKind{"huge_negative", "the same, and negative (parameter argument: of this one alone)", false, 1,
              &pattern<huge_negative>, true, 0, "argument"},
    InputKind{"tiny", "over 2^100 (f16: 2^8) (parameter argument: of this one alone)", false, 1,
              &pattern<tiny>, true, 0, "argument"},
    InputKind{"ties",
              "whole numbers from -2 to 2, so that many are equal (parameter argument: of this one alone)",
              false, 1, &pattern<ties>, true, 0, "argument"},
    InputKind{"comb",
              "+16 in every 32nd element of a row, equal in every second row (parameter argument: of this "
              "one alone)",
              false, 1, &pattern<comb>, true, 0, "argument"},
    InputKind{"near_comb",
              "normal, but every 32nd element of a row is far from the others, and within a unit in the last "
              "place of its like, or of their opposites (parameter argument: of this one alone)",
              false, 1, &pattern<near_comb>, true, 0, "argument"},
    InputKind{"creeping",
              "1/16 and up to 2^-15 more from one element to the next, along rows and columns (parameter "
              "argument: of this one alone)",
              false, 1, &pattern<creeping>, true, 0, "argument"},
    InputKind{runs_kind,
              "stretches of equal integers, up to 256 long (parameter argument: of this one alone)", false, 1,
              &unchanged, true, 0, "argument"},
    InputKind{odd_multiples_kind,
              "integers that are an odd multiple of a power of two, or next to one (parameter argument: of "
              "this one alone)",
              false, 1, &unchanged, true, 0, "argument"},
    InputKind{"next", "integers that an axis ends are the index of the next element", false, 1, &unchanged,
              true},
    InputKind{"previous", "integers that an axis ends are the index of the element before", false, 1,
              &unchanged, true},
    InputKind{"path", "the first such integers are their own index, the second the next one's, and so on",
              false, 1, &unchanged, true},
    InputKind{"swapped", "integers that an axis ends are their own index, some neighbours exchanged", false,
              1, &unchanged, true},
    InputKind{"scalar",
              "integers of a range are all, or all but one, an integer scalar that is a number, or in turn "
              "with some "
              "that have its low 8 or 16 bits",
              false, 1, &unchanged, true},
    InputKind{
        "winding",
        "the least integer along a way to and fro, the largest beside it (parameter argument: of this one "
        "alone)",
        false, 1, &unchanged, true, 0, "argument"},
    InputKind{"winding_high", "the same the other way round (parameter argument: of this one alone)", false,
              1, &unchanged, true, 0, "argument"},
    InputKind{"chain",
              "square matrices in which the number from each index to the next is the least (parameter "
              "argument: of this one alone)",
              false, 1, &unchanged, true, 0, "argument"},
    InputKind{"euclid", "integers are neighbours in Fibonacci's sequence", false, 1, &unchanged, true},
    InputKind{longest_kind, "what the problem's reference kernel takes longest for, of some dozens of draws",
              false, 1, &unchanged, true},
    InputKind{
        "near_ties",
        "neighbours in the type above 1, and zeros of both signs (parameter argument: of this one alone)",
        false, 1, &pattern<near_ties>, true, 0, "argument"},
    InputKind{"near_ties_below",
              "neighbours in the type below -1, and zeros of both signs with nothing below them (parameter "
              "argument: of this one alone)",
              false, 1, &pattern<near_ties_below>, true, 0, "argument"},
    InputKind{
        "comb_below",
        "-16 in every 32nd element of a row, in every second row equal to within a unit in the last place "
        "(parameter argument: of this one alone)",
        false, 1, &pattern<comb_below>, true, 0, "argument"},
    InputKind{
        "halves",
        "odd multiples of 1/2 to 1/1024, which integers are made of by rounding in the middle (parameter "
        "argument: of this one alone)",
        false, 1, &pattern<halves>, true, 0, "argument"},
    InputKind{"narrow_halves",
              "in the middle between two BF16, two halves or TF32, or two FP8 (parameter argument: of this "
              "one alone)",
              false, 1, &pattern<narrow_halves>, true, 0, "argument"},
    InputKind{ends_apart_kind,
              "integers, and numbers of a range, at the lower end, those of parameter argument at the upper",
              false, 1, &unchanged, true, 0, "argument"},
    InputKind{fine_halves_kind,
              "in the middle between two multiples of 1 to 1/256, in an argument that has a range (parameter "
              "argument: of this one alone)",
              false, 1, &unchanged, true, 0, "argument"},
    InputKind{tail_kind, "close together about `about` (0) (parameter argument: of this one alone)", false, 1,
              &shape_tail, true, 0, "about|argument"},
    InputKind{near_zero_kind,
              "a 65536th of itself, in an argument that has a range (parameter argument: of this one alone)",
              false, 1, &unchanged, true, 0, "argument"},
    InputKind{"sunken",
              "less `by` (256), and all others more by `raised` (parameter argument: of this one alone)",
              false, 1, &sink_inputs, true, 0, "by|raised|argument"},
    InputKind{"lowest",
              "next to the least number of the type; asked where outputs are among the inputs (parameter "
              "argument: of this one alone)",
              false, 1, &pattern<lowest>, true, 0, "argument"},
    InputKind{"highest",
              "next to the largest number of the type; asked where outputs are among the inputs (parameter "
              "argument: of this one alone)",
              false, 1, &pattern<highest>, true, 0, "argument"},
    InputKind{"not_numbers", "normal, but for NaNs here and there (parameter argument: of this one alone)",
              false, 1, &pattern<not_numbers>, true, 0, "argument"},
    InputKind{"wide", "integers as large as their type allows (parameter argument: of this one alone)", false,
              1, &unchanged, true, 0, "argument"},
    InputKind{"extremes",
              "integers at the ends of their type, 0, 1 and -1 (parameter argument: of this one alone)",
              false, 1, &unchanged, true, 0, "argument"},
    InputKind{bits_kind,
              "integers of any bits of their type; of what no problem declares, only where they are words of "
              "bits (parameter argument: of this one alone)",
              false, 1, &unchanged, true, 0, "argument"},
    InputKind{"high", "large integers (parameter argument: of this one alone)", false, 1, &unchanged, true, 0,
              "argument"},
    InputKind{"low", "integers far below 0 (parameter argument: of this one alone)", false, 1, &unchanged,
              true, 0, "argument"},
    InputKind{
        "top",
        "integers next to the largest, and numbers at the upper end of their range (parameter argument: "
        "of this one alone)",
        false, 1, &unchanged, true, 0, "argument"},
    InputKind{
        "bottom",
        "integers next to the least, and numbers at the lower end of their range (parameter argument: of "
        "this one alone)",
        false, 1, &unchanged, true, 0, "argument"},
    InputKind{"negative", "integers below 0 (parameter argument: of this one alone)", false, 1, &unchanged,
              true, 0, "argument"},
    InputKind{"special_values",
              "normal, but for infinities and NaNs here and there, which the outputs must have where the "
              "reference has them (parameter argument: of this one alone)",
              false, 1, &pattern<special_values>, false, 0, "argument", true},
    InputKind{nans_kind,
              "NaN in rows and elements, which the outputs must have where the reference has them (parameter "
              "argument: of this one alone)",
              false, 1, &unchanged, false, 0, "argument", true},
    InputKind{infinities_kind, "infinity, likewise (parameter argument: of this one alone)", false, 1,
              &unchanged, false, 0, "argument", true},
    InputKind{negative_infinities_kind, "minus infinity, likewise (parameter argument: of this one alone)",
              false, 1, &unchanged, false, 0, "argument", true},
    InputKind{mixed_kind, "NaN likewise, and infinities beside them (parameter argument: of this one alone)",
              false, 1, &unchanged, false, 0, "argument", true},
    InputKind{
        ends_below_kind,
        "minus infinity, and the least number of the type in rows and elements; asked where outputs are "
        "among the inputs (parameter argument: of this one alone)",
        false, 1, &unchanged, false, 0, "argument", true},
    InputKind{ends_above_kind,
              "infinity, and the largest number of the type in rows and elements; asked where outputs are "
              "among the inputs (parameter argument: of this one alone)",
              false, 1, &unchanged, false, 0, "argument", true},
    InputKind{"named", "normal, but for numbers that the candidate's code compares with", false, 1,
              &put_numbers, true},
    InputKind{compared_kind, "normal, but for the numbers that elements are compared with as they are", false,
              1, &unchanged, true},
    InputKind{reaching_kind,
              "few numbers, of which sums and products are equal to what the code compares with", false, 1,
              &unchanged, true},
    InputKind{"recorded", "the arrays of the oracle's files; of a workload that they lack, normal ones",
              false, 1, &unchanged},
    InputKind{related_kind,
              "normal, but stretches of inputs of one shape are equal, shifted, neighbours, opposites or the "
              "half of others, add up to a round number, or are the sum of two",
              false, 1, &unchanged, true},
    InputKind{saturating_kind,
              "about `limit` (448) and `tie` (464), where rounding to it ends, and far above (parameter "
              "argument: of this one alone)",
              false, 1, &saturate_inputs, true, 0, "limit|tie|argument"},
    InputKind{brimming_kind,
              "one element in 61 from half of the type's largest number up to it, all else 0, 1/2 or 1 of "
              "either sign; asked "
              "where an output in FP16 is near its end (parameter argument: of this one alone)",
              false, 1, &brim_inputs, true, 0, "argument"},
    InputKind{"equal", "all inputs of one size are the same", false, 1, &related<1>, true},
    InputKind{"opposite", "inputs of one size nearly cancel each other", false, 1, &related<-1>, true},
};

}  // namespace

std::span<const InputKind> generic_input_kinds() {
  return kinds;
}

std::vector<std::string> parameter_names(const InputKind& kind) {
  std::vector<std::string> names;
  for (std::string_view rest = kind.parameters; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    names.emplace_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  names.insert(names.end(), {"exact", "tolerance_factor"});
  return names;
}

}  // namespace evo::evaluators::oracle
