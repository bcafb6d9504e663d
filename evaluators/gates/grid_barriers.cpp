#include "evaluators/gates/grid_barriers.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "evaluators/gates/followed_registers.hpp"

namespace evo::evaluators::gates {
namespace {

/// What a register holds of the word that blocks meet at.
enum class Held : std::uint8_t {
  half,      ///< 32 bits of the base
  base,      ///< as the driver gives it
  word,      ///< the address of the word
  contents,  ///< what was read there, or came of it
};

bool has_word(std::string_view opcode, std::string_view word) {
  const auto words = code::modifiers_of(opcode);
  return std::ranges::find(words, word) != words.end();
}

/// One function of the module.
class MeetingFunction {
 public:
  explicit MeetingFunction(const FollowedFunction& function) : function_(function) {}

  /// The readers of both registers if the rule holds, else none.
  std::vector<const Statement*> reads() {
    std::vector<const Statement*> found;
    for (int node = function_.first(); node < function_.last(); ++node) {
      const FollowedStep& step = function_.step(node);
      const bool tells = std::ranges::any_of(
          step.reads, [](const FollowedRegister& one) { return tells_grid_workspace(one.second); });
      if (!tells) continue;
      const bool plain = (step.opcode == "mov.u32" || step.opcode == "mov.b32") && step.guard.empty();
      if (!plain || step.writes.size() != 1 || !hold(step, Held::half)) return {};
      found.push_back(step.statement);
    }
    if (found.empty()) return {};
    for (std::size_t before = 0; before != held_.size();) {
      before = held_.size();
      for (int node = function_.first(); node < function_.last(); ++node) {
        if (!follow(node)) return {};
      }
    }
    return found;
  }

 private:
  /// False if one of them holds something else of it.
  bool hold(const FollowedStep& step, Held what) {
    return std::ranges::all_of(step.writes, [&](const FollowedRegister& one) { return hold(one, what); });
  }
  bool hold(const FollowedRegister& one, Held what) {
    return held_.try_emplace(one, what).first->second == what;
  }

  [[nodiscard]] bool holds(const std::vector<FollowedRegister>& registers, Held what) const {
    return std::ranges::any_of(registers, [&](const FollowedRegister& one) {
      const auto found = held_.find(one);
      return found != held_.end() && found->second == what;
    });
  }
  [[nodiscard]] bool holds_any(const std::vector<FollowedRegister>& registers) const {
    return std::ranges::any_of(registers, [&](const FollowedRegister& one) { return held_.contains(one); });
  }
  [[nodiscard]] bool all_hold(const std::vector<FollowedRegister>& registers, Held what) const {
    return std::ranges::all_of(registers, [&](const FollowedRegister& one) {
      const auto found = held_.find(one);
      return found != held_.end() && found->second == what;
    });
  }

  bool follow(int node) {
    const FollowedStep& at = function_.step(node);
    if (holds_any(at.guard)) {
      // Only what was read can be in a predicate.
      if (jumps(at.opcode)) return spins(node);
      return only_computes(at.opcode) && hold(at, Held::contents);
    }
    if (!holds_any(at.reads)) return true;
    if (meets(node)) return true;
    if (!only_computes(at.opcode)) return false;
    if (holds(at.reads, Held::contents)) return all_or_none_else(at) && hold(at, Held::contents);
    return addresses(at);
  }

  /// Arithmetic on contents has no part of an address in it.
  [[nodiscard]] bool all_or_none_else(const FollowedStep& at) const {
    return !holds(at.reads, Held::half) && !holds(at.reads, Held::base) && !holds(at.reads, Held::word);
  }

  /// Puts the address together, or asks whether there is one.
  bool addresses(const FollowedStep& at) {
    const std::string_view operands = instruction_of(*at.statement).operands;
    const bool moves = code::names_instruction(at.opcode, "mov") && at.writes.size() == 1;
    if (all_hold(at.reads, Held::half)) {
      if (at.opcode == "bfi.b64")
        return at.reads.size() == 2 && operands.ends_with("32, 32") && hold(at, Held::base);
      if (at.opcode == "mov.b64" && at.reads.size() == 2) return moves && hold(at, Held::base);
      return (moves || at.opcode == "cvt.u64.u32") && at.reads.size() == 1 && hold(at, Held::half);
    }
    if (all_hold(at.reads, Held::base)) {
      if (at.opcode == "setp.ne.s64" || at.opcode == "setp.eq.s64" || at.opcode == "setp.ne.u64" ||
          at.opcode == "setp.eq.u64")
        return operands.ends_with(", 0");
      if (at.opcode == "add.s64" || at.opcode == "add.u64")
        return operands.ends_with(", 4") && hold(at, Held::word);
      return moves && hold(at, Held::base);
    }
    return all_hold(at.reads, Held::word) && moves && hold(at, Held::word);
  }

  /// Adds to the word, or reads it.
  bool meets(int node) {
    const FollowedStep& at = function_.step(node);
    const bool adds = code::names_instruction(at.opcode, "atom") && has_word(at.opcode, "add") &&
                      has_word(at.opcode, "release") && has_word(at.opcode, "gpu");
    const bool reads = code::names_instruction(at.opcode, "ld") && has_word(at.opcode, "acquire") &&
                       has_word(at.opcode, "gpu");
    if ((!adds && !reads) || !at.opcode.ends_with("u32")) return false;
    const auto operands = code::operands_of(*at.statement);
    if (operands.size() != (adds ? 3U : 2U) || operands[0].address || !operands[1].address) return false;
    const auto registers = [&](std::size_t operand) {
      std::vector<FollowedRegister> all;
      for (const std::string_view name : operands[operand].names()) {
        for (const FollowedRegister& one : at.reads) {
          if (one.second == name) all.push_back(one);
        }
      }
      return all;
    };
    const std::vector<FollowedRegister> address = registers(1), results = registers(0);
    const bool plain = std::ranges::none_of(operands[1].tokens, [](const code::Token& token) {
      return token.kind == code::Token::Kind::integer;
    });
    if (address.size() != 1 || !plain || !all_hold(address, Held::word)) return false;
    if (adds && holds_any(registers(2))) return false;
    return results.size() == 1 && hold(results.front(), Held::contents);
  }

  /// All ways of the branch come to one instruction, and on them the word is read and nothing else happens.
  bool spins(int node) {
    const auto idle = [&](int way) {
      const std::string_view opcode = function_.step(way).opcode;
      return only_computes(opcode) || sleeps(opcode) || jumps(opcode) ||
             (code::names_instruction(opcode, "ld") && meets(way));
    };
    std::set<int> between;
    if (!function_.ways_to_meeting(node, idle, between)) return false;
    return std::ranges::all_of(between, [&](int way) {
      const FollowedStep& step = function_.step(way);
      return !only_computes(step.opcode) || hold(step, Held::contents);
    });
  }

  const FollowedFunction& function_;
  std::map<FollowedRegister, Held> held_;
};

}  // namespace

bool tells_grid_workspace(std::string_view special_register) {
  return special_register == "%envreg1" || special_register == "%envreg2";
}

std::set<const Statement*> reads_of_grid_barriers(const PtxModule& module, const ModuleNames& names) {
  std::set<const Statement*> found;
  const bool any = std::ranges::any_of(module.statements(), [](const Statement& statement) {
    return statement.text.find("%envreg") != std::string_view::npos;
  });
  if (!any) return found;
  const PtxFlow flow(module, [](const Statement&) { return true; });
  for (const FlowFunction& function : flow.functions()) {
    const FollowedFunction followed(names, flow, function);
    for (const Statement* read : MeetingFunction(followed).reads()) found.insert(read);
  }
  return found;
}

}  // namespace evo::evaluators::gates
