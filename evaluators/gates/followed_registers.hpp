// Which registers of a function a value has a part in, by data or by deciding what runs. For values that a
// candidate may read for one purpose only.
#pragma once

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluators/gates/module_names.hpp"
#include "evaluators/gates/ptx_flow.hpp"
#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {

/// The pair of braces that declares it, and its name.
using FollowedRegister = std::pair<int, std::string_view>;

/// An instruction as far as it matters here.
struct FollowedStep {
  const Statement* statement = nullptr;
  std::string_view opcode;
  /// Of one that only computes the first operand is written; of others all are read.
  std::vector<FollowedRegister> reads, writes, guard;
};

/// Nothing comes of it but the value of its first operand. Without those that write a carry: it has no name.
[[nodiscard]] bool only_computes(std::string_view opcode);
[[nodiscard]] bool sleeps(std::string_view opcode);
[[nodiscard]] bool jumps(std::string_view opcode);

/// The steps of one function, and the ways between them.
class FollowedFunction {
 public:
  /// `flow` keeps every statement. All must outlive this.
  FollowedFunction(const ModuleNames& names, const PtxFlow& flow, const FlowFunction& function);

  [[nodiscard]] int first() const { return function_.first; }
  [[nodiscard]] int last() const { return function_.last; }  ///< the function's end, which has no step
  [[nodiscard]] const FollowedStep& step(int node) const {
    return steps_[static_cast<std::size_t>(node - function_.first)];
  }
  [[nodiscard]] const std::vector<int>& next(int node) const {
    return flow_.nodes()[static_cast<std::size_t>(node)].next;
  }
  /// In one loop?
  [[nodiscard]] bool around(int a, int b) const { return flow_.reaches(a, b) && flow_.reaches(b, a); }

  /// Nodes behind `from` up to the first ones that are not `idle`, and without `closed`; `leaves`: there are
  /// such ones.
  template <class Idle>
  [[nodiscard]] std::set<int> idle_ways(int from, int closed, bool& leaves, Idle idle) const {
    std::set<int> seen;
    std::vector<int> open = next(from);
    leaves = false;
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (node == closed || !seen.insert(node).second) continue;
      if (node >= function_.last || !idle(node)) {
        leaves = true;
        continue;
      }
      open.insert(open.end(), next(node).begin(), next(node).end());
    }
    return seen;
  }
  /// What the ways of the branch at `node` pass before they come to one instruction, the nearest, if on all
  /// of them only `idle` ones stand; empty ways are found, too.
  template <class Idle>
  [[nodiscard]] bool ways_to_meeting(int node, Idle idle, std::set<int>& between) const {
    bool leaves = false;
    bool found = false;
    for (const int meeting : idle_ways(node, -1, leaves, idle)) {
      std::set<int> ways = idle_ways(node, meeting, leaves, idle);
      if (leaves || (found && ways.size() >= between.size())) continue;
      between = std::move(ways);
      found = true;
    }
    return found;
  }
  /// A way from `from` back to it that stays within `nodes`.
  [[nodiscard]] bool loops_within(int from, const std::set<int>& nodes) const;

 private:
  [[nodiscard]] FollowedStep step_of(const ModuleNames& names, int node) const;

  const PtxFlow& flow_;
  const FlowFunction& function_;
  std::vector<FollowedStep> steps_;
};

}  // namespace evo::evaluators::gates
