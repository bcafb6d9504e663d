// Strides and scalars of crossed cases: several parameters have values of their own at once.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "model/random.hpp"
#include "model/stride_groups.hpp"

namespace evo::evaluators::gates {

/// Which of CrossedChanges's levels; 0 is what the problem declares.
struct ParameterLevels {
  std::size_t strides = 0, scalars = 0;
  [[nodiscard]] static ParameterLevels declared() { return {}; }
  /// Strides that keep vectors aligned, and other scalars.
  [[nodiscard]] static ParameterLevels all_changed() { return {1, 1}; }
};

class CrossedChanges {
 public:
  /// `problem` stays as long as this does.
  explicit CrossedChanges(const model::Problem& problem);

  /// As declared, longer by whole vectors, by an odd number, packed; 1 if no array may have its own.
  [[nodiscard]] std::size_t stride_levels() const { return groups_.empty() ? 1 : 4; }
  /// As declared, another value each, one (or minus one); 1 if there is no such scalar.
  [[nodiscard]] std::size_t scalar_levels() const { return scalars_.empty() ? 1 : 3; }

  /// Each group of arrays gets strides, and each floating-point scalar a value, apart from the others'. A
  /// level that there is none of changes nothing.
  [[nodiscard]] model::CaseChanges draw(const model::Case& bound, const ParameterLevels& levels,
                                        model::RandomStream& stream) const;

  /// Has a floating-point scalar another value?
  [[nodiscard]] bool rescales(const model::CaseChanges& changes) const;

 private:
  std::vector<model::StrideGroup> groups_;
  std::vector<std::size_t> scalars_;  ///< floating-point ones that may change
  std::map<std::size_t, model::ScalarRange> ranges_;
};

}  // namespace evo::evaluators::gates
