// Mutators: parents -> offspring. One file an operator; builtin_mutators() lists them. Every strategy changes
// genomes through them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/random.hpp"
#include "mutators/coded_space.hpp"
#include "mutators/insight_index.hpp"
#include "mutators/proposal.hpp"
#include "mutators/settings.hpp"

namespace evo::mutators {

/// A variant that was proven correct, as an operator sees it.
struct Parent {
  std::string_view id;  ///< variant id
  const Code* code = nullptr;
};

/// What operators may use besides parents.
struct Hints {
  OperatorSettings settings;
  const InsightIndex* insights = nullptr;  ///< nullptr: insights are off, or nothing is known yet
  /// True for codes that were proposed before; without a target: nothing is known of that.
  std::function<bool(const Code&)> seen;
};

/// One draw of an operator, before it is made legal.
struct Draft {
  Code code;
  std::vector<bool> decided;  ///< genes that are the point of the draw: a repair changes others first
  std::string rationale;
};

/// An operator's result.
struct Offspring {
  Code code;
  std::string rationale;  ///< what was done and why, without the list of changed genes
};

/// One operator. Stateless and thread-safe.
class Mutator {
 public:
  virtual ~Mutator() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// How many parents it takes: 0, 1 or 2.
  [[nodiscard]] virtual int arity() const = 0;

  /// A legal code that differs from every parent; nullopt when the operator is not applicable (too few
  /// parents, no gene of its kind, nothing legal found within a bound). An offspring that the constraints
  /// forbid is repaired or re-drawn; one that a failure pattern of the insights covers is usually re-drawn,
  /// and the rationale then cites the pattern. Never throws for "not applicable".
  [[nodiscard]] std::optional<Offspring> apply(std::span<const Parent> parents, const CodedSpace& space,
                                               model::RandomStream& random, const Hints& hints) const;

 private:
  /// One draw; it may be illegal (apply() repairs it) or equal to a parent (apply() draws again).
  [[nodiscard]] virtual std::optional<Draft> draw(std::span<const Parent> parents, const CodedSpace& space,
                                                  model::RandomStream& random, const Hints& hints) const = 0;
};

/// All operators of evo, in their documented order.
[[nodiscard]] std::vector<std::unique_ptr<Mutator>> builtin_mutators();

}  // namespace evo::mutators
