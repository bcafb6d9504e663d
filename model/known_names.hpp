// Names that a problem file may use because the evaluators give them a meaning. The composition root takes
// them from there (evaluators/oracle/known_names.hpp) and hands them to config, which depends on no
// evaluator.
#pragma once

#include <string>
#include <vector>

namespace evo::model {

/// A kind of input set and the parameters that it takes.
struct KnownKind {
  std::string name;
  std::vector<std::string> parameters;
};

/// Each list in the order in which it is shown. An empty list is not checked.
struct KnownNames {
  std::vector<std::string> oracles{};
  std::vector<KnownKind> input_kinds{};
  std::vector<std::string> stage_formulas{};
};

}  // namespace evo::model
