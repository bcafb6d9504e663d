#include "evaluators/devices/virtual/exact/register_uses.hpp"

#include <utility>

#include "evaluators/devices/virtual/ptx/liveness.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

/// A value gets another name, or one of its own: mov of a register, a constant, or of parts to a whole.
bool renames(const Instruction& i) {
  return (i.op == Opcode::mov && i.type != Type::pred && i.src_count == 1) || i.op == Opcode::pack;
}

class Uses {
 public:
  Uses(const Program& program, Code& code)
      : program_(program), code_(code), number_(program.registers.size(), RegisterUse::none) {}

  void run() {
    for (WarpgroupStep& wgmma : code_.warpgroups) {
      for (const std::uint32_t slot : wgmma.d) follow(slot);
      for (const std::uint32_t slot : wgmma.a) follow(slot);
    }
    follow_moves();
    for (WarpgroupStep& wgmma : code_.warpgroups) {
      for (const std::uint32_t slot : wgmma.d) wgmma.d_followed.push_back(number_of(slot));
      for (const std::uint32_t slot : wgmma.a) wgmma.a_followed.push_back(number_of(slot));
    }
    for (std::size_t at = 0; at < program_.code.size(); ++at) describe(program_.code[at], code_.steps[at]);
  }

 private:
  [[nodiscard]] std::uint32_t number_of(std::uint32_t slot) const {
    return slot < number_.size() ? number_[slot] : RegisterUse::none;
  }
  bool follow(std::uint32_t slot) {
    if (slot >= number_.size() || number_[slot] != RegisterUse::none) return false;
    number_[slot] = static_cast<std::uint32_t>(code_.followed.size());
    code_.followed.push_back(slot);
    return true;
  }
  /// Copies of them, and what they are copies of.
  void follow_moves() {
    for (bool more = true; more;) {
      more = false;
      for (const Instruction& i : program_.code) {
        const bool copies = i.op == Opcode::mov && renames(i) && i.src[0].kind == Operand::Kind::reg &&
                            i.dst[0].kind == Operand::Kind::reg;
        if (!copies) continue;
        if (number_of(i.src[0].index) != RegisterUse::none) more |= follow(i.dst[0].index);
        if (number_of(i.dst[0].index) != RegisterUse::none) more |= follow(i.src[0].index);
      }
    }
  }
  void describe(const Instruction& i, Step& step) {
    if (i.op == Opcode::wgmma) return;
    RegisterUse use;
    ptx::for_each_read(program_, i, [&](std::uint32_t reg) {
      if (number_[reg] != RegisterUse::none) use.reads.push_back(number_[reg]);
    });
    ptx::for_each_write(program_, i, [&](std::uint32_t reg) {
      if (number_[reg] != RegisterUse::none) use.writes.push_back(number_[reg]);
    });
    if (use.reads.empty() && use.writes.empty()) return;
    use.renames = renames(i);
    if (i.op == Opcode::mov && i.src[0].kind == Operand::Kind::reg) use.from = number_of(i.src[0].index);
    code_.uses.push_back(std::move(use));
    step.uses = static_cast<std::uint32_t>(code_.uses.size());
  }

  const Program& program_;
  Code& code_;
  std::vector<std::uint32_t> number_;  ///< by register
};

/// ld of shared or any memory, ldmatrix and wmma.load.
bool loads_shared(const Instruction& i) {
  const bool loads = i.op == Opcode::ld || i.op == Opcode::ldmatrix || i.op == Opcode::wmma_load;
  return loads && (i.space == Space::shared || i.space == Space::generic);
}

/// A mov from a register to another.
bool copies_register(const Instruction& i) {
  return i.op == Opcode::mov && renames(i) && i.src[0].kind == Operand::Kind::reg &&
         i.dst[0].kind == Operand::Kind::reg;
}

}  // namespace

void describe_loaded(const Program& program, Code& code) {
  std::vector<std::uint32_t> number(program.registers.size(), RegisterUse::none);
  const auto follow = [&](std::uint32_t reg) {
    if (number[reg] != RegisterUse::none) return false;
    number[reg] = code.loaded++;
    return true;
  };
  for (const Instruction& i : program.code) {
    if (loads_shared(i)) ptx::for_each_write(program, i, follow);
  }
  for (bool more = true; more;) {
    more = false;
    for (const Instruction& i : program.code) {
      if (copies_register(i) && number[i.src[0].index] != RegisterUse::none) more |= follow(i.dst[0].index);
    }
  }
  for (std::size_t at = 0; at < program.code.size(); ++at) {
    const Instruction& i = program.code[at];
    RegisterUse use;
    const auto note = [&](std::vector<std::uint32_t>& registers) {
      return [&](std::uint32_t reg) {
        if (number[reg] != RegisterUse::none) registers.push_back(number[reg]);
      };
    };
    ptx::for_each_read(program, i, note(use.reads));
    ptx::for_each_write(program, i, note(use.writes));
    if (use.reads.empty() && use.writes.empty()) continue;
    use.renames = copies_register(i);
    if (use.renames) use.from = number[i.src[0].index];
    code.loaded_uses.push_back(std::move(use));
    code.steps[at].takes = static_cast<std::uint32_t>(code.loaded_uses.size());
  }
}

void describe_uses(const Program& program, Code& code) {
  Uses(program, code).run();
}

}  // namespace evo::evaluators::virtual_device::exact
