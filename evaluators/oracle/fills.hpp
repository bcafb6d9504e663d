// Contents of arguments that say themselves what they hold (model/fill.hpp): drawn, and varied within what
// they may hold.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {

/// Replaces the drafts of all arguments that have a fill in this set: drawn from it, shaped by the set's kind
/// where takes_pattern() says so (and the set means this argument); what follows another argument last.
void draw_fills(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                DraftInputs& draft);

/// Kind of the set in which stretches are equal: long ones without a flag, say, and long ones with.
inline constexpr std::string_view runs_kind = "runs";
/// Kind of the set in which numbers of a range are what a rounding behind a power of two decides: `halves`
/// keeps to few bits, so that sums of products stay exact.
inline constexpr std::string_view fine_halves_kind = "fine_halves";
/// Kind of the set of integers that are an odd multiple of a power of two, or next to one: what a shift
/// that divides rounds, and whoever makes a narrower float of a float's bits.
inline constexpr std::string_view odd_multiples_kind = "odd_multiples";
/// The range, from its least number to its largest, that such integers need: words rather than counts.
inline constexpr double least_span_of_words = 0x1p24;
/// One of them, of any power of two with the same odds, within a range of so many; half of those of 32 bits
/// are floats of middling size by their bits.
[[nodiscard]] double odd_multiple(double low, double high, model::RandomStream& stream);
/// Each stretch of 1 to 256 holds its first value, most of them short.
void hold_in_runs(model::RandomStream& stream, std::vector<double>& values);

/// What hangs on another argument once more, on what that holds now: columns are copied, rows that would end
/// before they begin or beyond the last are cut.
void follow_others(const model::Case& bound, const model::InputSet& set, DraftInputs& draft);

/// False: a fill of numbers that are written down, and 0 is not between them.
[[nodiscard]] bool may_be_zero(const model::Fill& fill);

/// A fill of integers with numbers that are written down, as far apart as words?
[[nodiscard]] bool holds_words_of_bits(const model::Fill& fill);

/// Is there something of this pattern (a kind of patterns.hpp) within what such an argument may hold?
[[nodiscard]] bool takes_pattern(model::FillForm form, std::string_view kind);

}  // namespace evo::evaluators::oracle
