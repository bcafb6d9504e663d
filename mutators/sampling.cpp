#include "mutators/sampling.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "model/legality.hpp"

namespace evo::mutators {
namespace {

using model::Gene;
using model::GeneRole;
using model::Genome;
using model::Legality;
using model::RandomStream;
using model::Space;

template <class T>
void shuffle(std::vector<T>& items, RandomStream& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

/// A gene and the positions of the values to try, best first.
struct Choice {
  std::size_t gene;
  std::vector<std::size_t> values;
};

/// Depth-first completion that tests a constraint as soon as its last gene has a value. Gives up after
/// `node_limit` assignments, so that a hard space costs a bounded time.
class Completion {
 public:
  Completion(const Space& space, const Legality& legality, std::vector<Choice> choices, int node_limit)
      : space_(space),
        legality_(legality),
        choices_(std::move(choices)),
        due_(choices_.size() + 1),
        chosen_(choices_.size()),
        genome_(choices_.size()),
        nodes_(node_limit) {
    std::vector<std::size_t> depth_of(choices_.size());
    for (std::size_t i = 0; i < choices_.size(); ++i) depth_of[choices_[i].gene] = i + 1;
    for (std::size_t constraint = 0; constraint < legality_.constraints(); ++constraint) {
      std::size_t last = 0;
      for (const std::size_t gene : legality_.genes(constraint)) last = std::max(last, depth_of[gene]);
      due_[last].push_back(constraint);
    }
  }

  std::optional<Genome> find() {
    if (!descend(0)) return std::nullopt;
    Genome genome;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      genome.set(space_.genes()[i].name, space_.genes()[i].values[chosen_[i]]);
    }
    return genome;
  }

 private:
  bool descend(std::size_t depth) {
    for (const std::size_t constraint : due_[depth]) {
      if (!legality_.holds(constraint, genome_)) return false;
    }
    if (depth == choices_.size()) return true;
    const std::size_t gene = choices_[depth].gene;
    for (const std::size_t value : choices_[depth].values) {
      if (--nodes_ < 0) return false;
      chosen_[gene] = value;
      genome_[gene] = legality_.value(gene, value);
      if (descend(depth + 1)) return true;
    }
    return false;
  }

  const Space& space_;
  const Legality& legality_;
  std::vector<Choice> choices_;
  std::vector<std::vector<std::size_t>> due_;  ///< at a depth: constraints to test
  std::vector<std::size_t> chosen_;            ///< of each gene: its value's position
  std::vector<model::Operand> genome_;
  int nodes_;
};

using ValueOrder = std::function<std::vector<std::size_t>(const Gene&)>;

std::vector<std::size_t> positions(const Gene& gene) {
  std::vector<std::size_t> all(gene.values.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// A few completions in different orders of the genes: one unlucky order can hide a solution that another
/// finds.
std::optional<Genome> complete(const Space& space, RandomStream& random, const ValueOrder& order) {
  constexpr int restarts = 8;
  constexpr int node_limit = 4000;
  const Legality legality(space);
  for (int restart = 0; restart < restarts; ++restart) {
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < space.genes().size(); ++i) choices.push_back({i, order(space.genes()[i])});
    shuffle(choices, random);
    auto genome = Completion(space, legality, std::move(choices), node_limit).find();
    if (genome && space.legal(*genome)) return genome;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Genome> random_legal(const Space& space, RandomStream& random) {
  constexpr int rejections = 48;
  for (int attempt = 0; attempt < rejections; ++attempt) {
    Genome genome;
    for (const Gene& gene : space.genes()) {
      genome.set(gene.name, gene.role == GeneRole::sync ? gene.values.back()
                                                        : gene.values[random.below(gene.values.size())]);
    }
    if (space.legal(genome)) return genome;
  }
  auto strong = complete(space, random, [&](const Gene& gene) {
    if (gene.role == GeneRole::sync) return std::vector<std::size_t>{gene.values.size() - 1};
    std::vector<std::size_t> values = positions(gene);
    shuffle(values, random);
    return values;
  });
  if (strong) return strong;
  return complete(space, random, [&](const Gene& gene) {
    std::vector<std::size_t> values = positions(gene);
    if (gene.role == GeneRole::sync) {
      std::reverse(values.begin(), values.end());
    } else {
      shuffle(values, random);
    }
    return values;
  });
}

}  // namespace evo::mutators
