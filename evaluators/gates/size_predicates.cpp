#include "evaluators/gates/size_predicates.hpp"

#include <algorithm>
#include <array>

#include "evaluators/gates/whole_steps.hpp"

namespace evo::evaluators::gates {
namespace {

/// Further than sizes are from what is asked of them.
constexpr int most_steps = 64;
constexpr std::size_t most_asked = 32;

bool is_of(std::string_view opcode, std::string_view name) {
  return code::names_instruction(opcode, name);
}

bool makes_predicate(std::string_view opcode) {
  const auto words = code::modifiers_of(opcode);
  const bool logic =
      is_of(opcode, "and") || is_of(opcode, "or") || is_of(opcode, "xor") || is_of(opcode, "not");
  return is_of(opcode, "setp") || (logic && !words.empty() && words.back() == "pred");
}

}  // namespace

SizePredicates::SizePredicates(const code::PtxModule& module, const std::string& entry)
    : steps_(module, entry, [](const EntryStep& step) { return is_whole_step(step.opcode); }) {
  for (const EntryStep& step : steps_.all()) {
    if (!makes_predicate(step.opcode) || step.operands.empty() || step.operands[0].address) continue;
    const auto names = step.operands[0].names();
    if (names.size() != 1) continue;
    const auto sources = steps_.parameters_in(names[0], most_steps);
    if (sources && sources->size() > 1 && asked_.size() < most_asked) asked_.push_back(names[0]);
  }
}

std::optional<std::uint64_t> SizePredicates::operand_value(const code::Operand& operand,
                                                           std::span<const std::int64_t> parameters,
                                                           Known& known, int depth) const {
  if (operand.tokens.empty() || operand.tokens.size() > 2) return std::nullopt;
  const code::Token& last = operand.tokens.back();
  if (last.kind == code::Token::Kind::integer) {
    const bool negative = operand.tokens.size() == 2 && operand.tokens.front().is('-');
    return negative ? ~last.value + 1 : last.value;
  }
  const bool negated = operand.tokens.size() == 2 && operand.tokens.front().is('!');
  if (operand.tokens.size() == 2 && !negated) return std::nullopt;
  const auto value = value_of(last.text, parameters, known, depth);
  return value && negated ? std::optional<std::uint64_t>(*value == 0 ? 1 : 0) : value;
}

std::optional<std::uint64_t> SizePredicates::value_of(std::string_view name,
                                                      std::span<const std::int64_t> parameters, Known& known,
                                                      int depth) const {
  if (const auto before = known.find(name); before != known.end()) return before->second;
  std::optional<std::uint64_t>& value = known[name];
  const EntryStep* const step = steps_.writer_of(name);
  if (step == nullptr || depth == 0) return value;
  if (const auto place = steps_.parameter_of(*step)) {
    if (*place >= parameters.size()) return value;
    return value = loaded_whole(step->opcode, static_cast<std::uint64_t>(parameters[*place]));
  }
  std::vector<std::uint64_t> operands;
  for (std::size_t i = 1; i < step->operands.size(); ++i) {
    const auto operand = operand_value(step->operands[i], parameters, known, depth - 1);
    if (!operand) return value;
    operands.push_back(*operand);
  }
  return value = whole_step(step->opcode, operands);
}

std::vector<std::optional<bool>> SizePredicates::values(std::span<const std::int64_t> parameters) const {
  Known known;
  std::vector<std::optional<bool>> all;
  for (const std::string_view name : asked_) {
    const auto value = value_of(name, parameters, known, most_steps);
    all.push_back(value ? std::optional(*value != 0) : std::nullopt);
  }
  return all;
}

}  // namespace evo::evaluators::gates
