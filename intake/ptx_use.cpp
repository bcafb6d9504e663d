#include "intake/ptx_use.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "evaluators/code/ptx_statements.hpp"
#include "intake/data_use.hpp"

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
    bool inside = false, function = false;
    for (const code::Statement& statement : module.statements()) {
      if (statement.scope == 0) {
        inside = is_head(statement);
        function = says(statement, ".func");
      }
      if (inside && statement.scope != 0) body.push_back(&statement);
      if (function && statement.scope != 0) functions_ask_ = functions_ask_ || asks_who(statement);
    }
    find_bases(body);
    // A loop brings a register back to an earlier line: until nothing new is learnt.
    for (bool changed = true; changed;) {
      changed = false;
      for (const code::Statement* statement : body) changed = follow(*statement) || changed;
    }
    use_.alone = !body.empty();
    for (const code::Statement* statement : body) access(*statement);
    // Who asks how an array is aligned has a way for each answer, and is shown them all.
    for (PointerUse& pointer : use_.pointers) {
      if (pointer.tested) pointer.widest = 0;
    }
    return use_;
  }

 private:
  [[nodiscard]] static bool says(const code::Statement& statement, std::string_view what) {
    return std::ranges::any_of(code::words_of(statement.text), [&](std::string_view word) {
      return word == what || (what.starts_with('.') && word == what.substr(1));
    });
  }
  [[nodiscard]] static bool asks_who(const code::Statement& statement) {
    return std::ranges::any_of(code::words_of(statement.text), is_who);
  }
  /// A register that says which thread or block it is.
  [[nodiscard]] static bool is_who(std::string_view word) {
    return word.starts_with("%tid") || word.starts_with("%ctaid") || word.starts_with("%laneid");
  }

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

  /// A parameter and the byte of it that a register points to.
  struct Base {
    std::size_t parameter = 0;
    std::int64_t offset = 0;
  };

  /// Registers that point to a known byte of a parameter: of a large struct compilers take the address once
  /// and say its members by their distance from there. What is written twice is none.
  void find_bases(const std::vector<const code::Statement*>& body) {
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
  [[nodiscard]] std::optional<Base> base_by(std::string_view opcode,
                                            const std::vector<code::Operand>& operands) const {
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
  [[nodiscard]] static std::int64_t distance_in(const code::Operand& operand) {
    std::int64_t distance = 0;
    bool minus = false;
    for (const code::Token& token : operand.tokens) {
      if (token.text == "-") minus = true;
      if (token.kind == code::Token::Kind::integer) distance = static_cast<std::int64_t>(token.value);
    }
    return minus ? -distance : distance;
  }

  /// The number of the parameter that this is the name of.
  [[nodiscard]] std::optional<std::size_t> parameter_of(std::string_view name) const {
    const std::string prefix = entry_ + "_param_";
    if (!name.starts_with(prefix)) return std::nullopt;
    return std::stoul(std::string(name.substr(prefix.size())));
  }

  [[nodiscard]] Origins of_name(std::string_view name) const {
    if (const auto parameter = parameter_of(name)) return slots_in(*parameter, 0, ~std::uint64_t{0});
    if (const auto base = bases_.find(name); base != bases_.end())
      return slots_in(base->second.parameter, 0, ~std::uint64_t{0});
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

  void note(Origins origins, bool reads, bool writes, bool atomic = false, int wide = 0, bool sums = false,
            bool stores = false) {
    for (std::size_t i = 0; i < use_.pointers.size() && i < 64; ++i) {
      if ((origins >> i & 1U) == 0) continue;
      PointerUse& pointer = use_.pointers[i];
      if (!pointer.read && !pointer.written) {
        pointer.read_first = reads;
        pointer.atomic_first = atomic;
      }
      pointer.read = pointer.read || reads;
      pointer.written = pointer.written || writes;
      pointer.stored = pointer.stored || stores;
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
      if (is_who(word)) {
        use_.alone = false;
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
      const std::vector<Origins> results = loaded(opcode, operands);
      const auto names = operands[0].names();
      const auto used = [&](std::string_view name) { return said_[std::string(name)] > 1; };
      const bool wide = results.size() == names.size() && std::ranges::any_of(names, used);
      for (std::size_t i = 0; i < results.size(); ++i) {
        // A neighbour that a wide load brings along, and that nobody uses.
        const bool idle = wide && !used(names[i]);
        if (!idle) taken |= results[i];
      }
      for (std::size_t i = 0; i < use_.taken.size() && i < 64; ++i)
        use_.taken[i] = use_.taken[i] || (taken >> i & 1U) != 0;
    } else {
      // An address of a struct: any of its members.
      Origins taken = 0;
      const auto all = code::operands_of(statement);
      const bool base = !all.empty() && !all[0].address && all[0].names().size() == 1 &&
                        bases_.contains(all[0].names().front());
      for (const std::string_view word : code::words_of(statement.text)) {
        if (base) continue;
        if (parameter_of(word) || bases_.contains(word)) taken |= of_name(word);
      }
      for (std::size_t i = 0; i < use_.taken.size() && i < 64; ++i)
        use_.taken[i] = use_.taken[i] || (taken >> i & 1U) != 0;
    }
    if (opcode.empty() || opcode.starts_with("ld.param")) return;
    const auto operands = code::operands_of(statement);
    test(opcode, operands);
    const auto is = [&, word = opcode](std::string_view name) { return code::names_instruction(word, name); };
    if (is("call") || opcode.starts_with("st.param")) {
      // What is called may ask; a power of double is a function that does not.
      if (functions_ask_) use_.alone = false;
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
             sums, writes);
    }
  }

  const std::string& entry_;
  const std::vector<ParameterSlot>& slots_;
  bool functions_ask_ = false;  ///< a function of the module asks which thread it is
  KernelUse use_;
  std::map<std::string, Origins, std::less<>> registers_;
  std::map<std::string, Base, std::less<>> bases_;
  std::map<std::string, int, std::less<>> said_;  ///< how often the body says a word
  Origins addresses_ = 0;                         ///< slots that are loaded as wide as an address is
};

}  // namespace

KernelUse use_of(const std::string& ptx, const std::string& entry, std::size_t count) {
  std::vector<ParameterSlot> slots;
  for (std::size_t i = 0; i < count; ++i) slots.push_back({i, 0, 0});
  return use_of(ptx, entry, slots);
}

KernelUse use_of(const std::string& ptx, const std::string& entry, const std::vector<ParameterSlot>& slots) {
  const code::PtxModule module(ptx);
  KernelUse use = UseReader(entry, slots).run(module);
  std::size_t count = 0;
  for (const ParameterSlot& slot : slots) count = std::max(count, slot.parameter + 1);
  const std::vector<bool> data = meets_data_alone(module, entry, count);
  for (const ParameterSlot& slot : slots) use.meets_data.push_back(slot.bytes == 0 && data[slot.parameter]);
  return use;
}

}  // namespace evo::intake
