#include "model/timing_notes.hpp"

#include <algorithm>

namespace evo::model {

bool is_slowdown(std::string_view reason) {
  return reason.find("slowdown") != std::string_view::npos || reason == "power brake";
}

void add_reasons(std::string_view text, std::vector<std::string>& reasons) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t comma = std::min(text.find(", ", start), text.size());
    std::string word(text.substr(start, comma - start));
    if (std::ranges::find(reasons, word) == reasons.end()) reasons.push_back(std::move(word));
    start = comma + 2;
  }
}

std::vector<double> kept_samples(const std::vector<double>& us) {
  const std::size_t step = std::max<std::size_t>((us.size() + most_kept_samples - 1) / most_kept_samples, 1);
  std::vector<double> kept;
  for (std::size_t i = 0; i < us.size(); i += step) kept.push_back(static_cast<float>(us[i]));
  return kept;
}

}  // namespace evo::model
