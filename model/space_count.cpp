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

using Order = std::vector<std::size_t>;  // of genes that constraints name

/// At each depth of an order, the places before it that a later constraint asks for.
std::vector<Order> asked_later(const Legality& legality, const Order& order) {
  std::vector<std::size_t> asked_last(order.size());  // the depth of the last constraint that names a gene
  for (std::size_t constraint = 0; constraint < legality.constraints(); ++constraint) {
    std::vector<std::size_t> named;
    for (const std::size_t gene : legality.genes(constraint))
      named.push_back(static_cast<std::size_t>(std::find(order.begin(), order.end(), gene) - order.begin()));
    const std::size_t depth = named.empty() ? 0 : *std::max_element(named.begin(), named.end()) + 1;
    for (const std::size_t i : named) asked_last[i] = std::max(asked_last[i], depth);
  }
  std::vector<Order> live(order.size() + 1);
  for (std::size_t depth = 0; depth <= order.size(); ++depth) {
    for (std::size_t i = 0; i < depth; ++i) {
      if (asked_last[i] > depth) live[depth].push_back(i);
    }
  }
  return live;
}

/// At most so many values are tried in this order, if each combination of what is asked for later is counted
/// once.
double effort(const Space& space, const Legality& legality, const Order& order) {
  const std::vector<Order> live = asked_later(legality, order);
  double sum = 0;
  for (std::size_t depth = 0; depth < order.size(); ++depth) {
    double tried = static_cast<double>(space.genes()[order[depth]].values.size());
    for (const std::size_t i : live[depth])
      tried *= static_cast<double>(space.genes()[order[i]].values.size());
    sum += tried;
  }
  return sum;
}

/// Those of a constraint that few genes are missing for come first.
Order by_constraints(const Legality& legality, std::size_t genes) {
  std::vector<bool> placed(genes), done(legality.constraints());
  Order order;
  const auto missing = [&](std::size_t constraint) {
    Order those;
    for (const std::size_t gene : legality.genes(constraint)) {
      if (!placed[gene]) those.push_back(gene);
    }
    return those;
  };
  for (std::size_t left = legality.constraints(); left > 0; --left) {
    std::size_t best = legality.constraints();
    for (std::size_t constraint = 0; constraint < legality.constraints(); ++constraint) {
      if (done[constraint]) continue;
      if (best == legality.constraints() || missing(constraint).size() < missing(best).size())
        best = constraint;
    }
    for (const std::size_t gene : missing(best)) {
      placed[gene] = true;
      order.push_back(gene);
    }
    done[best] = true;
  }
  return order;
}

/// `listed`, or the order by constraints where it takes less; then neighbours change places as long as that
/// helps.
Order cheapest_order(const Space& space, const Legality& legality, const Order& listed) {
  Order best = listed;
  double least = effort(space, legality, best);
  const auto take = [&](const Order& other) {
    const double takes = effort(space, legality, other);
    if (takes >= least) return false;
    best = other;
    least = takes;
    return true;
  };
  take(by_constraints(legality, space.genes().size()));
  for (bool better = true; better;) {
    better = false;
    for (std::size_t from = 0; from < best.size(); ++from) {
      for (std::size_t to = 0; to < best.size(); ++to) {
        Order moved = best;
        moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
        moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), best[from]);
        better = take(moved) || better;
      }
    }
  }
  return best;
}

/// Enumerates the genes that constraints name, and tests a constraint as soon as its last gene has a value.
/// What then remains to be counted depends only on those values that later constraints ask for, so that each
/// combination of these is counted once.
class Counter {
 public:
  Counter(const Space& space, const Order& listed)
      : space_(space),
        legality_(space),
        bound_(cheapest_order(space, legality_, listed)),
        due_(bound_.size() + 1),
        live_(asked_later(legality_, bound_)),
        known_(bound_.size() + 1),
        chosen_(bound_.size()),
        genome_(space.genes().size()) {
    for (std::size_t constraint = 0; constraint < legality_.constraints(); ++constraint) {
      std::size_t depth = 0;
      for (const std::size_t gene : legality_.genes(constraint)) {
        const auto place = std::find(bound_.begin(), bound_.end(), gene) - bound_.begin();
        depth = std::max(depth, static_cast<std::size_t>(place) + 1);
      }
      due_[depth].push_back(constraint);
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
  return times(free, Counter(*this, bound).count());
}

}  // namespace evo::model
