#include "evaluators/gates/followed_registers.hpp"

#include <algorithm>
#include <array>

namespace evo::evaluators::gates {

bool only_computes(std::string_view opcode) {
  constexpr std::array roots{"mov", "cvt", "add", "sub", "mul", "mad",  "fma",  "shl", "shr", "and", "or",
                             "xor", "not", "neg", "min", "max", "setp", "selp", "div", "rem", "bfe", "bfi"};
  return opcode.find(".cc") == std::string_view::npos &&
         std::ranges::any_of(roots, [&](const char* root) { return code::names_instruction(opcode, root); });
}
bool sleeps(std::string_view opcode) {
  return code::names_instruction(opcode, "nanosleep");
}
bool jumps(std::string_view opcode) {
  return code::names_instruction(opcode, "bra");
}

FollowedFunction::FollowedFunction(const ModuleNames& names, const PtxFlow& flow,
                                   const FlowFunction& function)
    : flow_(flow), function_(function) {
  for (int node = function.first; node < function.last; ++node) steps_.push_back(step_of(names, node));
}

FollowedStep FollowedFunction::step_of(const ModuleNames& names, int node) const {
  FollowedStep step;
  step.statement = flow_.nodes()[static_cast<std::size_t>(node)].statement;
  const Statement& at = *step.statement;
  step.opcode = instruction_of(at).opcode;
  const auto key = [&](std::string_view name) {
    return FollowedRegister{names.scope_of(name, at.scope), name};
  };
  const auto operands = code::operands_of(at);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (const std::string_view name : operands[i].names())
      (i == 0 && only_computes(step.opcode) ? step.writes : step.reads).push_back(key(name));
  }
  if (at.text.front() != '@') return step;
  for (const code::Token& token : at.tokens) {
    if (token.kind != code::Token::Kind::identifier) continue;
    step.guard.push_back(key(token.text));
    break;
  }
  return step;
}

bool FollowedFunction::loops_within(int from, const std::set<int>& nodes) const {
  std::set<int> seen;
  std::vector<int> open{from};
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const int after : next(node)) {
      if (after == from) return true;
      if (nodes.contains(after) && seen.insert(after).second) open.push_back(after);
    }
  }
  return false;
}

}  // namespace evo::evaluators::gates
