#include "engine/enumeration.hpp"

#include <algorithm>

#include "model/legality.hpp"

namespace evo::engine {
namespace {

/// Walks the combinations of values, and leaves a branch as soon as a constraint whose genes all have values
/// does not hold.
class Walk {
 public:
  Walk(const SearchTemplate& entry, const model::Genome* skipped, std::size_t most,
       std::vector<Listed>& found)
      : entry_(entry),
        legality_(entry.space),
        skipped_(skipped),
        most_(most),
        found_(found),
        due_(entry.space.genes().size() + 1),
        values_(entry.space.genes().size()) {
    for (std::size_t i = 0; i < legality_.constraints(); ++i) {
      const auto& genes = legality_.genes(i);
      due_[genes.empty() ? 0 : genes.back() + 1].push_back(i);
    }
  }

  void run(std::size_t depth = 0) {
    for (const std::size_t constraint : due_[depth]) {
      if (!legality_.holds(constraint, values_)) return;
    }
    const auto& genes = entry_.space.genes();
    if (depth == genes.size()) {
      if (skipped_ == nullptr || !(genome_ == *skipped_))
        found_.push_back({entry_.kernel_template.name, genome_});
      return;
    }
    for (std::size_t i = 0; i < genes[depth].values.size() && found_.size() < most_; ++i) {
      values_[depth] = legality_.value(depth, i);
      genome_.set(genes[depth].name, genes[depth].values[i]);
      run(depth + 1);
    }
  }

 private:
  const SearchTemplate& entry_;
  model::Legality legality_;
  const model::Genome* skipped_;
  std::size_t most_;
  std::vector<Listed>& found_;
  std::vector<std::vector<std::size_t>> due_;  ///< constraints whose last gene stands before this depth
  std::vector<model::Operand> values_;
  model::Genome genome_;
};

}  // namespace

std::vector<Listed> enumerate(const SearchSpace& space, std::size_t most) {
  std::vector<Listed> found;
  if (most == 0) return found;
  found.push_back({space.templates[space.baseline_template].kernel_template.name, space.baseline});
  for (std::size_t i = 0; i < space.templates.size() && found.size() < most; ++i)
    Walk(space.templates[i], i == space.baseline_template ? &space.baseline : nullptr, most, found).run();
  return found;
}

}  // namespace evo::engine
