#include "mutators/sampling.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace evo::mutators {
namespace {

using model::Constraint;
using model::Gene;
using model::GeneRole;
using model::Genome;
using model::RandomStream;
using model::Space;
using model::Value;

template <class T>
void shuffle(std::vector<T>& items, RandomStream& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

/// A gene and the values to try, best first.
struct Choice {
  const Gene* gene;
  std::vector<Value> values;
};

/// Depth-first completion that tests a constraint as soon as its last gene has a value. Gives up after
/// `node_limit` assignments, so that a hard space costs a bounded time.
class Completion {
 public:
  Completion(const Space& space, std::vector<Choice> choices, int node_limit)
      : choices_(std::move(choices)),
        due_(choices_.size() + 1),
        environment_(space.fixed()),
        nodes_(node_limit) {
    for (const Constraint& constraint : space.constraints()) {
      std::size_t last = 0;
      for (std::size_t i = 0; i < choices_.size(); ++i) {
        if (constraint.condition.names().contains(choices_[i].gene->name)) last = i + 1;
      }
      due_[last].push_back(&constraint);
    }
  }

  std::optional<Genome> find() {
    if (!descend(0)) return std::nullopt;
    Genome genome;
    for (const Choice& choice : choices_) genome.set(choice.gene->name, environment_.at(choice.gene->name));
    return genome;
  }

 private:
  bool descend(std::size_t depth) {
    for (const Constraint* constraint : due_[depth]) {
      const auto holds = constraint->condition.evaluate_integer(environment_);
      if (!holds || *holds == 0) return false;
    }
    if (depth == choices_.size()) return true;
    for (const Value& value : choices_[depth].values) {
      if (--nodes_ < 0) return false;
      environment_.insert_or_assign(choices_[depth].gene->name, value);
      if (descend(depth + 1)) return true;
    }
    environment_.erase(choices_[depth].gene->name);
    return false;
  }

  std::vector<Choice> choices_;
  std::vector<std::vector<const Constraint*>> due_;
  model::Environment environment_;
  int nodes_;
};

using ValueOrder = std::function<std::vector<Value>(const Gene&)>;

/// A few completions in different orders of the genes: one unlucky order can hide a solution that another
/// finds.
std::optional<Genome> complete(const Space& space, RandomStream& random, const ValueOrder& order) {
  constexpr int restarts = 8;
  constexpr int node_limit = 4000;
  for (int restart = 0; restart < restarts; ++restart) {
    std::vector<Choice> choices;
    for (const Gene& gene : space.genes()) choices.push_back({&gene, order(gene)});
    shuffle(choices, random);
    auto genome = Completion(space, std::move(choices), node_limit).find();
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
    if (gene.role == GeneRole::sync) return std::vector<Value>{gene.values.back()};
    std::vector<Value> values = gene.values;
    shuffle(values, random);
    return values;
  });
  if (strong) return strong;
  return complete(space, random, [&](const Gene& gene) {
    std::vector<Value> values = gene.values;
    if (gene.role == GeneRole::sync) {
      std::reverse(values.begin(), values.end());
    } else {
      shuffle(values, random);
    }
    return values;
  });
}

std::optional<Genome> repair(const Space& space, const Genome& wish, RandomStream& random) {
  if (space.legal(wish)) return wish;
  return complete(space, random, [&](const Gene& gene) {
    std::vector<Value> values = gene.values;
    shuffle(values, random);
    const auto wished = wish.values().find(gene.name);
    if (wished != wish.values().end()) {
      const auto found = std::find(values.begin(), values.end(), wished->second);
      if (found != values.end()) std::rotate(values.begin(), found, found + 1);
    }
    return values;
  });
}

}  // namespace evo::mutators
