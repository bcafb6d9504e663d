// Integers that are rounded from floating-point numbers, as a quantiser's: which of them is correct is
// undecided where the number lies so near the border of two that a rounding on the way takes it across.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// An element of an output for which a kernel in the problem's own precision could have computed something
/// else than the reference has.
struct Border {
  std::size_t element = 0;
  double other = 0;
  bool several = false;    ///< not one other number but more: no border of two
  bool of_kernel = false;  ///< `other` is what the problem's own code gives in float
  bool in_float = false;   ///< and the next number
  bool rounded = false;    ///< `other` is what Nearby::rounded gives, with the inputs as they are
};
/// Of each argument, ascending by element; empty for what is never undecided.
using Borders = std::vector<std::vector<Border>>;

/// Which answers are asked for the borders.
enum class Nearby {
  in_float,  ///< the oracle's answer in float alone
  moved,     ///< and its fp64 answers to inputs and scalars that are off by a few units in the last place
  rounded,   ///< and its answers in float where each result is one neighbour of the exact one or the other
};

/// What may show a border.
enum class BorderSearch {
  all,             ///< what Nearby names
  roundings_alone  ///< of inputs that are equal or ties on purpose: no change of theirs, and what is exact in
                   ///< float is decided
};

/// The borders of a case's data, given its inputs and outputs: where those answers differ from the outputs.
/// Found when first asked for; copies share what was found, and are for the same data. Thread-safe. The
/// result is good as long as a copy is.
using NearbyAnswers = std::function<const Borders&(const InputBuffers&, const ReferenceOutputs&, Nearby)>;

/// Is this output of integers decided nearly element by element, by few floating-point inputs each? Only then
/// does a rounding decide an element. Not a count, into which many go: it has an element for each 16 of the
/// inputs. Nor what starts from zeros or from given contents, as what is added up does: see may_be_stored().
/// Integers alone may be scaled by a floating-point number, or by one that a reference kernel names: its
/// answer in float tells.
[[nodiscard]] bool may_be_undecided(const model::Case& bound, std::size_t index);

/// The same of integers of 32 bits at most that are given, or start from zeros, and are written over, such as
/// a cache into which is quantised. Only elements that do not depend on what was there have a border: no sum
/// does. Of what starts from zeros only a reference kernel can tell.
[[nodiscard]] bool may_be_stored(const model::Case& bound, std::size_t index);

/// Is an output decided nearly element by element, where so many of its elements are decided? There are at
/// most 16 floating-point inputs for each then; without any, where a reference kernel can be asked.
[[nodiscard]] bool is_decided_by_few(const model::Case& bound, std::int64_t elements);

/// How many elements of so many may be undecided before it is no matter of borders.
[[nodiscard]] std::size_t most_undecided(std::size_t elements);

/// The same where a reference kernel in float crosses these borders itself: twice as many as it does, in all,
/// as an error may be twice the plain implementation's. Sums that are whole but for a rounding, in another
/// order.
[[nodiscard]] std::size_t most_crossed(const std::vector<Border>& in_float);

/// Where `answer` differs from `reference`.
[[nodiscard]] Borders borders_between(const model::Case& bound, const ReferenceOutputs& reference,
                                      const ReferenceOutputs& answer);

/// Empty where the case has no output that may be undecided. `oracle` must outlive it. `in_float`: the
/// borders that its answer in float shows, where that is known already. `held`: elements and scalars of these
/// sizes are not moved (compared_values.hpp).
[[nodiscard]] NearbyAnswers nearby_answers(const Oracle& oracle, const model::Case& bound,
                                           std::uint64_t entropy,
                                           std::optional<Borders> in_float = std::nullopt,
                                           std::vector<double> held = {},
                                           BorderSearch search = BorderSearch::all);

/// A declared class with bounds of 0: the problem asks for the very same integers.
[[nodiscard]] bool is_exact_class(const model::Tolerance& tolerance);

/// `reference[index]` (all elements of an integer output) with those of `actual` in their places that differ
/// and lie at a border. nullopt if there is one that lies at none, or if so many differ (more than
/// most_undecided, and more than most_crossed or not each by a rounding alone) that it is no matter of
/// borders. Those that a reference kernel itself rounds so in float are not counted: of whole numbers times
/// 0.05, one in twenty is a tie. `written` as in CompareOptions.
[[nodiscard]] std::optional<std::vector<double>> with_undecided(
    const model::BoundArgument& argument, std::size_t index, std::span<const std::byte> actual,
    const ReferenceOutputs& reference, std::span<const std::uint8_t> written, const InputBuffers& inputs,
    const NearbyAnswers& nearby);

}  // namespace evo::evaluators::oracle
