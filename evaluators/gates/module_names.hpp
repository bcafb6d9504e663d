// What the names in a module's PTX stand for: variables of the module with their initialisers, functions with
// their parameters, and what each pair of braces declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {

/// A variable in .global or .const, at module scope or in a function. Both outlive a launch.
struct ModuleVariable {
  std::string name;
  /// Names in its initialiser that are variables, too: it holds their addresses.
  std::set<std::size_t> holds;
  bool constant = false;     ///< in .const
  bool initialised = false;  ///< by other than zeros
  bool managed = false;      ///< the host sees it, too
};

struct ModuleFunction {
  std::string_view name;
  bool entry = false, defined = false;
  const Statement* head = nullptr;
  int scope = 0;  ///< its body's pair of braces
  std::vector<std::string_view> parameters, results;
};

class ModuleNames {
 public:
  /// `module` must outlive this.
  explicit ModuleNames(const PtxModule& module);

  [[nodiscard]] const std::vector<ModuleVariable>& variables() const { return variables_; }
  /// The variable of that name, whatever else of that name hides it in a function.
  [[nodiscard]] std::optional<std::size_t> variable(std::string_view name) const;
  [[nodiscard]] const std::vector<ModuleFunction>& functions() const { return functions_; }
  /// By name or alias: all that have it.
  [[nodiscard]] std::vector<std::size_t> functions_named(std::string_view name) const;
  /// The pair of braces that declares a register, variable or parameter for `scope`: it, or one around it;
  /// 0 for the module's and for what nothing declares.
  [[nodiscard]] int scope_of(std::string_view name, int scope) const;
  [[nodiscard]] bool declared(std::string_view name, int scope) const;
  /// ".shared", ".local", ".reg", ...: of what `scope` means by the name; empty for what nothing declares.
  [[nodiscard]] std::string_view space_of(std::string_view name, int scope) const;
  /// A declaration that is none of the forms known: its message, and where it stands.
  [[nodiscard]] const std::vector<std::pair<const Statement*, std::string>>& unreadable() const {
    return unreadable_;
  }

 private:
  void declaration(const Statement& statement);
  void function(const Statement& statement);
  void declare(std::string_view name, std::optional<std::uint64_t> count, const Statement& at,
               std::string_view space);
  void declare_formals(ModuleFunction& function, int scope);
  [[nodiscard]] bool declares(int scope, std::string_view name) const;

  const PtxModule& module_;
  std::vector<ModuleVariable> variables_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<std::pair<std::size_t, std::vector<std::string_view>>> initialisers_;
  std::vector<ModuleFunction> functions_;
  std::map<std::string_view, std::string_view> aliases_;
  std::map<std::pair<int, std::string_view>, std::string_view> names_;  // by scope: the state space
  std::map<std::pair<int, std::string_view>, std::uint64_t> ranges_;    // %r<5>: by scope and prefix
  std::vector<std::pair<const Statement*, std::string>> unreadable_;
};

}  // namespace evo::evaluators::gates
