// The search for launches that run the code which the shapes of the sanitize gate did not run.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "evaluators/gates/sanitize_launch.hpp"
#include "evaluators/gates/search_budget.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "model/variant.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::gates {

/// Keeps in `never` what a further launch did not run either; `now` is its LaunchReport::unexecuted.
void keep_unexecuted(std::vector<model::Evidence>& never, const std::vector<model::Evidence>& now);

/// What is left of the blocks of code that no launch has run. Each search ends as soon as nothing is left, a
/// launch of it failed in a way that counts (`failure`), or the budget is spent.
class CoverageSearch {
 public:
  CoverageSearch(const SanitizeBench& bench, std::vector<model::Evidence> never, SearchBudget most)
      : budget(most), bench_(bench), left_(std::move(never)) {}

  /// Runs `others` where they are not too heavy, the lightest first, light ones also with their arrays placed
  /// where vectors do not begin. `blocks_share`: crowds of blocks that wait for each other are left out.
  void sizes(const std::vector<model::Case>& others, const oracle::InputSource& inputs, bool blocks_share);
  /// Runs `shapes`, whose blocks see what others do, in permuted orders: a block that looks back at one which
  /// is still at work does so in few of them.
  void orders(const std::vector<model::Case>& shapes, const oracle::InputSource& inputs);
  /// Runs `shapes` and light `others` with each of the `further` sets. A launch that fails counts for
  /// nothing: whether the problem means such data is the correctness gate's to say.
  void data(const std::vector<model::Case>& shapes, const std::vector<model::Case>& others,
            const oracle::Catalogue& known, std::span<const model::InputSet> further);
  /// Runs whole what ran in some of its blocks: a path may be for the others. Takes nothing of the budget.
  void whole(const std::vector<const model::Case*>& sampled, const oracle::InputSource& inputs);

  [[nodiscard]] const std::vector<model::Evidence>& left() const { return left_; }
  [[nodiscard]] std::vector<model::Evidence>& left() { return left_; }

  SearchBudget budget;
  std::optional<model::Failure> failure;
  /// A "reached_by_data" note for each block that only special data reached.
  std::vector<model::Evidence> notes;

 private:
  [[nodiscard]] bool over() const { return left_.empty() || budget.spent(); }

  const SanitizeBench& bench_;
  std::vector<model::Evidence> left_;
};

}  // namespace evo::evaluators::gates
