// Judges an output against its reference. Written so that nothing passes by accident: a NaN or an infinity
// never passes (but where special_values are asked for), every bound is tested as !(error <= bound), and
// every addressed element counts, also where only sampled rows have a reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluators/oracle/row_sample.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

struct CompareOptions {
  model::Tolerance tolerance;
  bool exact = false;  ///< every element must equal the reference rounded to the output's type
  /// The 32-bit pattern that the buffer was filled with before the launch, repeated from its first byte.
  std::optional<std::uint32_t> poison;
  /// Rows of the output that the reference holds (Reference::rows); empty: all. Of the others nothing is
  /// known but that their elements must be written and finite: with a finite poison, an element that equals
  /// it is unwritten.
  std::span<const std::int64_t> rows{};
  /// What the tolerance's reference_factor is multiplied with; where it is missing, that rule lets nothing
  /// through.
  std::optional<OutputErrors> plain_errors{};
  /// Granted besides the tolerance: three times what the reference moves by (conditioning.hpp), and the
  /// smallest steps of the output's type, which flushing to zero is within.
  std::optional<OutputErrors> conditioning{};
  /// `conditioning` grants no more than the tolerance itself does.
  bool doubled_at_most = false;
  /// Errors of an element within this share of its reference count as none.
  double relative = 0;
  /// Of a launch of some blocks: one byte for each byte of the buffer, not 0 where the launch wrote. Elements
  /// that it did not write are passed over. Empty: every element counts.
  std::span<const std::uint8_t> written{};
  /// Of an inout: the whole buffer before the launch. A wrong element that still holds it is unwritten;
  /// `poison` then says what the gaps hold.
  std::span<const std::byte> given{};
  /// The poison is zeros that a kernel may count on: an element that holds it is unwritten only where it is
  /// wrong.
  bool zeroed = false;
  /// `exact` also lets so many of the type's numbers on either side of the rounded one through.
  unsigned exact_ulps = 0;
  /// Where the reference is a NaN the output must be one, and where it is infinite, the same infinity; the
  /// other elements are judged as ever. Without it such a reference passes nothing.
  bool special_values = false;
};

struct Deviation {
  std::vector<std::int64_t> coordinates;
  double expected = 0, actual = 0;
};

struct Comparison {
  bool pass = false;
  /// The most telling reason: gap_overwritten, unwritten, non_finite, mismatch; empty when passed.
  std::string reason;
  std::int64_t elements = 0;
  std::int64_t non_finite = 0;  ///< outputs that are NaN or infinite (unwritten ones are not among them)
  std::int64_t unwritten = 0;   ///< wrong outputs that still hold the poison
  std::int64_t gap_bytes = 0;   ///< bytes between elements that no longer hold the poison
  std::int64_t mismatched = 0;  ///< exact: elements that differ
  double relative_frobenius = 0;
  /// Of the largest error, less half a unit in the last place of the output's type at the reference: one
  /// row of few terms among rows of many can be so much larger than the rms that its rounding alone exceeds
  /// any useful bound. Where the comparison passes without that allowance, it is not subtracted.
  double max_abs_over_rms = 0;
  double reference_rms = 0;
  /// The same errors in units of the output: the root of their mean square, and the largest, likewise less
  /// half a unit in the last place.
  double error_rms = 0, error_largest = 0;
  /// Of what is refused, how near it came: the share of the judged elements that are wrong (not finite, not
  /// written, or further off than the largest error may be; where none is, than their root mean square may
  /// be), and the errors over their bounds, the larger of the two, at least 1 where an error is the reason.
  double wrong_share = 0, times_bound = 0;
  /// With plain_errors: what the rule reference_factor allowed for these two.
  std::optional<OutputErrors> allowed{};
  std::vector<Deviation> worst;  ///< up to five, worst first

  /// One line: what failed, by how much, and the worst elements.
  [[nodiscard]] std::string text(const std::string& argument) const;
};

/// `actual` holds the argument's whole buffer, `reference` its logical elements in row-major order, all or
/// those of options.rows.
[[nodiscard]] Comparison compare(const model::BoundArgument& argument, std::span<const std::byte> actual,
                                 std::span<const double> reference, const CompareOptions& options);

/// Logical indices of the elements of an argument of which `written` (CompareOptions::written) has a byte.
[[nodiscard]] std::vector<std::int64_t> written_elements(const model::BoundArgument& argument,
                                                         std::span<const std::uint8_t> written);

/// A pattern whose every aligned element of `dtype` is a NaN (an arbitrary number for integers), varied by
/// `draw`; with `finite` a large finite number instead, for kernels that look for NaNs.
[[nodiscard]] std::uint32_t poison_pattern(model::DType dtype, std::uint32_t draw, bool finite);

}  // namespace evo::evaluators::oracle
