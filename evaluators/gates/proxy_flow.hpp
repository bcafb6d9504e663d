// Which generic writes to shared memory come to reads of the asynchronous proxy without a fence.
#pragma once

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "evaluators/gates/proxy_steps.hpp"
#include "evaluators/gates/ptx_flow.hpp"

namespace evo::evaluators::gates {

struct UnfencedRead {
  const Statement* write = nullptr;
  const Statement* hand_over = nullptr;  ///< null: the thread that writes reads
  const Statement* read = nullptr;
};

/// Follows the writes along the flow and through the barriers, to a fixed point. For the rules see
/// proxy_fences.hpp.
class ProxyFlow {
 public:
  explicit ProxyFlow(const PtxModule& module);

  /// The first read of each writing source line, in the module's order of lines.
  [[nodiscard]] std::vector<UnfencedRead> unfenced_reads() const;

 private:
  using Writes = std::set<int>;  // nodes; below zero: what the function's caller had
  enum Place { own, taken_over, under_way, places };
  struct State {
    std::array<Writes, places> at;
    bool reached = false;
  };

  void solve();
  [[nodiscard]] State after(int node, const State& before);
  [[nodiscard]] State after_call(int callee, int caller, const State& before);
  [[nodiscard]] bool joins(State& into, const State& from);
  /// The writes themselves, with those that the function's callers had.
  [[nodiscard]] Writes resolved(const Writes& writes, int function) const;
  void hand_over(int node, const Writes& writes);
  void take_over(int node, Writes& into);
  [[nodiscard]] bool ends_wait(int arrival, int wait);

  PtxFlow flow_;
  std::vector<ProxyStep> steps_;
  std::vector<State> before_;
  std::vector<std::array<Writes, places>> callers_;  // by function
  std::map<int, Writes> handed_over_;                // by the node that does
  std::map<int, int> through_;                       // write -> the node that first handed it over
  std::map<std::pair<int, int>, bool> ends_;
  bool changed_ = false;
};

}  // namespace evo::evaluators::gates
