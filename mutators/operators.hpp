// The operators of evo. Each is described at its class; builtin_mutators() is the list. How often a strategy
// takes which is in weights.hpp, what they draw by in settings.hpp.
#pragma once

#include "mutators/mutator.hpp"

namespace evo::mutators {

/// Changes tuning genes, each with OperatorSettings::gene_probability and at least one: an ordered integer
/// often to a neighbouring value, otherwise to any other value.
class GeneMutation final : public Mutator {
 public:
  [[nodiscard]] std::string_view name() const override { return "gene_mutation"; }
  [[nodiscard]] int arity() const override { return 1; }

 private:
  [[nodiscard]] std::optional<Draft> draw(std::span<const Parent> parents, const CodedSpace& space,
                                          model::RandomStream& random, const Hints& hints) const override;
};

/// Takes every gene from either parent with equal chance. Not applicable to parents that differ in fewer than
/// two genes: nothing new could come of them.
class UniformCrossover final : public Mutator {
 public:
  [[nodiscard]] std::string_view name() const override { return "uniform_crossover"; }
  [[nodiscard]] int arity() const override { return 2; }

 private:
  [[nodiscard]] std::optional<Draft> draw(std::span<const Parent> parents, const CodedSpace& space,
                                          model::RandomStream& random, const Hints& hints) const override;
};

/// Moves from the parent's values towards values that the insights found fast. Not applicable before the
/// first insights, or when nothing significant is known about the parent's genes.
class InsightGuided final : public Mutator {
 public:
  [[nodiscard]] std::string_view name() const override { return "insight_guided"; }
  [[nodiscard]] int arity() const override { return 1; }

 private:
  [[nodiscard]] std::optional<Draft> draw(std::span<const Parent> parents, const CodedSpace& space,
                                          model::RandomStream& random, const Hints& hints) const override;
};

/// Changes how threads synchronise at one site: mostly one step weaker, otherwise any other value. The
/// correctness gates decide whether the barrier was needed.
class SyncMutation final : public Mutator {
 public:
  [[nodiscard]] std::string_view name() const override { return "sync_mutation"; }
  [[nodiscard]] int arity() const override { return 1; }

 private:
  [[nodiscard]] std::optional<Draft> draw(std::span<const Parent> parents, const CodedSpace& space,
                                          model::RandomStream& random, const Hints& hints) const override;
};

/// The parent with one tuning gene at another value, legal as it stands and not proposed before, drawn among
/// all there are: the surroundings of a good variant are known after as many draws as it has neighbours. Not
/// applicable when none is left.
class Neighbour final : public Mutator {
 public:
  [[nodiscard]] std::string_view name() const override { return "neighbour"; }
  [[nodiscard]] int arity() const override { return 1; }

 private:
  [[nodiscard]] std::optional<Draft> draw(std::span<const Parent> parents, const CodedSpace& space,
                                          model::RandomStream& random, const Hints& hints) const override;
};

/// A fresh random legal genome, all barriers at full.
class RandomImmigrant final : public Mutator {
 public:
  [[nodiscard]] std::string_view name() const override { return "random_immigrant"; }
  [[nodiscard]] int arity() const override { return 0; }

 private:
  [[nodiscard]] std::optional<Draft> draw(std::span<const Parent> parents, const CodedSpace& space,
                                          model::RandomStream& random, const Hints& hints) const override;
};

/// Every legal code that differs from `code` in one tuning gene, and for each step that a constraint forbids
/// one that takes a coupled gene along, where that is found: the steps of a climb.
[[nodiscard]] std::vector<Code> steps_around(const CodedSpace& space, const Code& code,
                                             const OperatorSettings& settings, model::RandomStream& random);

}  // namespace evo::mutators
