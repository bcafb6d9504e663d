#include "diagnose/stage_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/root_mean_square.hpp"

namespace evo::diagnose {
namespace {

namespace oracle = evaluators::oracle;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t worst_kept = 5;
constexpr std::int64_t enough_values = 16;  // fewer may be what FP16 holds by chance

/// One number for all wrong elements, if there is one.
class Ratio {
 public:
  void add(double expected, double actual) {
    if (!std::isfinite(expected) || !(std::abs(expected) > 1e-3) || !std::isfinite(actual)) return;
    const double ratio = actual / expected;
    low_ = std::min(low_, ratio);
    high_ = std::max(high_, ratio);
    ++count_;
  }
  [[nodiscard]] std::optional<double> value() const {
    const double middle = (low_ + high_) / 2;
    if (count_ < 4 || !(high_ - low_ <= 0.02 * std::abs(middle)) || std::abs(middle - 1) < 0.01)
      return std::nullopt;
    return middle;
  }

 private:
  double low_ = infinity, high_ = -infinity;
  std::int64_t count_ = 0;
};

/// A Ratio for each row.
class RowRatios {
 public:
  void add(std::int64_t row, double expected, double actual) { rows_[row].add(expected, actual); }
  /// True if enough rows have one, most do, and they differ.
  [[nodiscard]] bool differ() const {
    constexpr std::int64_t enough_rows = 4;
    double low = infinity, high = -infinity;
    std::int64_t known = 0;
    for (const auto& [row, ratio] : rows_) {
      const auto value = ratio.value();
      if (!value) continue;
      ++known;
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
    return known >= enough_rows && 10 * known >= 9 * std::ssize(rows_) && high - low > 0.05 * std::abs(high);
  }

 private:
  std::map<std::int64_t, Ratio> rows_;
};

/// One value of all wrong elements, if there is one.
class Sameness {
 public:
  void add(double actual) {
    low_ = std::min(low_, actual);
    high_ = std::max(high_, actual);
    ++count_;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (count_ < 4 || !std::isfinite(low_) || low_ == 0 || !(high_ - low_ <= 1e-6 * std::abs(low_)))
      return std::nullopt;
    return low_;
  }

 private:
  double low_ = infinity, high_ = -infinity;
  std::int64_t count_ = 0;
};

double severity(const WorstElement& element) {
  const double error = std::abs(element.actual - element.expected);
  return std::isnan(error) ? infinity : error;
}

void keep_worst(std::vector<WorstElement>& worst, const WorstElement& element) {
  const auto place = std::find_if(worst.begin(), worst.end(), [&](const WorstElement& other) {
    return severity(element) > severity(other);
  });
  worst.insert(place, element);
  if (worst.size() > worst_kept) worst.pop_back();
}

}  // namespace

StageCheck check_stage(const oracle::StageReference& reference, std::span<const double> actual,
                       const std::vector<bool>& computed, const model::Tolerance& tolerance) {
  StageCheck check;
  check.rows = reference.rows;
  check.columns = reference.columns;
  const double bound = tolerance.max_abs_over_rms * oracle::root_mean_square(reference.values);
  Mask mask{reference.rows, reference.columns, std::vector<bool>(reference.values.size(), false)};
  const auto mark = [&](std::size_t i, std::int64_t row, std::int64_t column) {
    mask.marked[i] = true;
    if (!check.first_wrong) check.first_wrong = {row, column};
    if (reference.tile_columns <= 0) return;
    const std::int64_t tile = column / reference.tile_columns;
    check.first_wrong_tile = std::min(check.first_wrong_tile.value_or(tile), tile);
  };
  Ratio ratio;
  RowRatios row_ratios;
  Sameness sameness;
  double error_squares = 0, reference_squares = 0;
  std::int64_t seen = 0;
  bool half = true;
  for (std::size_t i = 0; i < reference.values.size(); ++i) {
    const std::int64_t row = static_cast<std::int64_t>(i) / reference.columns;
    const std::int64_t column = static_cast<std::int64_t>(i) % reference.columns;
    const double want = reference.values[i];
    const bool skippable = !reference.skippable.empty() && reference.skippable[i];
    if (!computed.empty() && !computed[i]) {
      if (skippable) continue;
      ++check.not_computed;
      mark(i, row, column);
      continue;
    }
    const double got = actual[i];
    ++seen;
    half = half && (!std::isfinite(got) || oracle::double_from_half(oracle::half_from_double(got)) == got);
    if (want == got) {  // minus infinity among them
      if (std::isfinite(want)) reference_squares += want * want;
      continue;
    }
    const bool finite = std::isfinite(got);
    check.unmasked += want == -infinity && finite;
    check.overmasked += got == -infinity && std::isfinite(want);
    if (!finite && !(got == -infinity && std::isfinite(want))) {
      ++check.non_finite;
      if (!check.first_non_finite) check.first_non_finite = {row, column};
    }
    const double error = std::abs(got - want);
    if (finite && std::isfinite(want)) {
      error_squares += error * error;
      reference_squares += want * want;
    }
    if (error <= bound) continue;  // a NaN is not
    ++check.wrong;
    mark(i, row, column);
    keep_worst(check.worst, {row, column, want, got});
    ratio.add(want, got);
    row_ratios.add(row, want, got);
    sameness.add(got);
  }
  check.relative_frobenius = error_squares == 0 ? 0 : std::sqrt(error_squares / reference_squares);
  check.correct =
      check.wrong == 0 && check.not_computed == 0 && check.relative_frobenius <= tolerance.relative_frobenius;
  check.pattern = find_pattern(mask);
  check.constant_ratio = ratio.value();
  check.ratio_by_row = !check.constant_ratio && row_ratios.differ();
  check.constant_value = sameness.value();
  check.half_values = half && seen >= enough_values;
  return check;
}

std::string text_of(const StageCheck& check) {
  std::string text = fmt::format("{} x {}, slice {}: relative error {:.3g}", check.rows, check.columns,
                                 check.slice, check.relative_frobenius);
  if (check.correct) return text + ", correct";
  if (check.wrong + check.not_computed > 0) text += fmt::format("; wrong: {}", check.pattern.text);
  if (check.not_computed > 0) text += fmt::format("; {} never computed", check.not_computed);
  if (check.unmasked > 0) text += fmt::format("; {} that the mask should hide", check.unmasked);
  if (check.overmasked > 0) text += fmt::format("; {} hidden that should not be", check.overmasked);
  if (check.first_non_finite) {
    text += fmt::format("; {} NaN or infinite, first at [{}, {}]", check.non_finite,
                        (*check.first_non_finite)[0], (*check.first_non_finite)[1]);
  }
  if (check.constant_ratio) text += fmt::format("; all wrong by the factor {:.4g}", *check.constant_ratio);
  for (std::size_t i = 0; i < check.worst.size(); ++i) {
    const WorstElement& worst = check.worst[i];
    text += fmt::format("{}[{}, {}] is {:.6g}, should be {:.6g}", i == 0 ? "; worst: " : ", ", worst.row,
                        worst.column, worst.actual, worst.expected);
  }
  return text;
}

}  // namespace evo::diagnose
