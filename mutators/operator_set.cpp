#include "mutators/operator_set.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::mutators {
namespace {

constexpr std::string_view neighbour = "neighbour";
constexpr std::string_view immigrant = "random_immigrant";

}  // namespace

std::string joined(std::span<const std::string_view> steps) {
  return fmt::format("{}", fmt::join(steps, "+"));
}

/// Operators that breed, by weight, each at most once: where one is not applicable the others share what it
/// had.
class OperatorSet::Draw {
 public:
  Draw(const OperatorSet& set, int most_parents) {
    for (const Entry& entry : set.entries_) {
      if (entry.breeds && entry.weight > 0 && entry.mutator->arity() <= most_parents) {
        left_.push_back(&entry);
        sum_ += entry.weight;
      }
    }
  }

  /// nullptr when all were drawn.
  const Mutator* next(model::RandomStream& random) {
    if (left_.empty()) return nullptr;
    double at = random.uniform() * sum_;
    std::size_t chosen = 0;
    while (chosen + 1 < left_.size() && at >= left_[chosen]->weight) at -= left_[chosen++]->weight;
    const Entry* drawn = left_[chosen];
    left_[chosen] = left_.back();
    left_.pop_back();
    sum_ -= drawn->weight;
    return drawn->mutator.get();
  }

 private:
  std::vector<const Entry*> left_;
  double sum_ = 0;
};

OperatorSet::OperatorSet(const Weights& weights) {
  for (auto& mutator : builtin_mutators()) {
    const auto found = weights.find(mutator->name());
    const double weight = found == weights.end() ? 0 : found->second;
    sum_ += weight;
    const bool breeds = mutator->name() != neighbour && mutator->name() != immigrant;
    entries_.push_back({std::move(mutator), weight, breeds});
  }
}

double OperatorSet::share(std::string_view name) const {
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.mutator->name() == name; });
  return found == entries_.end() || sum_ <= 0 ? 0 : found->weight / sum_;
}

const Mutator& OperatorSet::find(std::string_view name) const {
  return *std::ranges::find_if(entries_, [&](const Entry& entry) {
            return entry.mutator->name() == name;
          })->mutator;
}

Source OperatorSet::draw_source(model::RandomStream& random) const {
  const double at = random.uniform();
  if (at < share(immigrant)) return Source::immigrant;
  return at < share(immigrant) + share(neighbour) ? Source::neighbour : Source::offspring;
}

std::optional<Bred> OperatorSet::breed(const CodedSpace& space, std::span<const Parent> parents,
                                       std::size_t first,
                                       const std::function<std::optional<std::size_t>()>& mate,
                                       model::RandomStream& choice, model::RandomStream& genes,
                                       const Hints& hints) const {
  Draw operators(*this, 2);
  while (const Mutator* mutator = operators.next(choice)) {
    const bool crosses = mutator->arity() == 2;
    const std::optional<std::size_t> with = crosses ? mate() : std::nullopt;
    if (crosses && !with) continue;
    const std::array<Parent, 2> given{parents[first], parents[with.value_or(first)]};
    auto child = mutator->apply(given, space, genes, hints);
    if (!child) continue;
    Bred bred{std::move(child->code), first, with, {mutator->name()}, std::move(child->rationale)};
    if (!crosses || !choice.chance(hints.settings.after_crossover)) return bred;
    Draw more(*this, 1);
    while (const Mutator* then = more.next(choice)) {
      const std::array<Parent, 1> crossed{Parent{parents[first].id, &bred.code}};
      auto changed = then->apply(crossed, space, genes, hints);
      if (!changed || changed->code == *given[0].code || changed->code == *given[1].code) continue;
      bred.code = std::move(changed->code);
      bred.steps.push_back(then->name());
      bred.rationale += ", then " + changed->rationale;
      break;
    }
    return bred;
  }
  return std::nullopt;
}

}  // namespace evo::mutators
