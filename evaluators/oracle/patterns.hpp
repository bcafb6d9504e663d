// Structured inputs that any problem sees, whatever it computes: what hides on normal data (a stale maximum,
// a clamp, fixed point, flushing, a lost element, an early exit) shows on one of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// Every pattern applied to each floating-point input of `arguments` apart, the others standard normal, and
/// some to all inputs at once; then those of integers (plain_integers.hpp). An argument with a fill of its
/// own keeps to what it may hold in all of them (fills.hpp). A set's parameter `argument` is the index of the
/// argument.
[[nodiscard]] std::vector<model::InputSet> structured_sets(const std::vector<model::Argument>& arguments);

/// A set of the kind `named`: normal, but in about half of the elements, of every floating-point input, one
/// of `numbers`, its neighbour in FP32, what is a 256th of it off or half as much again, and in a few of
/// every input of integers of 32 bits or more one of `integers` that it has room for (plain_integers.hpp).
/// Half of the numbers are those of `first`, if there are any: of `numbers` that an input is compared with
/// itself, others may be far more. In every second case those above 1024 are left out where there are others.
/// One that would leave FP16 in a sum with another stands in one input at a time. No set without such inputs
/// and their numbers. Those with a fill keep to it.
[[nodiscard]] std::optional<model::InputSet> set_of_numbers(const std::vector<model::Argument>& arguments,
                                                            const std::vector<double>& numbers,
                                                            const std::vector<std::int64_t>& integers = {},
                                                            const std::vector<double>& first = {});
/// Where outputs are floating-point numbers, for each input of integers that may hold words of bits: a set of
/// words, and in a few elements `integers`, of any size that the type has. Asked where it does hold words.
[[nodiscard]] std::vector<model::InputSet> sets_of_words(const std::vector<model::Argument>& arguments,
                                                         const std::vector<std::int64_t>& integers);
[[nodiscard]] model::Expected<void> put_numbers(const model::Case& bound, const model::InputSet& set,
                                                const InputKey& key, DraftInputs& draft);

/// Kind of the sets in which inputs of integers, or with a range, are at one end of what they may be, the one
/// that parameter `argument` names at its upper and the others at their lower: their difference is the
/// greatest, and no bit of two words is the same.
inline constexpr std::string_view ends_apart_kind = "ends_apart";

/// The kind that the set has for argument `index`: top or bottom, where it is one of ends apart.
[[nodiscard]] std::string_view kind_for(const model::InputSet& set, std::size_t index);

/// Of those, and of the sets in which all are at the same end.
[[nodiscard]] bool is_at_ends_of_ranges(const model::InputSet& set);

/// Kind of the sets in which half of the elements, and one row, are 0.
inline constexpr std::string_view zeros_kind = "zeros";

/// Kind of the sets in which an input, or all of them that may be, are 0 everywhere.
inline constexpr std::string_view all_zero_kind = "all_zero";

/// Of ties, near_ties and near_ties_below, near_comb, halves of any width and matches: no rounding may move
/// an integer that is made of them.
[[nodiscard]] bool has_ties(const model::InputSet& set);

/// Of lowest, highest and those beside infinities (specials.hpp).
[[nodiscard]] bool is_at_an_end(const model::InputSet& set);
/// One whose elements are equal to each other on purpose, ties and ends of the range among them.
[[nodiscard]] bool has_equals(const model::InputSet& set);

/// Is each floating-point output among the inputs (a maximum and where it is, a sort, a gather)? What else is
/// made of the least number of a type leaves its range, in one correct kernel or another.
[[nodiscard]] bool selects_inputs(const model::Case& bound, const InputBuffers& inputs,
                                  const Reference& reference);

/// How a pattern changes one input: `values` are row-major over the argument's shape, standard normal.
using Pattern = void (*)(const model::BoundArgument& argument, std::vector<double>& values,
                         std::uint64_t draw);

/// Applies a pattern to the argument that the set names, or to all inputs.
[[nodiscard]] model::Expected<void> apply_pattern(const model::Case& bound, const model::InputSet& set,
                                                  const InputKey& key, DraftInputs& draft, Pattern pattern);

/// Where one input is below zero by this much and all others are above it, each product of the one and
/// another is negative, and a sum of them far below zero: a maximum that starts at -100. Of 16 bits the
/// smaller.
inline constexpr double opposed_by = 6, halves_opposed_by = 1.5;
/// Far below zero, and close together: a maximum that starts at a number which is not low enough. In products
/// FP16 has room for as much as with large().
inline constexpr double sunken_by = 256, sunken_alone_by = 2048;
/// Of all inputs at once: x and its mean stay as far apart as they were, and what multiplies either before it
/// subtracts loses its digits. In FP16 products have room for the smaller.
inline constexpr double sunken_together_by = 2048, halves_sunken_together_by = 16;
/// The parameter of the kind `sunken` that raises all other inputs.
inline constexpr const char* raised_parameter = "raised";
[[nodiscard]] bool is_opposed(const model::InputSet& set);
/// Takes the set's `by` from the argument that it names, or from all inputs, and adds `raised` to the others.
[[nodiscard]] model::Expected<void> sink_inputs(const model::Case& bound, const model::InputSet& set,
                                                const InputKey& key, DraftInputs& draft);

/// Inputs of one size get the numbers of the first of them, times `sign` from one to the next: equal, or
/// nearly opposite.
[[nodiscard]] model::Expected<void> relate_inputs(const model::Case& bound, const model::InputSet& set,
                                                  const InputKey& key, DraftInputs& draft, double sign);

// The patterns. "Along" means along the last two dimensions both: which of them a kernel reduces over is not
// known.
void rising(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void falling(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void late_spike(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void early_spike(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void dominant(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// An ordinary row but for one number, 2^17 (f16: 2^12, types of 8 bits: 2^5): its first (every other time),
/// its last or any. Who leaves out what is small beside the largest loses all others.
void peak(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void plateau(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// 0 in the first numbers of a row, as many as half of it has room for of 32 or, in every other draw, of up
/// to 256, and 8 to 11 less in all others, a little apart: each lane has a largest number, and who leaves out
/// what is small beside it loses all the rest, which counts together. In every second row the first number
/// alone is 0, and the others 11 to 15 less.
void shelf(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void cancellation(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void ones(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void all_zero(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void zeros(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// For sets that a problem declares: about one element in 24, so that most rows have some and some have none.
void special_values(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void ties(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// The place, below 32, from which on every 32nd number of a row of `columns` stands out. For every other
/// `turn` one with as many of those behind it as any has: of 100 numbers lanes have three or four, and who
/// keeps three of each loses one of the few lanes that have four.
[[nodiscard]] std::size_t first_tooth(std::size_t columns, std::uint64_t draw, std::uint64_t turn);
void comb(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// As comb(), but the numbers that stand out are equal to within a unit in the last place: one behind others
/// of its lane is next above them, or all are one of two neighbours, or those that are least, or they differ
/// in their sign alone; rows, or vectors, take turns.
void near_comb(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// Along rows and columns so slowly that the largest of a tile is hardly above that of the tile before: who
/// takes it for the same is off by more with every tile.
void creeping(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void near_ties(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// As near_ties() and comb(), but what stands out lies below all else: who looks for the least, as for the
/// nearest or the first in order, decides between those. Shown where an output is an integer.
void near_ties_below(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void comb_below(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void halves(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void narrow_halves(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void denormal(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void large(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void larger(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void vast(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void huge(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void huge_negative(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// Next to the least (largest) number of the type: below (above) each number that a maximum (minimum) might
/// begin with. Asked only of what selects, see selects_inputs().
void lowest(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void highest(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// For sets that lead kernels into their paths for NaNs: about one element in 24.
void not_numbers(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void tiny(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
/// Over 2^2 to 2^6, another for each draw; and over 2^7 to 2^11.
void faint(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void fainter(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);
void small(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw);

}  // namespace evo::evaluators::oracle
