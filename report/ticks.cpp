#include "report/ticks.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace evo::report {

std::vector<double> ticks_between(double low, double high, bool log) {
  std::vector<double> ticks;
  if (!(high > low) || !std::isfinite(low) || !std::isfinite(high) || (log && low <= 0)) return ticks;
  if (log) {
    const int first = static_cast<int>(std::floor(std::log10(low))),
              last = static_cast<int>(std::ceil(std::log10(high)));
    const bool many = last - first > 4;
    const int stride = std::max(1, (last - first) / 8);
    for (int power = first; power <= last; power += stride) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double tick = factor * std::pow(10.0, power);
        if (tick >= low && tick <= high && (!many || factor == 1.0)) ticks.push_back(tick);
      }
    }
    if (ticks.size() >= 3) return ticks;
    ticks.clear();
  }
  const double rough = (high - low) / 6;
  double step = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {5.0, 2.0}) {
    if (step * factor <= rough * 1.5) {
      step *= factor;
      break;
    }
  }
  for (double tick = std::ceil(low / step) * step; tick <= high * (1 + 1e-12); tick += step)
    ticks.push_back(std::abs(tick) < step * 1e-9 ? 0 : tick);
  return ticks;
}

std::string short_number(double value) {
  const double size = std::abs(value);
  for (const auto& [limit, letter] : {std::pair{1e12, "T"}, std::pair{1e9, "G"}, std::pair{1e6, "M"}}) {
    if (size >= limit) return fmt::format("{:.4g}{}", value / limit, letter);
  }
  if (size >= 1e4) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

}  // namespace evo::report
