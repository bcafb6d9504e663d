// The operators of a search, drawn by weight.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mutators/mutator.hpp"
#include "mutators/weights.hpp"

namespace evo::mutators {

/// What a proposal comes from.
enum class Source : std::uint8_t {
  offspring,  ///< bred from parents that the strategy picks
  neighbour,  ///< beside one of the best
  immigrant,  ///< drawn afresh
};

/// A legal code that was bred from parents[from], and from parents[mate] where it has two parents.
struct Bred {
  Code code;
  std::size_t from = 0;
  std::optional<std::size_t> mate;
  std::vector<std::string_view> steps;  ///< the operators that made it, in their order
  std::string rationale;
};

/// "uniform_crossover+gene_mutation"
[[nodiscard]] std::string joined(std::span<const std::string_view> steps);

/// The operators with their weights. Thread-safe.
class OperatorSet {
 public:
  /// `weights` as weights_of() gives them.
  explicit OperatorSet(const Weights& weights);

  /// True where the operator's weight is above 0.
  [[nodiscard]] bool enabled(std::string_view name) const { return share(name) > 0; }
  /// The operator's weight over the sum of all.
  [[nodiscard]] double share(std::string_view name) const;
  /// Whatever its weight. `name` must be one of operator_names().
  [[nodiscard]] const Mutator& find(std::string_view name) const;

  /// Draws by weight: `neighbour` and `random_immigrant` are sources of their own, all other operators breed.
  [[nodiscard]] Source draw_source(model::RandomStream& random) const;

  /// An offspring of parents[first]: an operator is drawn by weight, and another one where it is not
  /// applicable. A crossed child (its mate is parents[mate()]; mate() gives nullopt where there is none) is
  /// changed once more with OperatorSettings::after_crossover. nullopt when no operator is applicable.
  [[nodiscard]] std::optional<Bred> breed(const CodedSpace& space, std::span<const Parent> parents,
                                          std::size_t first,
                                          const std::function<std::optional<std::size_t>()>& mate,
                                          model::RandomStream& choice, model::RandomStream& genes,
                                          const Hints& hints) const;

 private:
  struct Entry {
    std::unique_ptr<Mutator> mutator;
    double weight = 0;
    bool breeds = false;
  };
  class Draw;

  std::vector<Entry> entries_;
  double sum_ = 0;
};

}  // namespace evo::mutators
