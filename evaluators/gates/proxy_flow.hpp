// Which generic writes to shared memory come to reads of the asynchronous proxy without a fence.
#pragma once

#include <array>
#include <cstddef>
#include <map>
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
  /// The written source lines, a bit each, behind `places` bits for what the function's caller had.
  using Writes = std::vector<bool>;
  enum Place : std::size_t { own, taken_over, under_way, places };
  struct State {
    std::array<Writes, places> at;
    bool reached = false;
  };

  void number_lines();
  void solve();
  [[nodiscard]] State after(int node, const State& before);
  [[nodiscard]] State after_call(int callee, int caller, const State& before);
  /// The lines alone, with those that the function's callers had.
  [[nodiscard]] Writes resolved(const Writes& writes, int function) const;
  void hand_over(int node, const Writes& writes);
  void take_over(int node, Writes& into) const;
  [[nodiscard]] bool ends_wait(int arrival, int wait) const;

  PtxFlow flow_;
  std::vector<ProxyStep> steps_;
  std::vector<std::size_t> bits_;          // by node: of its line, if it writes
  std::vector<const Statement*> written_;  // by bit
  std::vector<State> before_;
  std::vector<std::array<Writes, places>> callers_;  // by function
  std::map<int, Writes> handed_over_;                // by the node that does
  std::map<std::size_t, int> through_;               // bit -> the node that first handed it over
  bool changed_ = false;
};

}  // namespace evo::evaluators::gates
