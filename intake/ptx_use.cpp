#include "intake/ptx_use.hpp"

#include <algorithm>
#include <string_view>

#include "evaluators/code/ptx_statements.hpp"
#include "intake/data_use.hpp"
#include "intake/ptx_addresses.hpp"

namespace evo::intake {
namespace {

namespace code = evaluators::code;

class UseReader {
 public:
  UseReader(const std::string& entry, const std::vector<ParameterSlot>& slots)
      : entry_(entry), addresses_(entry, slots) {
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
    addresses_.read(body);
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
      const Origins origins =
          (addresses_.of_operand(operands[1]) | addresses_.of_operand(operands[2])) & addresses_.as_wide();
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
      const std::vector<Origins> results = addresses_.loaded(opcode, operands);
      const auto names = operands[0].names();
      const auto used = [&](std::string_view name) { return addresses_.says_again(name); };
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
                        addresses_.is_base(all[0].names().front());
      for (const std::string_view word : code::words_of(statement.text)) {
        if (base) continue;
        if (addresses_.parameter_of(word) || addresses_.is_base(word)) taken |= addresses_.of_name(word);
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
      for (const auto& operand : operands) note(addresses_.of_operand(operand), true, true);
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
        note(addresses_.of_operand(operand), !writes || atomic || copies, writes, atomic,
             wide_bytes(opcode, operands), sums, writes);
    }
  }

  const std::string& entry_;
  ParameterAddresses addresses_;
  bool functions_ask_ = false;  ///< a function of the module asks which thread it is
  KernelUse use_;
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
