#include "model/space_count_order.hpp"

#include <algorithm>

namespace evo::model {
namespace {

/// Where the genes stand that a constraint names.
std::vector<std::size_t> places_of(const Legality& legality, std::size_t constraint, const GeneOrder& order) {
  std::vector<std::size_t> places;
  for (const std::size_t gene : legality.genes(constraint))
    places.push_back(static_cast<std::size_t>(std::find(order.begin(), order.end(), gene) - order.begin()));
  return places;
}

/// The depth from which a constraint of genes at these places can be tested.
std::size_t depth_of(const std::vector<std::size_t>& places) {
  return places.empty() ? 0 : *std::max_element(places.begin(), places.end()) + 1;
}

/// At most so many values are tried in this order, if each combination of what is asked for later is counted
/// once.
double effort(const Space& space, const Legality& legality, const GeneOrder& order) {
  const std::vector<std::vector<std::size_t>> live = asked_later(legality, order);
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
GeneOrder by_constraints(const Legality& legality, std::size_t genes) {
  std::vector<bool> placed(genes), done(legality.constraints());
  GeneOrder order;
  const auto missing = [&](std::size_t constraint) {
    GeneOrder those;
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

}  // namespace

std::vector<std::vector<std::size_t>> constraints_due(const Legality& legality, const GeneOrder& order) {
  std::vector<std::vector<std::size_t>> due(order.size() + 1);
  for (std::size_t constraint = 0; constraint < legality.constraints(); ++constraint)
    due[depth_of(places_of(legality, constraint, order))].push_back(constraint);
  return due;
}

std::vector<std::vector<std::size_t>> asked_later(const Legality& legality, const GeneOrder& order) {
  std::vector<std::size_t> asked_last(order.size());  // the depth of the last constraint that names a gene
  for (std::size_t constraint = 0; constraint < legality.constraints(); ++constraint) {
    const std::vector<std::size_t> places = places_of(legality, constraint, order);
    for (const std::size_t place : places) asked_last[place] = std::max(asked_last[place], depth_of(places));
  }
  std::vector<std::vector<std::size_t>> live(order.size() + 1);
  for (std::size_t depth = 0; depth <= order.size(); ++depth) {
    for (std::size_t place = 0; place < depth; ++place) {
      if (asked_last[place] > depth) live[depth].push_back(place);
    }
  }
  return live;
}

GeneOrder cheapest_order(const Space& space, const Legality& legality, const GeneOrder& listed) {
  GeneOrder best = listed;
  double least = effort(space, legality, best);
  const auto take = [&](const GeneOrder& other) {
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
        GeneOrder moved = best;
        moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
        moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), best[from]);
        better = take(moved) || better;
      }
    }
  }
  return best;
}

}  // namespace evo::model
