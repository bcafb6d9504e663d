#include "evaluators/gates/entry_steps.hpp"

#include <algorithm>
#include <charconv>

#include "evaluators/code/entry_statements.hpp"

namespace evo::evaluators::gates {

EntrySteps::EntrySteps(const code::PtxModule& module, const std::string& entry, Followed followed)
    : prefix_(entry + "_param_"), followed_(followed) {
  if (module.unreadable()) return;
  std::map<std::string_view, int> times;
  for (const Statement* statement : code::statements_of_entry(module, entry)) {
    const std::string_view opcode = instruction_of(*statement).opcode;
    if (opcode.empty() || code::names_instruction(opcode, "st")) continue;
    all_.push_back({opcode, code::operands_of(*statement)});
    const std::vector<code::Operand>& operands = all_.back().operands;
    if (operands.empty() || operands[0].address) continue;
    const auto names = operands[0].names();
    // What has a predicate of its own keeps what it was before.
    const bool always = statement->tokens.empty() || !statement->tokens.front().is('@');
    for (const std::string_view name : names) times[name] += always ? 1 : 2;
    if (names.size() == 1) writers_[names[0]] = all_.size() - 1;
  }
  std::erase_if(writers_, [&](const auto& writer) { return times[writer.first] != 1; });
}

const EntryStep* EntrySteps::writer_of(std::string_view name) const {
  const auto found = writers_.find(name);
  return found == writers_.end() ? nullptr : &all_[found->second];
}

std::optional<std::size_t> EntrySteps::parameter_of(const EntryStep& step) const {
  if (!step.opcode.starts_with("ld.param") || step.operands.size() != 2) return std::nullopt;
  const auto names = step.operands[1].names();
  const bool whole =
      names.size() == 1 && names[0].starts_with(prefix_) &&
      std::ranges::none_of(step.operands[1].tokens, [](const code::Token& token) { return token.is('+'); });
  if (!whole) return std::nullopt;
  const std::string_view digits = names[0].substr(prefix_.size());
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  return error == std::errc{} && end == digits.data() + digits.size() ? std::optional(place) : std::nullopt;
}

std::optional<std::set<std::size_t>> EntrySteps::parameters_in(std::string_view name, int depth) {
  const EntryStep* const step = writer_of(name);
  if (step == nullptr || depth == 0) return std::nullopt;
  const auto [known, fresh] = known_.emplace(name, std::nullopt);  // what leads back to itself has none
  if (!fresh) return known->second;
  if (const auto place = parameter_of(*step)) return known_[name] = std::set<std::size_t>{*place};
  if (step->operands.size() < 2 || !followed_(*step)) return std::nullopt;
  std::set<std::size_t> all;
  for (std::size_t i = 1; i < step->operands.size(); ++i) {
    if (step->operands[i].address) return std::nullopt;
    for (const std::string_view source : step->operands[i].names()) {
      const auto more = parameters_in(source, depth - 1);
      if (!more) return std::nullopt;
      all.insert(more->begin(), more->end());
    }
  }
  return known_[name] = std::move(all);
}

}  // namespace evo::evaluators::gates
