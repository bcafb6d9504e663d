#include <array>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/compare.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Two numbers with as few digits as tell them apart, six at least.
std::array<std::string, 2> told_apart(double a, double b) {
  std::array<std::string, 2> texts;
  for (const int digits : {6, 9, 17}) {
    texts = {fmt::format("{:.{}g}", a, digits), fmt::format("{:.{}g}", b, digits)};
    if (texts[0] != texts[1]) break;
  }
  return texts;
}

}  // namespace

std::string Comparison::text(const std::string& argument) const {
  if (pass) return fmt::format("{}: correct, relative Frobenius error {:.3g}", argument, relative_frobenius);
  std::string line;
  if (reason == "gap_overwritten") {
    line = fmt::format("{}: {} bytes between the addressed elements were overwritten", argument, gap_bytes);
  } else if (reason == "unwritten") {
    line = fmt::format("{}: {} of {} elements were never written", argument, unwritten, elements);
  } else if (reason == "non_finite") {
    line = fmt::format("{}: {} of {} elements are NaN or infinite", argument, non_finite, elements);
  } else if (mismatched > 0) {
    line = fmt::format("{}: {} of {} elements differ where equality is required", argument, mismatched,
                       elements);
  } else {
    line = fmt::format("{}: relative Frobenius error {:.3g}, largest error {:.3g} of the rms", argument,
                       relative_frobenius, max_abs_over_rms);
    if (allowed) {
      line += fmt::format(
          "; rms error {:.3g} (allowed by the plain implementation's {:.3g}), largest {:.3g} ({:.3g})",
          error_rms, allowed->rms, error_largest, allowed->largest);
    }
  }
  for (std::size_t i = 0; i < worst.size(); ++i) {
    const auto [is, should] = told_apart(worst[i].actual, worst[i].expected);
    line += fmt::format("{}{}[{}] is {}, should be {}", i == 0 ? "; worst: " : ", ", argument,
                        fmt::join(worst[i].coordinates, ","), is, should);
  }
  return line;
}

}  // namespace evo::evaluators::oracle
