#include "evaluators/gates/module_contents.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "evaluators/gates/cache_policies.hpp"
#include "evaluators/gates/cubin_storage.hpp"
#include "evaluators/gates/global_writes.hpp"
#include "evaluators/gates/grid_barriers.hpp"
#include "evaluators/gates/module_names.hpp"
#include "evaluators/gates/ptx_statements.hpp"
#include "evaluators/gates/special_registers.hpp"
#include "evaluators/gates/unfilled_variables.hpp"
#include "evaluators/gates/wait_clocks.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::array<std::string_view, 11> by_weight{
    "dependent_launch", "cache_policy",      "mutable_global",   "device_heap",
    "device_output",    "external_function", "extra_entry",      "machine_state",
    "unreadable_ptx",   "undeclared_global", "unfilled_constant"};

class Inspector {
 public:
  Inspector(const model::Artifact& artifact, std::span<const std::string> filled)
      : artifact_(artifact),
        filled_(filled),
        module_(artifact.ptx),
        names_(module_),
        allowed_(clocks_of_waits(module_, names_)) {
    allowed_.merge(reads_of_grid_barriers(module_, names_));
  }

  std::optional<model::Failure> run() {
    readable();
    for (const ModuleFunction& function : names_.functions()) {
      if (function.entry && !is_launched(function.name)) {
        add("extra_entry",
            fmt::format("the module has a kernel {} besides the declared one, {}", function.name,
                        artifact_.entry),
            {});
      }
      if (!function.entry && function.head->text.find(".extern") != std::string_view::npos)
        external_function(function.name);
    }
    for (const Statement& statement : module_.statements()) registers(statement);
    for (const PolicyFinding& policy : lasting_policies(module_, names_))
      add("cache_policy", policy.message, *policy.at);
    for (const GlobalWrite& write : global_writes(module_, names_)) written(write);
    for (const std::string& message : undeclared_storage(artifact_.cubin, names_))
      add("undeclared_global", message, {});
    for (const UnfilledVariable& unfilled : unfilled_variables(module_, names_, filled_)) {
      add("unfilled_constant",
          fmt::format(
              "the kernel reads the __constant__ variable {0}, which nothing fills, so that it holds zeros: "
              "an argument with `symbol: {0}` fills it",
              unfilled.name),
          *unfilled.at);
    }
    if (found_.empty()) return std::nullopt;
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return weight(a.kind) < weight(b.kind); });
    model::Failure failure{model::Status::illegal, found_.front().kind, {}};
    failure.evidence = std::move(found_);
    return failure;
  }

 private:
  [[nodiscard]] bool is_launched(std::string_view name) const {
    return name == artifact_.entry ||
           std::any_of(artifact_.others.begin(), artifact_.others.end(),
                       [&](const model::FurtherKernel& kernel) { return kernel.entry == name; });
  }
  static std::size_t weight(const std::string& reason) {
    return static_cast<std::size_t>(std::find(by_weight.begin(), by_weight.end(), reason) -
                                    by_weight.begin());
  }

  void add(const std::string& kind, std::string message, const Statement& at) {
    for (const model::Evidence& known : found_) {
      if (known.kind == kind && known.message == message) return;
    }
    found_.push_back(
        {kind, std::move(message), at.line > 0 ? module_.file(at.file) : artifact_.source_file, at.line, {}});
  }

  void readable() {
    if (const auto& broken = module_.unreadable()) {
      Statement at;
      at.file = broken->file;
      at.line = broken->source_line;
      add("unreadable_ptx",
          fmt::format("line {} of the PTX is none that evo reads: {}", broken->line, broken->message), at);
    }
    for (const auto& [at, message] : names_.unreadable())
      add("unreadable_ptx", fmt::format("{}: {}", message, at->text.substr(0, 80)), *at);
  }

  void external_function(std::string_view name) {
    if (name == "__assertfail") return;
    if (name == "malloc" || name == "free") {
      add("device_heap", fmt::format("the kernel calls {}: what it allocates outlives the launch", name), {});
    } else if (name == "vprintf") {
      add("device_output", "the kernel calls printf: a candidate prints nothing", {});
    } else {
      add("external_function", fmt::format("the module does not define {}, which it calls", name), {});
    }
  }

  void registers(const Statement& statement) {
    if (instruction_of(statement).opcode.starts_with("griddepcontrol")) {
      add("dependent_launch", fmt::format("the kernel uses {}: its launch has no dependent", statement.text),
          statement);
    }
    if (statement.text.starts_with('.')) return;  // declares registers of its own
    for (const code::Token& token : statement.tokens) {
      if (token.kind != code::Token::Kind::identifier || !token.text.starts_with('%')) continue;
      if (fixed_by_the_launch(token.text)) continue;
      const bool conditional = token.text == "%globaltimer" || tells_grid_workspace(token.text);
      if (conditional && allowed_.contains(&statement)) continue;
      if (!told_by_the_machine(token.text) && names_.declared(token.text, statement.scope)) continue;
      add("machine_state",
          tells_grid_workspace(token.text)
              ? fmt::format("the kernel reads {}, and does with it what grid.sync() does not: what it finds "
                            "there outlives the launch",
                            token.text)
          : told_by_the_machine(token.text)
              ? fmt::format("the kernel reads {}{}", token.text, where_from(statement))
              : fmt::format("the kernel uses {}, which is no register that a launch fixes", token.text),
          statement);
    }
  }

  /// libcu++'s headers wait with a clock; who only includes them wonders.
  [[nodiscard]] std::string_view where_from(const Statement& statement) const {
    if (module_.file(statement.file).find("/cuda/std/") == std::string::npos) return "";
    return ", in a header of libcu++: a clock that decides more than how long a thread sleeps while it waits "
           "tells a check from a measurement";
  }

  void written(const GlobalWrite& write) {
    const std::string& name = names_.variables()[write.variable].name;
    if (!write.leaves &&
        std::ranges::any_of(artifact_.kept, [&](const auto& one) { return one.name == name; }))
      return;  // devices see to it
    add("mutable_global",
        write.leaves
            ? fmt::format(
                  "the kernel gives away the address of the module's variable {}, which keeps its value "
                  "between launches",
                  name)
            : fmt::format(
                  "the kernel can write the module's variable {}, which keeps its value between launches",
                  name),
        *write.at);
  }

  const model::Artifact& artifact_;
  std::span<const std::string> filled_;
  PtxModule module_;
  ModuleNames names_;
  std::set<const Statement*> allowed_;  ///< that read what else nobody may
  std::vector<model::Evidence> found_;
};

}  // namespace

std::optional<model::Failure> check_module(const model::Artifact& artifact,
                                           std::span<const std::string> filled) {
  return Inspector(artifact, filled).run();
}

}  // namespace evo::evaluators::gates
