// Scalars that are shares: the weights of running averages, probabilities. Adam takes the root of a second
// moment, which a weight above 1 makes negative.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace evo::intake {

/// What such a scalar may be, where evo says it.
constexpr const char* share_range = "[0.05, 0.95]";

/// Values within share_range; neighbours do not get the same.
constexpr std::array<const char*, 3> share_values{"0.75", "0.5", "0.625"};
/// Those that are tried where a share gives the answer that another one gives: within share_range, none of
/// `share_values`.
constexpr std::array<const char*, 2> other_share_values{"0.25", "0.875"};

/// The share of the scalar at this place.
[[nodiscard]] constexpr const char* share_at(std::size_t index) {
  return share_values[index % share_values.size()];
}

/// Whether a scalar of this name, as the code writes it, usually is a share: beta1, emaDecay, keep_prob.
[[nodiscard]] inline bool names_share(const std::string& name) {
  std::string small = name;
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // prob, prob_1, probLeft, PROB_A; not problem, PROBLEM.
  const auto begins_with_word = [&](std::string_view word) {
    if (!small.starts_with(word)) return false;
    if (name.size() == word.size()) return true;
    const auto next = static_cast<unsigned char>(name[word.size()]);
    const auto last = static_cast<unsigned char>(name[word.size() - 1]);
    return std::isalpha(next) == 0 || (std::isupper(next) != 0 && std::islower(last) != 0);
  };
  return small == "b1" || small == "b2" || (small.starts_with("beta") && small.size() > 4) ||
         small == "rho" || small.starts_with("momentum") || small.ends_with("decay") ||
         small.ends_with("prob") || small.starts_with("probabilit") || small.starts_with("dropout") ||
         begins_with_word("ema") || begins_with_word("prob");
}

}  // namespace evo::intake
