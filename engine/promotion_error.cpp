#include "engine/promotion_error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/verdicts.hpp"

namespace evo::engine {
namespace {

/// Of n >= 1; a little more than it is, so that the shares do not add up to more than the whole.
double harmonic(std::int64_t n) {
  const auto number = static_cast<double>(std::max<std::int64_t>(n, 1));
  return std::log(number) + std::numbers::egamma + 1 / (2 * number);
}

/// An evo before this bound looked at three intervals of this confidence.
double error_of_older(const model::PairedComparison& comparison) {
  constexpr int looks = 3;
  return looks * (1 - comparison.confidence) / 2;
}

}  // namespace

PromotionError::PromotionError(double of_run, std::int64_t most)
    : of_run_(of_run), harmonic_(harmonic(most)) {}

double PromotionError::share(std::int64_t i) const {
  return of_run_ / (static_cast<double>(i) * harmonic_);
}

void PromotionError::add(const model::PairedComparison& comparison, bool promoted) {
  ++comparisons_;
  const double error = comparison.error ? *comparison.error : error_of_older(comparison);
  unbounded_ = unbounded_ || !comparison.error;
  if (error > 0) count(error, promoted);
}

void PromotionError::count(double error, bool promoted) {
  ++decided_;
  open_ = std::max(open_, error);
  if (promoted) return;
  spent_ += open_;
  open_ = 0;
  ++lost_;
}

void PromotionError::add(const TrialRecord& trial) {
  if (trial.paired) return add(*trial.paired, trial.status == model::Status::better);
  if (trial.reason != comparison_failed) return;
  ++comparisons_;
  count(next(), false);
}

double PromotionError::bound() const {
  // What is still to come adds no more than the bound of a whole run.
  return std::min(1.0, unbounded_ ? spent() + of_run_ : of_run_);
}

}  // namespace evo::engine
