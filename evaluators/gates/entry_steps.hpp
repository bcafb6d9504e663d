// The instructions of one kernel, followed back from a register to the parameters that it is made of.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {

/// One instruction; its operands point into the module.
struct EntryStep {
  std::string_view opcode;
  std::vector<code::Operand> operands;
};

/// Of PTX that evo cannot read there are none. The module stays as long as this does.
class EntrySteps {
 public:
  /// Is what it writes made of what it reads and of nothing else?
  using Followed = bool (*)(const EntryStep& step);
  EntrySteps(const code::PtxModule& module, const std::string& entry, Followed followed);

  /// All instructions but stores, in their order.
  [[nodiscard]] const std::vector<EntryStep>& all() const { return all_; }
  /// The one that writes the register; nullptr: several do, or one under a predicate, or none.
  [[nodiscard]] const EntryStep* writer_of(std::string_view name) const;
  /// The place of the parameter that it loads whole: a member of a struct is none.
  [[nodiscard]] std::optional<std::size_t> parameter_of(const EntryStep& step) const;
  /// The places of the parameters that `name` is made of by steps that are followed; nullopt: something else
  /// is in it, too, or it is further than `depth` steps away. Each register is looked at once: a square of a
  /// square, forty times, has 2^40 ways down.
  [[nodiscard]] std::optional<std::set<std::size_t>> parameters_in(std::string_view name, int depth);

 private:
  std::string prefix_;
  Followed followed_;
  std::vector<EntryStep> all_;
  std::map<std::string_view, std::size_t> writers_;
  std::map<std::string_view, std::optional<std::set<std::size_t>>> known_;
};

}  // namespace evo::evaluators::gates
