#include "evaluators/gates/size_predicates.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "evaluators/code/entry_statements.hpp"
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
    : prefix_(entry + "_param_") {
  if (module.unreadable()) return;
  std::map<std::string_view, int> writers;
  std::vector<std::string_view> predicates;
  for (const Statement* statement : code::statements_of_entry(module, entry)) {
    const std::string_view opcode = instruction_of(*statement).opcode;
    if (opcode.empty() || is_of(opcode, "st")) continue;
    std::vector<code::Operand> operands = code::operands_of(*statement);
    if (operands.empty() || operands[0].address) continue;
    const auto names = operands[0].names();
    // What has a predicate of its own keeps what it was before.
    const bool always = statement->tokens.empty() || !statement->tokens.front().is('@');
    for (const std::string_view name : names) writers[name] += always ? 1 : 2;
    if (names.size() != 1) continue;
    steps_[names[0]] = {opcode, std::move(operands)};
    if (makes_predicate(opcode)) predicates.push_back(names[0]);
  }
  std::erase_if(steps_, [&](const auto& step) { return writers[step.first] != 1; });
  for (const std::string_view name : predicates) {
    const Sources sources = sources_of(name, most_steps);
    if (sources && sources->size() > 1 && asked_.size() < most_asked) asked_.push_back(name);
  }
}

std::optional<std::size_t> SizePredicates::parameter_of(const Step& step) const {
  if (!step.opcode.starts_with("ld.param") || step.operands.size() != 2) return std::nullopt;
  const auto names = step.operands[1].names();
  // A member of a struct is not one of the kernel's arguments.
  const bool whole =
      names.size() == 1 && names[0].starts_with(prefix_) &&
      std::ranges::none_of(step.operands[1].tokens, [](const code::Token& token) { return token.is('+'); });
  if (!whole) return std::nullopt;
  const std::string_view digits = names[0].substr(prefix_.size());
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  return error == std::errc{} && end == digits.data() + digits.size() ? std::optional(place) : std::nullopt;
}

SizePredicates::Sources SizePredicates::sources_of(std::string_view name, int depth) const {
  const auto found = steps_.find(name);
  if (found == steps_.end() || depth == 0) return std::nullopt;
  const Step& step = found->second;
  if (const auto place = parameter_of(step)) return std::set{*place};
  if (!is_whole_step(step.opcode)) return std::nullopt;
  std::set<std::size_t> all;
  for (std::size_t i = 1; i < step.operands.size(); ++i) {
    if (step.operands[i].address) return std::nullopt;
    for (const std::string_view source : step.operands[i].names()) {
      const Sources of_it = sources_of(source, depth - 1);
      if (!of_it) return std::nullopt;
      all.insert(of_it->begin(), of_it->end());
    }
  }
  return all;
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
  const auto found = steps_.find(name);
  if (found == steps_.end() || depth == 0) return value;
  const Step& step = found->second;
  if (const auto place = parameter_of(step)) {
    if (*place >= parameters.size()) return value;
    return value = loaded_whole(step.opcode, static_cast<std::uint64_t>(parameters[*place]));
  }
  std::vector<std::uint64_t> operands;
  for (std::size_t i = 1; i < step.operands.size(); ++i) {
    const auto operand = operand_value(step.operands[i], parameters, known, depth - 1);
    if (!operand) return value;
    operands.push_back(*operand);
  }
  return value = whole_step(step.opcode, operands);
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
