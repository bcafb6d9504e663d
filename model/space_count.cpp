// How many legal genomes a space has, without looking at each.
#include <algorithm>
#include <cstdint>
#include <map>

#include "model/legality.hpp"
#include "model/space.hpp"
#include "model/space_count_order.hpp"

namespace evo::model {
namespace {

/// Sums and products stop at the largest number, which then stands for "or more".
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

LegalCount plus(LegalCount a, LegalCount b) {
  return {plus(a.all, b.all), plus(a.full_sync, b.full_sync)};
}
LegalCount times(LegalCount a, LegalCount b) {
  return {times(a.all, b.all), times(a.full_sync, b.full_sync)};
}

/// What a value adds to what the others make of it.
LegalCount weight_of(const Gene& gene, std::size_t value) {
  const bool weakened = gene.role == GeneRole::sync && value + 1 < gene.values.size();
  return {1, weakened ? 0U : 1U};
}

/// Enumerates the genes that constraints name, and tests a constraint as soon as its last gene has a value.
/// What then remains to be counted depends only on those values that later constraints ask for, so that each
/// combination of these is counted once.
class Counter {
 public:
  /// `one_is_enough`: the count is 0 or not, and no more than that.
  Counter(const Space& space, const GeneOrder& listed, bool one_is_enough = false)
      : space_(space),
        one_is_enough_(one_is_enough),
        legality_(space),
        bound_(cheapest_order(space, legality_, listed)),
        due_(constraints_due(legality_, bound_)),
        live_(asked_later(legality_, bound_)),
        known_(bound_.size() + 1),
        chosen_(bound_.size()),
        genome_(space.genes().size()) {}

  LegalCount count(std::size_t depth = 0) {
    for (const std::size_t constraint : due_[depth]) {
      if (!legality_.holds(constraint, genome_)) return {0, 0};
    }
    if (depth == bound_.size()) return {1, 1};
    // Where no gene has just been asked for the last time, nothing comes twice that did not one gene before.
    const bool may_be_known = depth > 0 && live_[depth].size() <= live_[depth - 1].size();
    std::vector<std::size_t> key;
    if (may_be_known) {
      for (const std::size_t i : live_[depth]) key.push_back(chosen_[i]);
      if (const auto known = known_[depth].find(key); known != known_[depth].end()) return known->second;
    }
    LegalCount total;
    const std::size_t gene = bound_[depth];
    for (std::size_t i = 0; i < space_.genes()[gene].values.size(); ++i) {
      if (one_is_enough_ && total.all != 0) break;
      chosen_[depth] = i;
      genome_[gene] = legality_.value(gene, i);
      total = plus(total, times(weight_of(space_.genes()[gene], i), count(depth + 1)));
    }
    if (may_be_known) known_[depth].emplace(std::move(key), total);
    return total;
  }

 private:
  const Space& space_;
  bool one_is_enough_;
  Legality legality_;
  GeneOrder bound_;                             ///< genes, as they are enumerated
  std::vector<std::vector<std::size_t>> due_;   ///< at a depth: constraints to test
  std::vector<std::vector<std::size_t>> live_;  ///< at a depth: places in bound_ that are asked for later
  std::vector<std::map<std::vector<std::size_t>, LegalCount>> known_;
  std::vector<std::size_t> chosen_;  ///< positions of values
  std::vector<Operand> genome_;
};

/// Genes that no constraint names only multiply the count.
struct SplitGenes {
  GeneOrder bound, free;
};

SplitGenes split(const Space& space) {
  SplitGenes genes;
  for (std::size_t i = 0; i < space.genes().size(); ++i) {
    const bool named = std::ranges::any_of(space.constraints(), [&](const Constraint& constraint) {
      return constraint.condition.names().contains(space.genes()[i].name);
    });
    (named ? genes.bound : genes.free).push_back(i);
  }
  return genes;
}

}  // namespace

std::uint64_t Space::count_all() const {
  std::uint64_t count = 1;
  for (const Gene& gene : genes_) count = times(count, gene.values.size());
  return count;
}

LegalCount Space::count_legal() const {
  const SplitGenes genes = split(*this);
  LegalCount free{1, 1};
  for (const std::size_t gene : genes.free) {
    LegalCount values;
    for (std::size_t j = 0; j < genes_[gene].values.size(); ++j)
      values = plus(values, weight_of(genes_[gene], j));
    free = times(free, values);
  }
  return times(free, Counter(*this, genes.bound).count());
}

bool Space::has_legal() const {
  const SplitGenes genes = split(*this);
  const auto empty = [&](std::size_t gene) { return genes_[gene].values.empty(); };
  return std::ranges::none_of(genes.free, empty) && Counter(*this, genes.bound, true).count().all != 0;
}

}  // namespace evo::model
