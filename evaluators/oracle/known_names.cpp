#include "evaluators/oracle/known_names.hpp"

namespace evo::evaluators::oracle {

model::KnownNames known_names(const Catalogue& known) {
  model::KnownNames names{known.oracle_names(), {}, known.stage_formula_names()};
  for (const std::string& name : known.input_kind_names())
    names.input_kinds.push_back({name, parameter_names(*known.find_input_kind(name))});
  return names;
}

}  // namespace evo::evaluators::oracle
