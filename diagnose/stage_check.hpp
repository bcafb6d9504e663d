// One dumped matrix against its fp64 reference.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diagnose/patterns.hpp"
#include "evaluators/oracle/stages.hpp"
#include "model/problem.hpp"

namespace evo::diagnose {

struct WorstElement {
  std::int64_t row = 0, column = 0;
  double expected = 0, actual = 0;
};

struct StageCheck {
  std::string name;     ///< "S"; an output's name
  std::string formula;  ///< of the stage; empty for an output
  std::int64_t rows = 0, columns = 0;
  std::int64_t slice = 0;
  bool correct = false;
  double relative_frobenius = 0;  ///< over finite elements that were computed
  std::int64_t wrong = 0, non_finite = 0, not_computed = 0, unmasked = 0, overmasked = 0;
  std::optional<std::array<std::int64_t, 2>> first_wrong, first_non_finite;  ///< row, column
  std::optional<std::int64_t> first_wrong_tile;  ///< where the reference knows tiles
  std::vector<WorstElement> worst;               ///< up to five, worst first
  Pattern pattern;
  std::optional<double>
      constant_ratio;         ///< actual / expected, where it is one number over all wrong elements
  bool ratio_by_row = false;  ///< one such number for each row, and not the same for all
  std::optional<double> constant_value;  ///< actual, where all wrong elements have one value, and not 0
  bool half_values = false;              ///< every value, of 16 or more, is one that FP16 holds
  std::vector<std::string> matches;      ///< hypotheses of the formula that the dump agrees with
};

/// Where a matrix must stay: an element is wrong unless |error| <= max_abs_over_rms * rms(reference); the
/// whole is correct when no element is wrong and the relative Frobenius error is within its bound. Minus
/// infinities must agree. `computed` says which elements were dumped at all (empty: all).
[[nodiscard]] StageCheck check_stage(const evaluators::oracle::StageReference& reference,
                                     std::span<const double> actual, const std::vector<bool>& computed,
                                     const model::Tolerance& tolerance);

/// "65 x 65, slice 0: 130 wrong, the last 1 columns (64 to 64); worst [0, 64] is 0.3, should be 0"
[[nodiscard]] std::string text_of(const StageCheck& check);

}  // namespace evo::diagnose
