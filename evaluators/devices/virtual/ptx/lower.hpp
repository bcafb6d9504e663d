// From the syntax tree to a Program: operands bound, calls inlined, branches resolved.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evaluators/devices/virtual/ptx/ast.hpp"
#include "evaluators/devices/virtual/ptx/layout.hpp"
#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// More instructions, or more local memory a thread, than this after inlining are refused (thrown as
/// TooLarge).
inline constexpr std::size_t max_instructions = 200'000;
inline constexpr std::uint64_t max_local_bytes = 1U << 20;
struct TooLarge {};
/// A function that calls itself is inlined as often as it may call itself one within the other: as often as
/// leaves the program this short, each register of which the exact machine keeps for every thread.
inline constexpr std::size_t max_recursive_instructions = 8192;
inline constexpr unsigned recursion_depths[] = {32, 16, 8, 4, 0};
/// In front of the text of a call that goes deeper.
inline constexpr std::string_view recursion_text = "a recursion of more than ";

class Lowering {
 public:
  /// `recursion`: how often a function may stand in a call of its own.
  Lowering(const Module& module, std::uint32_t entry, unsigned recursion)
      : module_(module), entry_(entry), recursion_(recursion) {}
  /// Throws TooLarge.
  Program run();
  /// Has run() seen a function that calls itself?
  [[nodiscard]] bool recurses() const { return recurses_; }

 private:
  /// Where a .param, .local or call parameter of one inlined instance lives.
  struct Place {
    bool is_register = false;
    Space space = Space::local;
    std::uint64_t value = 0;  ///< register, or offset in `space`
  };
  /// One instance of a function: the entry, or an inlined call.
  struct Frame {
    const Function* function = nullptr;
    const Frame* caller = nullptr;
    std::uint32_t first_register = 0;
    SourceLine call_site;
    std::unordered_map<std::uint32_t, Place> places;
    std::vector<std::uint32_t> starts;    ///< code index of each instruction of the function, and of its end
    std::vector<std::uint32_t> branches;  ///< code indices whose target is a label of the function
    std::vector<std::uint32_t> returns;   ///< code indices that go to the end of the function
    std::vector<std::uint32_t> tables;    ///< of Program::branch_tables: hold labels until the function ends
  };
  struct CachedForm {
    Form form;
    std::uint32_t text = 0;
  };

  // lower.cpp
  void resolve_locations();
  void open_frame(Frame& frame);
  void lower_body(Frame& frame);
  void lower_instruction(Frame& frame, const AstInstruction& source);
  bool lower_plain(Frame& frame, const AstInstruction& source, const Form& form, Instruction& out);
  bool lower_move(Frame& frame, const AstInstruction& source, const Form& form, Instruction& out);
  bool lower_branch(Frame& frame, const AstInstruction& source, Instruction& out);
  bool lower_table(Frame& frame, const AstInstruction& source, Instruction& out);
  void lower_return(Frame& frame, const AstInstruction& source, Instruction out);
  void close_frame(Frame& frame);
  void find_blocks();
  const CachedForm& form_of(std::string_view opcode);
  std::uint32_t text_index(std::string_view text);
  Instruction start(const Frame& frame, const AstInstruction& source) const;
  void emit(const Instruction& instruction);
  void emit_unknown(const AstInstruction& source, const Instruction& blank);

  // lower_memory.cpp
  bool lower_memory(Frame& frame, const AstInstruction& source, const Form& form, Instruction& out);
  bool lower_barrier(Frame& frame, const AstInstruction& source, const Form& form, Instruction& out);
  bool bind_address(Frame& frame, const AstOperand& operand, Instruction& out);
  bool bind_vector(Frame& frame, const AstOperand& operand, Type type, bool is_destination, Instruction& out);
  bool parameter_as_move(Frame& frame, Instruction& out, const AstOperand& address);

  // lower_matrix.cpp
  bool lower_matrix(Frame& frame, const AstInstruction& source, Instruction& out);
  bool bind_fragment(const Frame& frame, const AstOperand& group, unsigned count, bool is_destination,
                     Instruction& out);

  // lower_matrix_f64.cpp
  bool lower_matrix_f64(Frame& frame, const AstInstruction& source, Instruction& out);
  bool multiply_f64(Frame& frame, const AstInstruction& source, const Instruction& out);
  bool bind_doubles(const Frame& frame, const AstOperand& group, bool is_destination,
                    std::vector<Operand>& out) const;
  Operand temporary(Type type);
  Operand compute(const Instruction& at, Opcode op, Type type, std::initializer_list<Operand> sources);
  Operand shuffle_f64(const Instruction& at, const Operand& low, const Operand& high, const Operand& lane);

  // lower_async.cpp
  bool lower_async_copy(Frame& frame, const AstInstruction& source, Instruction& out);
  bool lower_policy(Frame& frame, const AstInstruction& source, Instruction& out);

  // lower_bulk.cpp
  bool lower_bulk_copy(Frame& frame, const AstInstruction& source, Instruction& out);
  bool bind_far_side(Frame& frame, const AstOperand& place, Instruction& out);

  // lower_mbarrier.cpp
  bool lower_mbarrier(Frame& frame, const AstInstruction& source, Instruction& out);

  // lower_warpgroup.cpp
  bool lower_warpgroup(Frame& frame, const AstInstruction& source, Instruction& out);
  bool lower_group_number(Frame& frame, const AstInstruction& source, Instruction& out);

  // lower_texture.cpp
  bool bind_place(const Frame& frame, const AstOperand& place, Instruction& out) const;
  bool lower_texture(Frame& frame, const AstInstruction& source, Instruction& out);
  bool lower_surface(Frame& frame, const AstInstruction& source, Instruction& out);

  // lower_operand.cpp
  bool bind_source(const Frame& frame, const AstOperand& operand, Type type, Operand& out) const;
  bool bind_destination(const Frame& frame, const AstOperand& operand, Type type, Operand& out) const;
  bool symbol_address(const Frame& frame, std::uint32_t variable, std::uint64_t& address, Space& space) const;
  const AstOperand& operand(const Frame& frame, const AstInstruction& source, std::uint32_t index) const {
    return frame.function->operands[source.first_operand + index];
  }

  // lower_call.cpp
  bool lower_call(Frame& frame, const AstInstruction& source, Instruction& out);
  bool lower_runtime_call(Frame& frame, std::string_view name, const std::vector<std::uint32_t>& results,
                          const std::vector<std::uint32_t>& arguments, Instruction& out);
  bool can_inline(const Frame& frame, const Function& callee, const std::vector<std::uint32_t>& results,
                  const std::vector<std::uint32_t>& arguments);
  bool inline_call(Frame& frame, const Function& callee, const std::vector<std::uint32_t>& results,
                   const std::vector<std::uint32_t>& arguments, const Instruction& call);
  // lower_indirect_call.cpp
  bool lower_indirect_call(Frame& frame, const AstInstruction& source, std::uint32_t next,
                           const std::vector<std::uint32_t>& results, const Instruction& call);

  bool read_list(const Frame& frame, const AstOperand& list, std::vector<std::uint32_t>& variables) const;
  void copy_parameter(const Place& from, const Place& to, Type type, const Instruction& call);
  Place new_place(std::uint32_t variable);

  const Module& module_;
  std::uint32_t entry_;
  unsigned recursion_;
  bool recurses_ = false, too_deep_ = false;  ///< too_deep_: the call that is being lowered is
  Layout layout_;
  Program program_;
  std::vector<SourceLine> lines_;  ///< by location
  std::uint32_t main_file_ = 0;
  std::unordered_map<std::string_view, CachedForm> forms_;
  std::unordered_map<std::string_view, std::uint32_t> texts_;
};

}  // namespace evo::evaluators::virtual_device::ptx
