// The ways a thread can take through a module's PTX. For checks that follow a property from statement to
// statement, in modules that the virtual device cannot run too: its own flow graph is of programs that it
// can.
#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {

/// A statement that was asked for, a branch, a call, or the end of a function (no statement).
struct FlowNode {
  const Statement* statement = nullptr;
  std::vector<int> next;  ///< nodes that may come after it; a call's: after its return
  int function = 0;
  int callee = -1;  ///< the function of the module that it calls
};

struct FlowFunction {
  std::string_view name;
  bool entry = false;       ///< a kernel
  int first = 0, last = 0;  ///< nodes; the last is the function's end, where `ret` leads
};

/// Branches (also through tables), predicates, ret, exit, trap and calls by name are followed; a call through
/// a register is passed over. No condition is evaluated: each way out of a branch counts as possible.
class PtxFlow {
 public:
  /// `keep` picks the statements that the caller wants to see. The module must outlive the flow.
  PtxFlow(const PtxModule& module, const std::function<bool(const Statement&)>& keep);

  [[nodiscard]] const std::vector<FlowNode>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<FlowFunction>& functions() const { return functions_; }

  /// A thread at `from` may come to `to` later; to itself only around a loop. Into functions and back out of
  /// them, by whatever call.
  [[nodiscard]] bool reaches(int from, int to) const;
  /// No thread comes to `node` but by way of `gate`.
  [[nodiscard]] bool always_after(int gate, int node) const;

 private:
  void add_function(const PtxModule& module, const std::vector<const Statement*>& body,
                    const std::function<bool(const Statement&)>& keep);
  void connect_calls();
  /// Nodes reachable from `from`, themselves only if they are reached, without going through `closed`.
  [[nodiscard]] std::vector<bool> reachable(const std::vector<int>& from, int closed) const;

  std::vector<FlowNode> nodes_;
  std::vector<FlowFunction> functions_;
  std::map<std::string_view, int> by_name_;
  std::vector<std::vector<int>> around_;                        // next, and in and out of functions
  mutable std::map<int, std::vector<bool>> reached_, without_;  // answers given, by `from` and by `gate`
};

}  // namespace evo::evaluators::gates
