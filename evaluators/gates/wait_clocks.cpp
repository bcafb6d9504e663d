#include "evaluators/gates/wait_clocks.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "evaluators/gates/followed_registers.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::string_view wait_clock = "%globaltimer";

/// What a loop asks again and again: an mbarrier, or memory that another thread writes.
bool asks(std::string_view opcode) {
  if (opcode.starts_with("mbarrier.try_wait") || opcode.starts_with("mbarrier.test_wait")) return true;
  if (code::names_instruction(opcode, "atom")) return true;
  if (!code::names_instruction(opcode, "ld")) return false;
  const auto words = code::modifiers_of(opcode);
  return std::ranges::any_of(words, [](std::string_view word) {
    return word == "acquire" || word == "relaxed" || word == "volatile";
  });
}

/// One function of the module.
class WaitingFunction {
 public:
  explicit WaitingFunction(const FollowedFunction& function) : function_(function) {}

  /// The clock's readers if the rule holds, else none.
  std::vector<const Statement*> clocks() {
    std::vector<const Statement*> found;
    for (int node = function_.first(); node < function_.last(); ++node) {
      const FollowedStep& step = function_.step(node);
      const auto reads = [](const std::vector<FollowedRegister>& registers) {
        return std::ranges::any_of(registers, [](const auto& one) { return one.second == wait_clock; });
      };
      if (!reads(step.reads)) continue;
      if (!code::names_instruction(step.opcode, "mov") || !step.guard.empty()) return {};
      found.push_back(step.statement);
      timed_.insert(step.writes.begin(), step.writes.end());
    }
    if (found.empty()) return {};
    for (std::size_t before = 0; before != timed_.size();) {
      before = timed_.size();
      for (int node = function_.first(); node < function_.last(); ++node) {
        if (!follow(node)) return {};
      }
    }
    // A clock that nobody sleeps by is read for something else.
    return slept_ ? found : std::vector<const Statement*>{};
  }

 private:
  [[nodiscard]] bool timed(const std::vector<FollowedRegister>& registers) const {
    return std::ranges::any_of(registers, [&](const auto& one) { return timed_.contains(one); });
  }

  /// What the clock has to do with the instruction at `node`; false if that is not allowed.
  bool follow(int node) {
    const FollowedStep& at = function_.step(node);
    const bool data = timed(at.reads), control = timed(at.guard);
    if (!data && !control) return true;
    if (jumps(at.opcode)) return !data && meets_again(node);
    return obeys(node);
  }

  /// The clock decides what the instruction computes, or whether it runs.
  bool obeys(int node) {
    const FollowedStep& at = function_.step(node);
    if (sleeps(at.opcode)) {
      slept_ = true;
      return in_waiting_loop(node);
    }
    if (!only_computes(at.opcode)) return false;
    timed_.insert(at.writes.begin(), at.writes.end());
    return true;
  }

  /// Both ways of the branch at `node` come to one instruction, without a loop and with nothing between that
  /// matters to others.
  bool meets_again(int node) {
    const auto idle = [&](int way) {
      const std::string_view opcode = function_.step(way).opcode;
      return only_computes(opcode) || sleeps(opcode) || jumps(opcode);
    };
    std::set<int> between;
    if (!function_.ways_to_meeting(node, idle, between)) return false;
    return std::ranges::all_of(between, [&](int way) {
      return !function_.loops_within(way, between) && (jumps(function_.step(way).opcode) || obeys(way));
    });
  }

  [[nodiscard]] bool in_waiting_loop(int node) const {
    for (int other = function_.first(); other < function_.last(); ++other) {
      if (asks(function_.step(other).opcode) && function_.around(node, other)) return true;
    }
    return false;
  }

  const FollowedFunction& function_;
  std::set<FollowedRegister> timed_;  ///< registers whose value the clock has a part in
  bool slept_ = false;
};

}  // namespace

std::set<const Statement*> clocks_of_waits(const PtxModule& module, const ModuleNames& names) {
  std::set<const Statement*> found;
  const bool any = std::ranges::any_of(module.statements(), [](const Statement& statement) {
    return statement.text.find(wait_clock) != std::string_view::npos;
  });
  if (!any) return found;
  const PtxFlow flow(module, [](const Statement&) { return true; });
  for (const FlowFunction& function : flow.functions()) {
    const FollowedFunction followed(names, flow, function);
    for (const Statement* clock : WaitingFunction(followed).clocks()) found.insert(clock);
  }
  return found;
}

}  // namespace evo::evaluators::gates
