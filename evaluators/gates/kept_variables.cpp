#include "evaluators/gates/kept_variables.hpp"

#include <algorithm>
#include <set>

#include "evaluators/gates/global_writes.hpp"
#include "evaluators/gates/module_names.hpp"
#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {

std::vector<model::KeptVariable> kept_variables(const model::Artifact& artifact) {
  const PtxModule module(artifact.ptx);
  const ModuleNames names(module);
  const std::vector<GlobalWrite> writes = global_writes(module, names);
  std::set<std::size_t> leaving;
  for (const GlobalWrite& write : writes) {
    const ModuleVariable& variable = names.variables()[write.variable];
    if (write.leaves || variable.constant || variable.managed) leaving.insert(write.variable);
  }
  std::vector<model::KeptVariable> kept;
  for (const GlobalWrite& write : writes) {
    const std::string& name = names.variables()[write.variable].name;
    const bool known = std::ranges::any_of(kept, [&](const auto& one) { return one.name == name; });
    if (known || leaving.contains(write.variable)) continue;
    kept.push_back({name,
                    write.at->line > 0 ? std::string(module.file(write.at->file)) : artifact.source_file,
                    static_cast<int>(write.at->line)});
  }
  if (kept.empty()) return kept;
  // A write that runs over the end of one of them into another variable would be seen by nobody on a GPU, if
  // devices did not see to that one, too.
  for (std::size_t i = 0; i < names.variables().size(); ++i) {
    const ModuleVariable& variable = names.variables()[i];
    if (variable.constant ||
        std::ranges::any_of(kept, [&](const auto& one) { return one.name == variable.name; }))
      continue;
    if (variable.managed || leaving.contains(i)) return {};
    kept.push_back({variable.name, artifact.source_file, 0, false});
  }
  return kept;
}

}  // namespace evo::evaluators::gates
