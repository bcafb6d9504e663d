#include "evaluators/devices/virtual/exact/code.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "evaluators/devices/virtual/exact/register_uses.hpp"
#include "evaluators/devices/virtual/exact/step_kinds.hpp"
#include "evaluators/devices/virtual/ptx/fixed_values.hpp"
#include "evaluators/devices/virtual/ptx/pass_by.hpp"
#include "evaluators/devices/virtual/ptx/polling_loads.hpp"
#include "evaluators/devices/virtual/semantics/matrix_form.hpp"
#include "evaluators/devices/virtual/semantics/shared_matrix.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

class Preparation {
 public:
  explicit Preparation(const Program& program)
      : program_(program), polls_(ptx::polling_loads(program)), fixed_(ptx::stores_of_fixed_values(program)) {
    code_.program = &program;
  }

  Code run() {
    const auto registers = static_cast<std::uint32_t>(program_.registers.size());
    code_.sink = registers;
    code_.zero = registers + 1;
    code_.slots = registers + 2;
    code_.steps.reserve(program_.code.size());
    for (const Instruction& instruction : program_.code) code_.steps.push_back(step_of(instruction));
    for (std::uint32_t b = 0; b < program_.block_starts.size(); ++b) {
      if (program_.block_starts[b] >= code_.steps.size()) continue;
      Step& step = code_.steps[program_.block_starts[b]];
      step.leader = true;
      step.block = b;
    }
    code_.unset = ptx::live_at_entry(program_);
    for (const ptx::EntryLive& entry : code_.unset) {
      for (const std::uint32_t read : entry.reads) code_.steps[read].meets_unset = true;
    }
    if (!code_.warpgroups.empty()) describe_uses(program_, code_);
    if (code_.bulk_copies) describe_loaded(program_, code_);
    code_.orders_by_flags = releases_ && flags_;
    code_.follows_reads = exchanges_ && stores_shared_;
    for (const auto& [bits, slot] : constants_) code_.constants.emplace_back(bits, slot);
    for (const auto& [special, slot] : specials_) code_.specials.emplace_back(special, slot);
    return std::move(code_);
  }

 private:
  std::uint32_t slot_of(const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::reg:
        return operand.index;
      case Operand::Kind::immediate:
        return slot_in(constants_, operand.bits);
      case Operand::Kind::special:
        return slot_in(specials_, static_cast<SpecialRegister>(operand.index));
      case Operand::Kind::none:
        break;
    }
    return code_.zero;
  }
  template <class Key>
  std::uint32_t slot_in(std::map<Key, std::uint32_t>& slots, Key key) {
    const auto [position, fresh] = slots.try_emplace(key, code_.slots);
    if (fresh) ++code_.slots;
    return position->second;
  }

  Step step_of(const Instruction& instruction) {
    Step step;
    step.instruction = &instruction;
    if (instruction.op == Opcode::atom || instruction.op == Opcode::red) {
      Instruction arithmetic;
      step.function = atomic_function(arithmetic, instruction);
    } else {
      step.function = semantics::scalar_function(instruction);
    }
    step.kind = kind_of(instruction, step.function);
    step.visible = ptx::is_visible(instruction);
    step.dst_count = instruction.dst_count;
    step.src_count = instruction.src_count;
    for (unsigned i = 0; i < instruction.dst_count; ++i) {
      const Operand& operand = instruction.dst[i];
      const bool is_register = operand.kind == Operand::Kind::reg;
      step.dst[i] = is_register ? operand.index : code_.sink;
      step.dst_bytes[i] =
          static_cast<std::uint8_t>(is_register ? size_of(program_.registers[operand.index]) : 8U);
    }
    for (unsigned i = 0; i < 8; ++i) {
      step.src[i] = slot_of(instruction.src[i]);
      if (instruction.src[i].negated) step.negated = static_cast<std::uint8_t>(step.negated | 1U << i);
      if (instruction.src[i].kind == Operand::Kind::special) {
        step.reads_clock |= is_clock(static_cast<SpecialRegister>(instruction.src[i].index));
      }
    }
    step.guarded = instruction.guard.kind != Operand::Kind::none;
    step.guard = slot_of(instruction.guard);
    step.guard_negated = instruction.guard.negated;
    step.base = slot_of(instruction.base);
    step.offset = instruction.offset;
    step.target = instruction.target;
    step.narrow_base = instruction.base.kind == Operand::Kind::reg &&
                       size_of(program_.registers[instruction.base.index]) == 4;
    describe_memory(step, instruction);
    if (step.kind == StepKind::fence) {
      releases_ = true;
      // membar is fence.sc; a fence without a word for it is fence.acq_rel (PTX ISA, membar).
      step.acquire = instruction.acquire || !instruction.release;
      step.release = instruction.release || !instruction.acquire;
      const std::string& text = program_.texts[instruction.text];
      step.sequential = instruction.sequential || text.starts_with("membar");
      step.strength = reach_of(instruction.scope);
    }
    if (step.kind == StepKind::matrix) describe_matrix(step, instruction);
    if (instruction.op == Opcode::wgmma) describe_wgmma(step, instruction);
    exchanges_ |= step.kind == StepKind::warp && instruction.op != Opcode::bar_warp;
    if (step.kind == StepKind::matrix || step.kind == StepKind::warp || step.kind == StepKind::warpgroup ||
        step.kind == StepKind::barrier) {
      step.meeting = meeting_of(instruction);
    }
    code_.async_copies |= step.kind == StepKind::async_copy || step.kind == StepKind::async_commit ||
                          step.kind == StepKind::async_wait ||
                          instruction.mbarrier == MbarrierMode::copies_arrive;
    code_.orders_blocks |= instruction.bulk.mode == BulkMode::reduce;
    code_.bulk_copies |= step.kind == StepKind::bulk_copy || step.kind == StepKind::bulk_commit ||
                         step.kind == StepKind::bulk_wait;
    code_.partial_barriers |= step.kind == StepKind::mbarrier || step.kind == StepKind::bulk_copy;
    if (step.kind == StepKind::barrier) {
      code_.partial_barriers |=
          instruction.src[1].kind != Operand::Kind::none || instruction.barrier == BarrierMode::arrive;
    }
    return step;
  }

  /// What the compiler made of one place in the source, by unrolling and peeling, is one meeting.
  std::uint32_t meeting_of(const Instruction& instruction) {
    if (instruction.source.line == 0) return code_.meetings++;
    const auto key = std::tuple(instruction.source.file, instruction.source.line, instruction.op);
    const auto [known, fresh] = meetings_.try_emplace(key, code_.meetings);
    if (fresh) ++code_.meetings;
    return known->second;
  }

  void describe_memory(Step& step, const Instruction& instruction) {
    const bool atomic = step.kind == StepKind::atomic;
    const bool copy = step.kind == StepKind::async_copy;
    const bool object = step.kind == StepKind::mbarrier;
    if (step.kind != StepKind::load && step.kind != StepKind::store && !atomic && !copy && !object) return;
    step.element = static_cast<std::uint8_t>(std::max(1U, size_of(instruction.type)));
    step.vector = std::max<std::uint8_t>(1, instruction.vector);
    step.width = std::uint32_t{step.element} * step.vector;
    const bool may_be_global =
        !object && (copy || instruction.space == Space::global || instruction.space == Space::generic);
    const bool may_be_shared = instruction.space == Space::shared || instruction.space == Space::generic;
    step.acquire = instruction.acquire;
    step.release = instruction.release;
    step.strength = strength_of(instruction);
    step.is_volatile = instruction.is_volatile && step.strength == Strength::weak;
    const auto at = static_cast<std::size_t>(&instruction - program_.code.data());
    step.polls = polls_[at];
    step.fixed_value = fixed_[at];
    step.non_coherent = instruction.non_coherent;
    code_.non_coherent |= instruction.non_coherent;
    releases_ |= instruction.acquire || instruction.release;
    flags_ |= step.strength != Strength::weak || step.is_volatile;
    if (may_be_global) {
      code_.global_granule = std::min(code_.global_granule, step.width);
      const bool strong = step.strength != Strength::weak || step.is_volatile;
      code_.orders_blocks |= atomic || strong;
      step.may_be_early = step.kind == StepKind::load && strong && !step.acquire && !step.polls;
      code_.early_loads |= step.may_be_early;
    }
    stores_shared_ |= may_be_shared && step.kind == StepKind::store;
    if (may_be_shared) code_.shared_granule = std::min(code_.shared_granule, step.width);
  }

  void describe_matrix(Step& step, const Instruction& instruction) {
    MatrixStep matrix;
    const MatrixForm& form = instruction.matrix;
    const auto add = [&](std::span<const Operand> operands,
                         std::array<std::uint32_t, semantics::max_fragment>& slots, unsigned& count,
                         bool is_destination) {
      for (const Operand& operand : operands) {
        const bool sink = is_destination && operand.kind != Operand::Kind::reg;
        slots[count++] = sink ? code_.sink : slot_of(operand);
      }
    };
    const std::span<const Operand> sources = program_.matrix_sources(instruction);
    add(program_.matrix_destinations(instruction), matrix.d, matrix.of_d, true);
    if (instruction.op == Opcode::mma || instruction.op == Opcode::wmma_mma) {
      const unsigned of_a = semantics::fragment_registers(form.shape, MatrixRole::a, form.a);
      const unsigned of_b = semantics::fragment_registers(form.shape, MatrixRole::b, form.b);
      add(sources.first(of_a), matrix.a, matrix.of_a, false);
      add(sources.subspan(of_a, of_b), matrix.b, matrix.of_b, false);
      add(sources.subspan(of_a + of_b), matrix.c, matrix.of_c, false);
      matrix.multiply = semantics::portable_multiply(instruction);
    } else {
      add(sources, matrix.a, matrix.of_a, false);
    }
    const bool fragment = instruction.op == Opcode::wmma_load || instruction.op == Opcode::wmma_store;
    if (fragment) matrix.table = semantics::make_fragment_table(form);
    if (fragment || instruction.op == Opcode::ldmatrix || instruction.op == Opcode::stmatrix) {
      // Rows of halves; pieces of registers.
      step.element = static_cast<std::uint8_t>(fragment ? matrix.table.piece_bytes : 2);
      step.vector = fragment ? 1 : 8;
      step.width = std::uint32_t{step.element} * step.vector;
      if (instruction.space != Space::global)
        code_.shared_granule = std::min(code_.shared_granule, step.width);
      if (fragment && instruction.space != Space::shared) {
        code_.global_granule = std::min(code_.global_granule, step.width);
      }
    }
    step.matrix = static_cast<std::uint32_t>(code_.matrix.size());
    code_.matrix.push_back(std::move(matrix));
  }

  void describe_wgmma(Step& step, const Instruction& instruction) {
    WarpgroupStep wgmma;
    for (const Operand& operand : program_.matrix_destinations(instruction))
      wgmma.d.push_back(slot_of(operand));
    if (instruction.warpgroup.a_in_registers) {
      for (const Operand& operand : program_.matrix_sources(instruction).last(semantics::tiles_of_a))
        wgmma.a.push_back(slot_of(operand));
    }
    wgmma.multiply = semantics::WarpgroupMultiply(instruction, &semantics::portable_multiply);
    step.element = semantics::piece_bytes;
    step.matrix = static_cast<std::uint32_t>(code_.warpgroups.size());
    code_.warpgroups.push_back(std::move(wgmma));
  }

  const Program& program_;
  std::vector<bool> polls_, fixed_;
  bool releases_ = false, flags_ = false, stores_shared_ = false, exchanges_ = false;
  Code code_;
  std::map<Word, std::uint32_t> constants_;
  std::map<SpecialRegister, std::uint32_t> specials_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, Opcode>, std::uint32_t> meetings_;
};

}  // namespace

Code prepare(const Program& program) {
  return Preparation(program).run();
}

}  // namespace evo::evaluators::virtual_device::exact
