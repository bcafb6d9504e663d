#include "evaluators/gates/cache_policies.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace evo::evaluators::gates {
namespace {

using code::Operand;
using code::Token;

constexpr std::array<std::string_view, 12> harmless{"L1::evict_normal",
                                                    "L1::evict_unchanged",
                                                    "L1::evict_first",
                                                    "L1::evict_last",
                                                    "L1::no_allocate",
                                                    "L2::evict_normal",
                                                    "L2::evict_unchanged",
                                                    "L2::evict_first",
                                                    "L2::cache_hint",
                                                    "L2::64B",
                                                    "L2::128B",
                                                    "L2::256B"};

/// CUTLASS, cute/arch/copy_sm90_desc.hpp: CacheHintSm90::EVICT_NORMAL and EVICT_FIRST.
constexpr std::array<std::uint64_t, 2> known_policies{0x1000000000000000, 0x12F0000000000000};

bool has(std::string_view opcode, std::string_view modifier) {
  const auto words = code::modifiers_of(opcode);
  return std::find(words.begin(), words.end(), modifier) != words.end();
}

/// Registers that hold a policy of those allowed, by what writes them.
class Policies {
 public:
  Policies(const PtxModule& module, const ModuleNames& names) : names_(names) {
    for (const Statement& statement : module.statements()) {
      const auto opcode = instruction_of(statement).opcode;
      if (opcode.empty()) continue;
      const auto operands = code::operands_of(statement);
      if (operands.empty() || operands.front().address) continue;
      for (const std::string_view name : operands.front().names())
        writers_[key(name, statement)].push_back(&statement);
    }
  }

  [[nodiscard]] bool allowed(const Operand& operand, const Statement& at) {
    if (operand.tokens.size() != 1 || operand.address) return false;
    const Token& token = operand.tokens.front();
    if (token.kind == Token::Kind::integer)
      return std::find(known_policies.begin(), known_policies.end(), token.value) != known_policies.end();
    if (token.kind != Token::Kind::identifier) return false;
    const Key name = key(token.text, at);
    const auto found = writers_.find(name);
    if (found == writers_.end()) return false;
    if (!open_.insert(name).second) return true;  // a loop: what else writes it decides
    const bool all = std::all_of(found->second.begin(), found->second.end(),
                                 [&](const Statement* writer) { return makes_allowed(*writer); });
    open_.erase(name);
    return all;
  }

 private:
  using Key = std::pair<int, std::string_view>;
  [[nodiscard]] Key key(std::string_view name, const Statement& at) const {
    return {names_.scope_of(name, at.scope), name};
  }
  [[nodiscard]] bool makes_allowed(const Statement& writer) {
    const auto opcode = instruction_of(writer).opcode;
    const auto operands = code::operands_of(writer);
    if (code::names_instruction(opcode, "createpolicy")) return !has(opcode, "cvt");
    const bool moves = code::names_instruction(opcode, "mov") && operands.size() == 2;
    const bool selects = code::names_instruction(opcode, "selp") && operands.size() == 4;
    if (!moves && !selects) return false;
    return allowed(operands[1], writer) && (moves || allowed(operands[2], writer));
  }

  const ModuleNames& names_;
  std::map<Key, std::vector<const Statement*>> writers_;
  std::set<Key> open_;
};

}  // namespace

std::vector<PolicyFinding> lasting_policies(const PtxModule& module, const ModuleNames& names) {
  std::vector<PolicyFinding> found;
  std::optional<Policies> policies;
  for (const Statement& statement : module.statements()) {
    const auto opcode = instruction_of(statement).opcode;
    if (opcode.empty()) continue;
    if (code::names_instruction(opcode, "discard") ||
        (code::names_instruction(opcode, "createpolicy") && has(opcode, "cvt"))) {
      found.push_back({&statement, fmt::format("the kernel uses {}", opcode)});
    }
    for (const std::string_view word : code::modifiers_of(opcode)) {
      const bool policy = word.starts_with("L1::") || word.starts_with("L2::") || word.starts_with("L3::") ||
                          word.find("evict") != std::string_view::npos;
      if (policy && std::find(harmless.begin(), harmless.end(), word) == harmless.end()) {
        found.push_back(
            {&statement, fmt::format("the kernel asks for {}: of the policies of the L2 only those "
                                     "that end with the launch are allowed",
                                     word)});
      }
      if (word != "L2::cache_hint") continue;
      if (!policies) policies.emplace(module, names);
      const auto operands = code::operands_of(statement);
      if (operands.empty() || !policies->allowed(operands.back(), statement)) {
        found.push_back({&statement,
                         "the kernel gives a cache policy that is none of createpolicy's evict_first, "
                         "evict_normal and evict_unchanged"});
      }
    }
  }
  return found;
}

}  // namespace evo::evaluators::gates
