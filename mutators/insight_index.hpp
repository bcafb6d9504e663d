// What the insights say of codes of one space.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/insight.hpp"
#include "mutators/coded_space.hpp"

namespace evo::mutators {

/// The insights about one template, found by positions: operators ask for them thousands of times.
class InsightIndex {
 public:
  /// `insights` is kept by reference; what it says of genes or values that `space` lacks is left out.
  InsightIndex(const model::Insights& insights, std::string_view template_name, const CodedSpace& space);

  /// The effect of a gene's value; nullptr when nothing is known.
  [[nodiscard]] const model::ValueEffect* effect(std::size_t gene, std::size_t value) const {
    return effects_[gene][value];
  }
  /// The first failure pattern that covers `code`; nullptr if none does.
  [[nodiscard]] const model::FailurePattern* covering(const Code& code) const;
  /// Sum over the changed genes of the known effects, new minus old; nullopt when no changed gene has both.
  [[nodiscard]] std::optional<double> predicted_change(const Code& from, const Code& to) const;

 private:
  struct Pattern {
    const model::FailurePattern* failure;
    std::vector<std::pair<std::size_t, std::uint16_t>> when;  ///< gene, value
  };
  std::vector<std::vector<const model::ValueEffect*>> effects_;
  std::vector<Pattern> patterns_;
};

/// "g3-f2 (BLOCK_N=64, STAGES=3: over_budget by spills, 14 of 14)".
[[nodiscard]] std::string cite(const model::FailurePattern& pattern);
/// "g3-e12 (BLOCK_N=64: -12.1 % [-15.0, -9.1], 9 trials)".
[[nodiscard]] std::string cite(const model::ValueEffect& effect);

}  // namespace evo::mutators
