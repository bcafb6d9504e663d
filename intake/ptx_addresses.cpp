#include "intake/ptx_addresses.hpp"

#include <algorithm>
#include <cstdlib>

namespace evo::intake {

namespace code = evaluators::code;

namespace {

constexpr std::uint64_t address_bytes = 8;

}  // namespace

int wide_bytes(std::string_view opcode, const std::vector<code::Operand>& operands) {
  if (code::names_instruction(opcode, "wmma")) return 32;
  if (code::names_instruction(opcode, "cp")) {  // cp.async.cg.shared.global [to], [from], 16
    for (const code::Operand& operand : operands) {
      if (!operand.address && operand.tokens.size() == 1 && operand.tokens[0].text == "16") return 16;
      if (!operand.address && operand.tokens.size() == 1 && operand.tokens[0].text == "8") return 8;
    }
    return 0;
  }
  int lanes = 1, bits = 0;
  for (const std::string_view word : code::modifiers_of(opcode)) {
    if (word == "v2") lanes = 2;
    if (word == "v4") lanes = 4;
    if (word == "v8") lanes = 8;
    const std::size_t digit = word.find_first_of("0123456789");
    if (digit != 1 || std::string_view("fbsu").find(word[0]) == std::string_view::npos) continue;
    bits = std::atoi(std::string(word.substr(1)).c_str());
  }
  return lanes * bits / 8;
}

void ParameterAddresses::read(const std::vector<const code::Statement*>& body) {
  find_bases(body);
  // A loop brings a register back to an earlier line: until nothing new is learnt.
  for (bool changed = true; changed;) {
    changed = false;
    for (const code::Statement* statement : body) changed = follow(*statement) || changed;
  }
}

/// The slots of a parameter that meet [begin, end) of its bytes.
Origins ParameterAddresses::slots_in(std::size_t parameter, std::uint64_t begin, std::uint64_t end) const {
  Origins found = 0;
  for (std::size_t i = 0; i < slots_.size() && i < 64; ++i) {
    const ParameterSlot& slot = slots_[i];
    if (slot.parameter != parameter) continue;
    const bool meets = slot.bytes == 0 || (slot.offset < end && begin < slot.offset + slot.bytes);
    if (meets) found |= Origins{1} << i;
  }
  return found;
}

/// Registers that point to a known byte of a parameter: of a large struct compilers take the address once
/// and say its members by their distance from there. What is written twice is none.
void ParameterAddresses::find_bases(const std::vector<const code::Statement*>& body) {
  for (const code::Statement* statement : body) {
    for (const std::string_view word : code::words_of(statement->text)) ++said_[std::string(word)];
  }
  std::map<std::string, int, std::less<>> writes;
  for (const code::Statement* statement : body) {
    const auto operands = code::operands_of(*statement);
    if (operands.size() < 2 || operands[0].address) continue;
    for (const std::string_view name : operands[0].names()) ++writes[std::string(name)];
  }
  for (const code::Statement* statement : body) {
    const std::string_view opcode = code::instruction_of(*statement).opcode;
    const auto operands = code::operands_of(*statement);
    if (operands.empty() || operands[0].names().size() != 1) continue;
    const std::string name(operands[0].names().front());
    if (const auto base = base_by(opcode, operands); base && writes[name] == 1) bases_[name] = *base;
  }
}

/// What mov.b64 of a parameter's name, or add.s64 of such an address and a number, points to.
std::optional<ParameterAddresses::Base> ParameterAddresses::base_by(
    std::string_view opcode, const std::vector<code::Operand>& operands) const {
  const bool moves = opcode == "mov.b64" || opcode == "mov.u64";
  const bool adds = opcode == "add.s64" || opcode == "add.u64";
  if (operands.size() != (adds ? 3U : 2U) || !(moves || adds) || operands[1].address) return std::nullopt;
  const auto names = operands[1].names();
  if (names.size() != 1 || operands[1].tokens.size() != 1) return std::nullopt;
  if (moves) {
    const auto parameter = parameter_of(names.front());
    return parameter ? std::optional(Base{*parameter, 0}) : std::nullopt;
  }
  const auto base = bases_.find(names.front());
  if (base == bases_.end() || !operands[2].names().empty()) return std::nullopt;
  return Base{base->second.parameter, base->second.offset + distance_in(operands[2])};
}

/// The number of [%rd1+-56], or of a plain operand.
std::int64_t ParameterAddresses::distance_in(const code::Operand& operand) {
  std::int64_t distance = 0;
  bool minus = false;
  for (const code::Token& token : operand.tokens) {
    if (token.text == "-") minus = true;
    if (token.kind == code::Token::Kind::integer) distance = static_cast<std::int64_t>(token.value);
  }
  return minus ? -distance : distance;
}

/// The number of the parameter that this is the name of.
std::optional<std::size_t> ParameterAddresses::parameter_of(std::string_view name) const {
  const std::string prefix = entry_ + "_param_";
  if (!name.starts_with(prefix)) return std::nullopt;
  return std::stoul(std::string(name.substr(prefix.size())));
}

Origins ParameterAddresses::of_name(std::string_view name) const {
  if (const auto parameter = parameter_of(name)) return slots_in(*parameter, 0, ~std::uint64_t{0});
  if (const auto base = bases_.find(name); base != bases_.end())
    return slots_in(base->second.parameter, 0, ~std::uint64_t{0});
  const auto found = registers_.find(name);
  return found == registers_.end() ? 0 : found->second;
}

Origins ParameterAddresses::of_operand(const code::Operand& operand) const {
  Origins origins = 0;
  for (const std::string_view name : operand.names()) origins |= of_name(name);
  return origins;
}

/// Of ld.param: the slots that each of its results gets.
std::vector<Origins> ParameterAddresses::loaded(std::string_view opcode,
                                                const std::vector<code::Operand>& operands) {
  std::vector<Origins> results;
  const auto lanes = operands[0].names();
  for (const std::string_view name : operands[1].names()) {
    std::optional<std::size_t> parameter = parameter_of(name);
    std::int64_t distance = distance_in(operands[1]);
    if (const auto base = bases_.find(name); base != bases_.end()) {
      parameter = base->second.parameter;
      distance += base->second.offset;
    }
    if (!parameter || distance < 0) continue;
    const auto offset = static_cast<std::uint64_t>(distance);
    const auto bytes = static_cast<std::uint64_t>(std::max(wide_bytes(opcode, operands), 1));
    const std::uint64_t each = std::max<std::uint64_t>(bytes / std::max<std::size_t>(lanes.size(), 1), 1);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      results.push_back(slots_in(*parameter, offset + i * each, offset + (i + 1) * each));
      if (each == address_bytes) addresses_ |= results.back();
    }
  }
  return results;
}

bool ParameterAddresses::learn(std::string_view name, Origins origins) {
  Origins& known = registers_[std::string(name)];
  const bool news = (origins & ~known) != 0;
  known |= origins;
  return news;
}

/// Takes down where a result's address comes from; whether that is news.
bool ParameterAddresses::follow(const code::Statement& statement) {
  const auto instruction = code::instruction_of(statement);
  if (instruction.opcode.empty()) return false;
  const auto operands = code::operands_of(statement);
  if (operands.size() < 2 || operands[0].address) return false;
  // What a load brings from memory is data; from the parameters it is the pointer.
  const bool load = code::names_instruction(instruction.opcode, "ld") ||
                    code::names_instruction(instruction.opcode, "atom");
  const bool parameter = instruction.opcode.starts_with("ld.param");
  if ((load && !parameter) || instruction.opcode.starts_with("setp")) return false;
  bool changed = false;
  const auto names = operands[0].names();
  if (names.size() == 1 && bases_.contains(names.front())) return false;
  if (parameter) {
    const std::vector<Origins> results = loaded(instruction.opcode, operands);
    if (results.size() == names.size()) {
      for (std::size_t i = 0; i < names.size(); ++i) changed = learn(names[i], results[i]) || changed;
      return changed;
    }
  }
  Origins origins = 0;
  for (std::size_t i = 1; i < operands.size(); ++i) origins |= of_operand(operands[i]);
  if (origins == 0) return false;
  for (const std::string_view name : names) changed = learn(name, origins) || changed;
  return changed;
}

}  // namespace evo::intake
