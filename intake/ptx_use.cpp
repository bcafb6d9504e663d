#include "intake/ptx_use.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "evaluators/code/ptx_statements.hpp"

namespace evo::intake {
namespace {

namespace code = evaluators::code;

/// Bit i: an address from slot i.
using Origins = std::uint64_t;
constexpr std::uint64_t address_bytes = 8;

/// What the address of this instruction must be a multiple of: half2 is 4 bytes of an array of halves.
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

class UseReader {
 public:
  UseReader(const std::string& entry, const std::vector<ParameterSlot>& slots)
      : entry_(entry), slots_(slots) {
    use_.pointers.resize(slots.size());
    use_.taken.resize(slots.size(), false);
  }

  KernelUse run(const code::PtxModule& module) {
    std::vector<const code::Statement*> body;
    bool inside = false;
    for (const code::Statement& statement : module.statements()) {
      if (statement.scope == 0) inside = is_head(statement);
      if (inside && statement.scope != 0) body.push_back(&statement);
    }
    // A loop brings a register back to an earlier line: until nothing new is learnt.
    for (bool changed = true; changed;) {
      changed = false;
      for (const code::Statement* statement : body) changed = follow(*statement) || changed;
    }
    for (const code::Statement* statement : body) access(*statement);
    // Who asks how an array is aligned has a way for each answer, and is shown them all.
    for (PointerUse& pointer : use_.pointers) {
      if (pointer.tested) pointer.widest = 0;
    }
    return use_;
  }

 private:
  [[nodiscard]] bool is_head(const code::Statement& statement) const {
    const auto words = code::words_of(statement.text);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i].ends_with("entry") && words[i + 1] == entry_) return true;
    }
    return false;
  }

  /// The slots of a parameter that meet [begin, end) of its bytes.
  [[nodiscard]] Origins slots_in(std::size_t parameter, std::uint64_t begin, std::uint64_t end) const {
    Origins found = 0;
    for (std::size_t i = 0; i < slots_.size() && i < 64; ++i) {
      const ParameterSlot& slot = slots_[i];
      if (slot.parameter != parameter) continue;
      const bool meets = slot.bytes == 0 || (slot.offset < end && begin < slot.offset + slot.bytes);
      if (meets) found |= Origins{1} << i;
    }
    return found;
  }

  /// The number of the parameter that this is the name of.
  [[nodiscard]] std::optional<std::size_t> parameter_of(std::string_view name) const {
    const std::string prefix = entry_ + "_param_";
    if (!name.starts_with(prefix)) return std::nullopt;
    return std::stoul(std::string(name.substr(prefix.size())));
  }

  [[nodiscard]] Origins of_name(std::string_view name) const {
    if (const auto parameter = parameter_of(name)) return slots_in(*parameter, 0, ~std::uint64_t{0});
    const auto found = registers_.find(name);
    return found == registers_.end() ? 0 : found->second;
  }

  [[nodiscard]] Origins of_operand(const code::Operand& operand) const {
    Origins origins = 0;
    for (const std::string_view name : operand.names()) origins |= of_name(name);
    return origins;
  }

  /// Of ld.param: the slots that each of its results gets.
  [[nodiscard]] std::vector<Origins> loaded(std::string_view opcode,
                                            const std::vector<code::Operand>& operands) {
    std::vector<Origins> results;
    const auto lanes = operands[0].names();
    for (const std::string_view name : operands[1].names()) {
      const auto parameter = parameter_of(name);
      if (!parameter) continue;
      std::uint64_t offset = 0;
      for (const auto& token : operands[1].tokens) {
        if (token.kind == code::Token::Kind::integer) offset = token.value;
      }
      const auto bytes = static_cast<std::uint64_t>(std::max(wide_bytes(opcode, operands), 1));
      const std::uint64_t each = std::max<std::uint64_t>(bytes / std::max<std::size_t>(lanes.size(), 1), 1);
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        results.push_back(slots_in(*parameter, offset + i * each, offset + (i + 1) * each));
        if (each == address_bytes) addresses_ |= results.back();
      }
    }
    return results;
  }

  bool learn(std::string_view name, Origins origins) {
    Origins& known = registers_[std::string(name)];
    const bool news = (origins & ~known) != 0;
    known |= origins;
    return news;
  }

  /// Takes down where a result's address comes from; whether that is news.
  bool follow(const code::Statement& statement) {
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

  void note(Origins origins, bool reads, bool writes, bool atomic = false, int wide = 0, bool sums = false) {
    for (std::size_t i = 0; i < use_.pointers.size() && i < 64; ++i) {
      if ((origins >> i & 1U) == 0) continue;
      PointerUse& pointer = use_.pointers[i];
      if (!pointer.read && !pointer.written) pointer.read_first = reads;
      pointer.read = pointer.read || reads;
      pointer.written = pointer.written || writes;
      pointer.atomic = pointer.atomic || atomic;
      pointer.sums = pointer.sums || sums;
      pointer.widest = std::max(pointer.widest, wide);
    }
  }

  /// and.b64 of an address and 3, 7, 15: is it a multiple of 4, 8, 16?
  void test(std::string_view opcode, const std::vector<code::Operand>& operands) {
    if (!code::names_instruction(opcode, "and") || operands.size() != 3) return;
    for (const code::Operand& operand : operands) {
      if (operand.address || operand.tokens.size() != 1) continue;
      const code::Token& token = operand.tokens[0];
      const bool mask = token.kind == code::Token::Kind::integer && token.value >= 1 && token.value < 128 &&
                        (token.value & (token.value + 1)) == 0;
      if (!mask) continue;
      // The remainder of an int that counts elements is no test of an address.
      const Origins origins = (of_operand(operands[1]) | of_operand(operands[2])) & addresses_;
      for (std::size_t i = 0; i < use_.pointers.size() && i < 64; ++i)
        use_.pointers[i].tested = use_.pointers[i].tested || (origins >> i & 1U) != 0;
    }
  }

  void access(const code::Statement& statement) {
    for (const std::string_view word : code::words_of(statement.text)) {
      if (word.starts_with("%tid") || word.starts_with("%ctaid")) {
        use_.y = use_.y || statement.text.find("id.y") != std::string_view::npos;
        use_.z = use_.z || statement.text.find("id.z") != std::string_view::npos;
        use_.thread_y = use_.thread_y || statement.text.find("%tid.y") != std::string_view::npos;
        use_.thread_z = use_.thread_z || statement.text.find("%tid.z") != std::string_view::npos;
      }
    }
    const auto [opcode, text] = code::instruction_of(statement);
    if (opcode.starts_with("ld.param")) {
      Origins taken = 0;
      const auto operands = code::operands_of(statement);
      for (const Origins each : loaded(opcode, operands)) taken |= each;
      for (std::size_t i = 0; i < use_.taken.size() && i < 64; ++i)
        use_.taken[i] = use_.taken[i] || (taken >> i & 1U) != 0;
    } else {
      // An address of a struct: any of its members.
      Origins taken = 0;
      for (const std::string_view word : code::words_of(statement.text)) {
        if (const auto parameter = parameter_of(word)) taken |= slots_in(*parameter, 0, ~std::uint64_t{0});
      }
      for (std::size_t i = 0; i < use_.taken.size() && i < 64; ++i)
        use_.taken[i] = use_.taken[i] || (taken >> i & 1U) != 0;
    }
    if (opcode.empty() || opcode.starts_with("ld.param")) return;
    const auto operands = code::operands_of(statement);
    test(opcode, operands);
    const auto is = [&, word = opcode](std::string_view name) { return code::names_instruction(word, name); };
    if (is("call") || opcode.starts_with("st.param")) {
      for (const auto& operand : operands) note(of_operand(operand), true, true);
      return;
    }
    const bool atomic = is("atom") || is("red");
    const bool writes = is("st") || atomic || is("stmatrix");
    const bool copies = is("cp");
    const bool sums =
        atomic && opcode.find(".add") != std::string_view::npos &&
        (opcode.find(".f") != std::string_view::npos || opcode.find(".bf") != std::string_view::npos);
    for (const auto& operand : operands) {
      if (operand.address && !is("prefetch"))
        note(of_operand(operand), !writes || atomic || copies, writes, atomic, wide_bytes(opcode, operands),
             sums);
    }
  }

  const std::string& entry_;
  const std::vector<ParameterSlot>& slots_;
  KernelUse use_;
  std::map<std::string, Origins, std::less<>> registers_;
  Origins addresses_ = 0;  ///< slots that are loaded as wide as an address is
};

}  // namespace

KernelUse use_of(const std::string& ptx, const std::string& entry, std::size_t count) {
  std::vector<ParameterSlot> slots;
  for (std::size_t i = 0; i < count; ++i) slots.push_back({i, 0, 0});
  return use_of(ptx, entry, slots);
}

KernelUse use_of(const std::string& ptx, const std::string& entry, const std::vector<ParameterSlot>& slots) {
  const code::PtxModule module(ptx);
  return UseReader(entry, slots).run(module);
}

}  // namespace evo::intake
