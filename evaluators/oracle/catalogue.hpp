// What is known of problems: references, input kinds and formulas of stages, by name. A value that is handed
// down from the program's root, so that nothing here knows which families of problems there are.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/stages.hpp"

namespace evo::evaluators::oracle {

/// Pointers that it gives out are good as long as it is. Its entries refer to constants of the program, but
/// for one that is computed.
class Catalogue {
 public:
  /// What is generic: generic_oracles() and generic_input_kinds().
  Catalogue();
  /// Adds a family's. Throws std::logic_error if a name is known already.
  void add(std::span<const Oracle> oracles, std::span<const InputKind> kinds,
           std::span<const StageFormula> formulas);

  /// Adds an oracle that is no function of this program, or puts it in the place of one of that name. Copies
  /// share it.
  void add(std::string name, std::shared_ptr<const ComputedOracle> oracle);

  /// The one that was added last as no function of this program; nullptr: there is none.
  [[nodiscard]] const ComputedOracle* problem_oracle() const;

  /// nullptr when there is none of that name.
  [[nodiscard]] const Oracle* find_oracle(std::string_view name) const;
  [[nodiscard]] const InputKind* find_input_kind(std::string_view name) const;
  [[nodiscard]] const StageFormula* find_stage_formula(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> oracle_names() const;
  [[nodiscard]] std::vector<std::string> input_kind_names() const;
  [[nodiscard]] std::vector<std::string> stage_formula_names() const;

 private:
  struct Computed {
    std::string name;
    std::shared_ptr<const ComputedOracle> oracle;
  };
  std::shared_ptr<const Computed> computed_;
  std::vector<Oracle> oracles_;
  std::vector<InputKind> kinds_;
  std::vector<StageFormula> formulas_;
};

/// A set of inputs, and where its kind is known.
struct InputSource {
  const Catalogue& known;
  const model::InputSet& set;
};
[[nodiscard]] model::Expected<InputBuffers> make_inputs(const InputSource& source, const model::Case& bound,
                                                        const InputKey& key);

}  // namespace evo::evaluators::oracle
