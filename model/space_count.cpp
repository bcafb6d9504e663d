// How many legal genomes a space has, without looking at each.
#include <algorithm>
#include <cstdint>
#include <map>

#include "model/legality.hpp"
#include "model/space.hpp"

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
  Counter(const Space& space, std::vector<std::size_t> bound)
      : space_(space),
        legality_(space),
        bound_(std::move(bound)),
        due_(bound_.size() + 1),
        live_(bound_.size() + 1),
        known_(bound_.size() + 1),
        chosen_(bound_.size()),
        genome_(space.genes().size()) {
    std::vector<std::size_t> asked_last(bound_.size());  // the depth of the last constraint that names a gene
    for (std::size_t constraint = 0; constraint < legality_.constraints(); ++constraint) {
      std::vector<std::size_t> named;
      for (const std::size_t gene : legality_.genes(constraint)) {
        named.push_back(
            static_cast<std::size_t>(std::find(bound_.begin(), bound_.end(), gene) - bound_.begin()));
      }
      const std::size_t depth = named.empty() ? 0 : *std::max_element(named.begin(), named.end()) + 1;
      due_[depth].push_back(constraint);
      for (const std::size_t i : named) asked_last[i] = std::max(asked_last[i], depth);
    }
    for (std::size_t depth = 0; depth <= bound_.size(); ++depth) {
      for (std::size_t i = 0; i < depth; ++i) {
        if (asked_last[i] > depth) live_[depth].push_back(i);
      }
    }
  }

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
      chosen_[depth] = i;
      genome_[gene] = legality_.value(gene, i);
      total = plus(total, times(weight_of(space_.genes()[gene], i), count(depth + 1)));
    }
    if (may_be_known) known_[depth].emplace(std::move(key), total);
    return total;
  }

 private:
  const Space& space_;
  Legality legality_;
  std::vector<std::size_t> bound_;             ///< genes, as they are enumerated
  std::vector<std::vector<std::size_t>> due_;  ///< at a depth: constraints to test
  std::vector<std::vector<std::size_t>>
      live_;  ///< at a depth: earlier ones of bound_ that are asked for later
  std::vector<std::map<std::vector<std::size_t>, LegalCount>> known_;
  std::vector<std::size_t> chosen_;  ///< positions of values
  std::vector<Operand> genome_;
};

}  // namespace

std::uint64_t Space::count_all() const {
  std::uint64_t count = 1;
  for (const Gene& gene : genes_) count = times(count, gene.values.size());
  return count;
}

LegalCount Space::count_legal() const {
  // Genes that no constraint names only multiply the count.
  std::vector<std::size_t> bound;
  LegalCount free{1, 1};
  for (std::size_t i = 0; i < genes_.size(); ++i) {
    const bool named = std::any_of(
        constraints_.begin(), constraints_.end(),
        [&](const Constraint& constraint) { return constraint.condition.names().contains(genes_[i].name); });
    if (named) {
      bound.push_back(i);
    } else {
      LegalCount values;
      for (std::size_t j = 0; j < genes_[i].values.size(); ++j)
        values = plus(values, weight_of(genes_[i], j));
      free = times(free, values);
    }
  }
  return times(free, Counter(*this, std::move(bound)).count());
}

}  // namespace evo::model
