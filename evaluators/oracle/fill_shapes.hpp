// Patterns (the kinds of patterns.hpp) within what a fill may hold: the ends of a range, spikes, hubs, runs.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {

/// Varies `values`, which draw_fill() has drawn, by the pattern `kind`. takes_pattern() holds of the fill's
/// form.
void shape_fill(const model::BoundArgument& argument, const model::BoundFill& fill, std::string_view kind,
                model::RandomStream stream, std::vector<double>& values);

/// Is there something of this pattern (a kind of patterns.hpp) within what such an argument may hold?
[[nodiscard]] bool takes_pattern(model::FillForm form, std::string_view kind);

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

}  // namespace evo::evaluators::oracle
