#include "evaluators/gates/unfilled_variables.hpp"

#include <algorithm>

#include "evaluators/code/module_variables.hpp"

namespace evo::evaluators::gates {
namespace {

/// Statements of functions, which are those of the kernels that run, that name the variable or one that holds
/// its address: by the variable's number.
std::vector<const Statement*> first_uses(const PtxModule& module, const ModuleNames& names) {
  std::vector<const Statement*> uses(names.variables().size(), nullptr);
  for (const Statement& statement : module.statements()) {
    if (statement.scope == 0 || statement.text.starts_with('.')) continue;
    std::vector<std::size_t> open;
    for (const code::Token& token : statement.tokens) {
      if (token.kind != code::Token::Kind::identifier) continue;
      if (const auto variable = names.variable(token.text)) open.push_back(*variable);
    }
    while (!open.empty()) {
      const std::size_t variable = open.back();
      open.pop_back();
      if (uses[variable] != nullptr) continue;
      uses[variable] = &statement;
      const auto& held = names.variables()[variable].holds;
      open.insert(open.end(), held.begin(), held.end());
    }
  }
  return uses;
}

}  // namespace

std::vector<UnfilledVariable> unfilled_variables(const PtxModule& module, const ModuleNames& names,
                                                 std::span<const std::string> filled) {
  const std::vector<const Statement*> uses = first_uses(module, names);
  std::vector<UnfilledVariable> found;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const ModuleVariable& variable = names.variables()[i];
    if (!variable.constant || uses[i] == nullptr || variable.initialised) continue;
    const bool is_filled = std::any_of(filled.begin(), filled.end(), [&](const std::string& name) {
      return code::is_called(variable.name, name);
    });
    if (!is_filled) found.push_back({variable.name, uses[i]});
  }
  return found;
}

}  // namespace evo::evaluators::gates
