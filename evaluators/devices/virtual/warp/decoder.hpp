// The state of decoding one program; see decode.cpp (slots, blocks, jumps) and lower.cpp (instructions).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "evaluators/devices/virtual/ptx/pass_by.hpp"
#include "evaluators/devices/virtual/warp/code.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Steps that may leave lanes waiting: a guard becomes a branch around them.
[[nodiscard]] constexpr bool branches_around(Opcode op) {
  if (is_matrix(op) || is_warpgroup(op)) return true;
  switch (op) {
    case Opcode::brx:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::bar:
    case Opcode::bar_red:
    case Opcode::bar_warp:
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
    case Opcode::activemask:
    case Opcode::call_assertfail:
    case Opcode::unsupported:
      return true;
    default:
      return false;
  }
}

class Decoder {
 public:
  Decoder(const Program& program, bool checked, bool wide_vectors);
  Code run();

 private:
  /// Where an operand lives. Predicates: offset is a number, turned into bytes at the end.
  struct Slot {
    std::uint32_t offset = 0;
    std::uint8_t lane_class = 4;  ///< 0 predicate, 4, 8
    bool constant = false;        ///< never poisoned
  };
  struct Constant {
    std::uint32_t offset = 0;
    unsigned lane_class = 4;
    std::uint64_t bits = 0;
  };
  /// A destination whose register is wider or narrower than what the step writes: resized afterwards.
  struct Pending {
    Slot temporary, target;
    bool sign = false;
    unsigned bits = 32;
  };
  using Field = std::uint32_t Op::*;

  // decode.cpp
  void assign_registers();
  void find_blocks();
  /// Is it a strong load that early_loads.hpp is about?
  [[nodiscard]] bool may_be_early(std::uint32_t index) const;
  void enter(std::uint32_t index);
  void patch(std::uint32_t end);
  void finish_image();
  void reserve_meeting();
  [[nodiscard]] std::uint32_t poison_of(const Slot& slot);
  [[nodiscard]] Slot temporary(unsigned lane_class);
  [[nodiscard]] Slot constant(std::uint64_t bits, unsigned lane_class);
  [[nodiscard]] Slot special(SpecialRegister which, unsigned lane_class);

  // lower.cpp
  void lower(std::uint32_t index, const Instruction& instruction);
  void lower_poll(const Instruction& instruction);
  void lower_guarded(const Instruction& instruction);
  void lower_plain(const Instruction& instruction);
  void lower_arithmetic(const Instruction& instruction);
  void lower_compare(const Instruction& instruction, Handler handler);
  void lower_scalar(const Instruction& instruction, semantics::ScalarFunction function);
  void lower_pack(const Instruction& instruction);
  [[nodiscard]] bool lower_pair(const Instruction& instruction);
  void lower_address(const Instruction& instruction);
  void lower_memory(const Instruction& instruction);
  void lower_atomic(const Instruction& instruction);
  void lower_texture(const Instruction& instruction);
  void lower_async_copy(const Instruction& instruction);
  void lower_bulk_copy(const Instruction& instruction);
  void lower_barrier(const Instruction& instruction);
  void lower_mbarrier(const Instruction& instruction);
  void lower_wide(const Instruction& instruction, Handler handler);
  void lower_matrix(const Instruction& instruction);
  void lower_warpgroup(const Instruction& instruction);
  [[nodiscard]] std::uint32_t fragment_table(const MatrixForm& form);
  void lower_jump(Handler handler, std::uint32_t target);
  void unsupported();
  [[nodiscard]] Op begin(Handler handler) const;
  [[nodiscard]] Handler mov_handler() const;
  /// Adds the step and notes which of its fields are predicates.
  void push(const Op& op, const Slot* d, const Slot* a, const Slot* b, const Slot* c);
  [[nodiscard]] Slot source(const Operand& operand, unsigned lane_class);
  [[nodiscard]] Slot target(const Operand& operand) const;
  /// A slot of the lane class that the step writes; when the register has another, resize_targets() copies.
  [[nodiscard]] Slot target_as(const Operand& operand, unsigned lane_class, unsigned bits, bool sign);
  void resize_targets();
  std::uint32_t add_wide(const Wide& wide, const std::vector<Slot>& targets,
                         const std::vector<Slot>& sources);
  [[nodiscard]] unsigned register_bytes(const Operand& operand) const;

  const Program& program_;
  SelectAlu select_alu_;
  SelectMemory select_memory_;
  SelectSpecial select_special_;
  semantics::MatrixMultiply (*multiply_for_)(const Instruction&);
  Code code_;
  std::uint32_t current_ = 0;
  std::vector<Slot> register_slots_;
  std::uint32_t next_unit_ = 2;   ///< slots of 128 bytes handed out
  std::uint32_t predicates_ = 1;  ///< predicates handed out; 0 is the sink
  std::uint32_t true_predicate_ = 0, false_predicate_ = 0;
  std::vector<bool> leader_;
  std::vector<bool> endless_;  ///< by basic block of the program: ptx::endless_blocks
  std::vector<bool> polls_;    ///< by instruction: ptx::polling_loads
  std::vector<std::uint32_t> first_op_;
  std::vector<std::uint32_t> jumps_;
  std::vector<Constant> constants_;
  std::map<std::pair<unsigned, std::uint64_t>, Slot> constant_slots_;
  std::map<std::pair<unsigned, unsigned>, Slot> special_slots_;
  std::vector<std::pair<std::uint32_t, Field>> predicate_fields_;
  std::vector<std::pair<std::uint32_t, unsigned>> predicate_wide_;
  std::map<std::uint64_t, std::uint32_t> poison_;
  std::uint32_t poison_count_ = 2;  ///< 0 stays zero, 1 is the sink's
  std::vector<Pending> pending_;
  ptx::PassBy pass_by_;
};

}  // namespace evo::evaluators::virtual_device::warp
