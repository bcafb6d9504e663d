// From a Program to steps: operands to slots, basic blocks to `enter` steps, guards and width changes to
// steps of their own.
#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/ptx/liveness.hpp"
#include "evaluators/devices/virtual/ptx/loops.hpp"
#include "evaluators/devices/virtual/ptx/polling_loads.hpp"
#include "evaluators/devices/virtual/warp/decoder.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

bool ends_block(Opcode op) {
  return op == Opcode::bra || op == Opcode::brx || op == Opcode::ret || op == Opcode::exit ||
         op == Opcode::trap;
}
}  // namespace

Decoder::Decoder(const Program& program, bool checked, bool wide_vectors)
    : program_(program),
      select_alu_(wide_vectors ? &avx2_alu : &portable_alu),
      select_memory_(wide_vectors ? &avx2_memory : &portable_memory),
      select_special_(wide_vectors ? &avx2_special : &portable_special),
      multiply_for_(wide_vectors ? &semantics::avx2_multiply : &semantics::portable_multiply),
      pass_by_(program) {
  code_.program = &program;
  code_.checked = checked;
}

Code Decoder::run() {
  assign_registers();
  find_blocks();
  for (std::uint32_t index = 0; index < program_.code.size(); ++index) {
    if (leader_[index]) enter(index);
    lower(index, program_.code[index]);
  }
  // Running off the end is leaving.
  Op end;
  end.fn = &exit_step;
  end.instruction = program_.code.empty() ? 0 : static_cast<std::uint32_t>(program_.code.size() - 1);
  const auto last = static_cast<std::uint32_t>(code_.ops.size());
  code_.ops.push_back(end);
  patch(last);
  reserve_meeting();
  finish_image();
  return std::move(code_);
}

void Decoder::assign_registers() {
  const ptx::SlotAssignment assignment = ptx::assign_slots(program_);
  // Slot units: [0] two for the sink, then words, then wides; predicates behind all slots.
  const std::uint32_t first_word = 2;
  const std::uint32_t first_wide = first_word + assignment.words;
  next_unit_ = first_wide + 2 * assignment.wides;
  predicates_ = assignment.predicates + 1;
  register_slots_.resize(program_.registers.size());
  for (std::size_t index = 0; index < program_.registers.size(); ++index) {
    const std::uint32_t slot = assignment.slot[index];
    Slot& out = register_slots_[index];
    switch (ptx::slot_class(program_.registers[index])) {
      case ptx::SlotClass::predicate:
        out.lane_class = 0;
        out.offset = slot == ptx::SlotAssignment::no_slot ? 0 : slot + 1;
        break;
      case ptx::SlotClass::word:
        out.lane_class = 4;
        out.offset = (slot == ptx::SlotAssignment::no_slot ? 0 : first_word + slot) * slot_size;
        break;
      case ptx::SlotClass::wide:
        out.lane_class = 8;
        out.offset = (slot == ptx::SlotAssignment::no_slot ? 0 : first_wide + 2 * slot) * slot_size;
        break;
    }
  }
}

void Decoder::find_blocks() {
  endless_ = ptx::endless_blocks(program_);
  if (endless_.empty()) endless_.push_back(false);
  polls_ = ptx::polling_loads(program_);
  leader_.assign(program_.code.size() + 1, false);
  if (!program_.code.empty()) leader_[0] = true;
  for (const std::uint32_t start : program_.block_starts) {
    if (start < program_.code.size()) leader_[start] = true;
  }
  for (std::uint32_t index = 0; index < program_.code.size(); ++index) {
    const Instruction& instruction = program_.code[index];
    if (instruction.op == Opcode::bra && instruction.target < program_.code.size())
      leader_[instruction.target] = true;
    const bool guarded = instruction.guard.kind != Operand::Kind::none;
    if (ends_block(instruction.op) || (guarded && branches_around(instruction.op))) leader_[index + 1] = true;
    if (instruction.space == Space::shared &&
        (instruction.op == Opcode::ld || instruction.op == Opcode::st)) {
      code_.shared_granule = std::min(code_.shared_granule, std::max(1U, size_of(instruction.type)));
    }
    code_.async_copies |= instruction.mbarrier == MbarrierMode::copies_arrive ||
                          instruction.op == Opcode::cp_async || instruction.op == Opcode::cp_async_commit ||
                          instruction.op == Opcode::cp_async_wait;
    code_.orders_blocks |= instruction.bulk.mode == BulkMode::reduce;
    if (instruction.op == Opcode::ld || instruction.op == Opcode::st || instruction.op == Opcode::atom ||
        instruction.op == Opcode::red) {
      code_.narrowest = std::min(code_.narrowest, std::max(1U, size_of(instruction.type)));
      const bool atomic = instruction.op == Opcode::atom || instruction.op == Opcode::red;
      const bool ordered = instruction.is_volatile || instruction.acquire || instruction.release ||
                           instruction.scope != Scope::none;
      const bool global = instruction.space == Space::global || instruction.space == Space::generic ||
                          instruction.space == Space::none;
      code_.orders_blocks |= global && (atomic || ordered);
      code_.early_loads |= global && may_be_early(index);
      // A generic access may be a shared one.
      if (instruction.space != Space::global)
        code_.shared_granule = std::min(code_.shared_granule, code_.narrowest);
    }
  }
  for (const auto& table : program_.branch_tables) {
    for (const std::uint32_t target : table) {
      if (target < program_.code.size()) leader_[target] = true;
    }
  }
  first_op_.assign(program_.code.size() + 1, 0);
}

bool Decoder::may_be_early(std::uint32_t index) const {
  const Instruction& instruction = program_.code[index];
  const bool strong = instruction.is_volatile || instruction.scope != Scope::none;
  return instruction.op == Opcode::ld && strong && !instruction.acquire && !polls_[index];
}

void Decoder::enter(std::uint32_t index) {
  std::uint32_t end = index + 1;
  while (end < program_.code.size() && !leader_[end]) ++end;
  const auto after = std::upper_bound(program_.block_starts.begin(), program_.block_starts.end(), index);
  const auto block = after == program_.block_starts.begin() ? 0 : after - program_.block_starts.begin() - 1;
  Op op;
  op.fn = endless_[static_cast<std::size_t>(block)] ? &endless_step : &enter_step;
  op.a = end - index;
  op.extra = static_cast<std::uint32_t>(code_.blocks.size());
  op.instruction = index;
  code_.blocks.push_back(
      {static_cast<std::uint32_t>(code_.ops.size()), index, end - index, static_cast<std::uint32_t>(block)});
  first_op_[index] = static_cast<std::uint32_t>(code_.ops.size());
  code_.ops.push_back(op);
}

void Decoder::patch(std::uint32_t end) {
  const auto op_of = [&](std::uint32_t instruction) {
    return instruction < program_.code.size() ? first_op_[instruction] : end;
  };
  for (const std::uint32_t jump : jumps_) code_.ops[jump].extra = op_of(code_.ops[jump].extra);
  for (Wide& wide : code_.wide) {
    for (std::uint32_t& target : wide.targets) target = op_of(target);
  }
}

void Decoder::reserve_meeting() {
  const bool needed = std::any_of(program_.code.begin(), program_.code.end(), [](const Instruction& i) {
    return i.op == Opcode::shfl || i.op == Opcode::vote || i.op == Opcode::match || i.op == Opcode::redux;
  });
  if (!needed) return;
  Meeting& meeting = code_.meeting;
  const auto reserve = [&](unsigned lane_class, std::uint32_t& offset, std::uint32_t& poison) {
    const Slot slot = temporary(lane_class);
    offset = slot.offset;
    poison = poison_of(slot);
  };
  for (unsigned k = 0; k < 4; ++k) reserve(8, meeting.words[k], meeting.word_poison[k]);
  reserve(8, meeting.result, meeting.result_poison);
  reserve(0, meeting.voter, meeting.voter_poison);
  reserve(0, meeting.verdict, meeting.verdict_poison);
}

void Decoder::finish_image() {
  // Only now is it known how many slots there are: predicates go behind them, poison follows the same order.
  const std::uint32_t predicate_base = next_unit_ * slot_size;
  const auto place = [&](std::uint32_t& offset) { offset = predicate_base + 4 * offset; };
  for (const auto& [op, which] : predicate_fields_) place(code_.ops[op].*which);
  for (const auto& [wide, field] : predicate_wide_) {
    place(field < 4 ? code_.wide[wide].dst[field] : code_.wide[wide].src[field - 4]);
  }
  place(code_.meeting.voter);
  place(code_.meeting.verdict);
  code_.image.assign(std::size_t{predicate_base} + 4 * predicates_, std::byte{0});
  for (const auto& [offset, lane_class, bits] : constants_) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      for (unsigned byte = 0; byte < lane_class; ++byte) {
        code_.image[offset + lane * lane_class + byte] = static_cast<std::byte>(bits >> (8 * byte) & 0xff);
      }
    }
  }
  if (true_predicate_ != 0) {
    for (unsigned byte = 0; byte < 4; ++byte)
      code_.image[predicate_base + 4 * true_predicate_ + byte] = std::byte{0xff};
  }
  for (const Slot& slot : register_slots_) {
    const bool predicate = slot.lane_class == 0;
    code_.registers.push_back(
        {predicate ? predicate_base + 4 * slot.offset : slot.offset, slot.lane_class, slot.offset != 0});
  }
  code_.poison_words = poison_count_;
  for (const Slot& slot : register_slots_) {
    const std::uint32_t poison = poison_of(slot);
    if (poison > 1) code_.born_poisoned.push_back(poison);
  }
}

std::uint32_t Decoder::poison_of(const Slot& slot) {
  if (slot.constant) return 0;
  // One mask a slot, made as slots appear; 1 is the sink's.
  const std::uint64_t key = std::uint64_t{slot.lane_class == 0} << 32 | slot.offset;
  if (slot.offset == 0) return 1;
  const auto [entry, is_new] = poison_.try_emplace(key, poison_count_);
  if (is_new) ++poison_count_;
  return entry->second;
}

Decoder::Slot Decoder::temporary(unsigned lane_class) {
  Slot slot;
  slot.lane_class = static_cast<std::uint8_t>(lane_class);
  if (lane_class == 0) {
    slot.offset = predicates_++;
  } else {
    slot.offset = next_unit_ * slot_size;
    next_unit_ += lane_class == 8 ? 2 : 1;
  }
  return slot;
}

Decoder::Slot Decoder::constant(std::uint64_t bits, unsigned lane_class) {
  if (lane_class == 0) {
    Slot slot;
    slot.lane_class = 0;
    slot.constant = true;
    std::uint32_t& which = bits != 0 ? true_predicate_ : false_predicate_;
    if (which == 0) which = predicates_++;
    slot.offset = which;
    return slot;
  }
  if (lane_class == 4) bits &= 0xffffffffU;
  const auto found = constant_slots_.find({lane_class, bits});
  if (found != constant_slots_.end()) return found->second;
  Slot slot = temporary(lane_class);
  slot.constant = true;
  constants_.push_back({slot.offset, lane_class, bits});
  constant_slots_.emplace(std::pair{lane_class, bits}, slot);
  return slot;
}

Decoder::Slot Decoder::special(SpecialRegister which, unsigned lane_class) {
  const auto key = std::pair{static_cast<unsigned>(which), lane_class};
  auto found = special_slots_.find(key);
  if (found == special_slots_.end()) {
    Slot slot = temporary(lane_class);
    slot.constant = true;
    found = special_slots_.emplace(key, slot).first;
    code_.specials.push_back({which, slot.offset, static_cast<std::uint8_t>(lane_class)});
  }
  switch (which) {
    case SpecialRegister::clock:
    case SpecialRegister::clock64:
    case SpecialRegister::clock_hi:
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
    case SpecialRegister::globaltimer_hi: {
      Op op = begin(&clock_step);
      op.d = found->second.offset;
      op.c = lane_class;
      op.b = which == SpecialRegister::clock_hi || which == SpecialRegister::globaltimer_hi ? 1 : 0;
      code_.ops.push_back(op);
      break;
    }
    default:
      break;
  }
  return found->second;
}

Code decode(const Program& program, bool checked, bool wide_vectors) {
  return Decoder(program, checked, wide_vectors).run();
}

}  // namespace evo::evaluators::virtual_device::warp
