// Mutators: parents -> proposal. One file an operator; builtin_mutators() lists them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/insight.hpp"
#include "model/random.hpp"
#include "model/space.hpp"

namespace evo::mutators {

/// What a strategy proposes to try next.
struct Proposal {
  model::Genome genome;
  std::string template_name;
  std::vector<std::string> parents;  ///< variant ids; empty for a fresh genome
  std::string operator_name;         ///< "gene_mutation", "uniform_crossover", ...
  std::string rationale;             ///< why, for a person; cites the ids of insights that were used
  /// Expected change of the logarithm of latency against the first parent; nullopt when nothing is predicted.
  std::optional<double> predicted_effect;
};

/// A variant that was proven right, as an operator sees it.
struct Parent {
  std::string id;  ///< variant id
  const model::Genome* genome = nullptr;
};

/// What operators may use besides parents.
struct Hints {
  double gene_probability = 0.15;             ///< chance that a gene mutates
  std::string_view template_name;             ///< of the space; selects the insights that apply
  const model::Insights* insights = nullptr;  ///< nullptr: insights are off, or nothing is known yet
};

/// "BLOCK_N 64 -> 128, STAGES 2 -> 1": the genes that both have, with other values.
[[nodiscard]] std::string describe_changes(const model::Genome& from, const model::Genome& to);

/// An operator's result before it is a Proposal.
struct Offspring {
  model::Genome genome;
  std::string rationale;
  std::optional<double> predicted_effect;
};

/// One operator. Stateless and thread-safe.
class Mutator {
 public:
  virtual ~Mutator() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// How many parents it takes: 0, 1 or 2.
  [[nodiscard]] virtual int arity() const = 0;

  /// A legal genome that differs from every parent; nullopt when the operator is not applicable (too few
  /// parents, no gene of its kind, nothing legal found within a bound). An offspring that the constraints
  /// forbid is repaired or re-drawn; one that a failure pattern of the insights covers is usually re-drawn,
  /// and the rationale then cites the pattern. Never throws for "not applicable".
  [[nodiscard]] std::optional<Offspring> apply(std::span<const Parent> parents, const model::Space& space,
                                               model::RandomStream& random, const Hints& hints) const;

 private:
  /// One draw; it may be illegal (apply() repairs it) or equal to a parent (apply() draws again).
  [[nodiscard]] virtual std::optional<Offspring> do_apply(std::span<const Parent> parents,
                                                          const model::Space& space,
                                                          model::RandomStream& random,
                                                          const Hints& hints) const = 0;
};

/// All operators of evo, in their documented order.
[[nodiscard]] std::vector<std::unique_ptr<Mutator>> builtin_mutators();
[[nodiscard]] std::vector<std::string> builtin_mutator_names();

}  // namespace evo::mutators
