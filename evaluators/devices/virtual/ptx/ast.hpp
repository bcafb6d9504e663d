// What the parser makes of a module: names resolved to registers, variables and labels; opcodes still as
// written. All texts are views into the PTX, which must outlive the Module.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

inline constexpr std::uint32_t no_index = 0xffffffff;

struct AstOperand {
  enum class Kind : std::uint8_t {
    none,
    sink,      ///< _
    reg,       ///< index: of Function::register_types
    variable,  ///< index: of Module::variables; value: added constant
    special,   ///< index: SpecialRegister
    label,     ///< index: of Function::labels
    name,      ///< text: a function, or unknown
    integer,   ///< value
    real32,    ///< value: bits
    real64,    ///< value: bits
    vector,    ///< {a, b}: elements first .. first + count of Function::operands
    list,      ///< (a, b), in calls
    address,   ///< [a + value]: one element, the base; [a, {b, c}]: two, of textures and surfaces
    malformed,
  };
  Kind kind = Kind::none;
  bool negated = false;  ///< !p
  bool piped = false;    ///< written behind a `|`: second destination
  std::uint32_t index = 0;
  std::uint32_t first = 0, count = 0;
  std::uint64_t value = 0;
  std::string_view text = {};
};

struct AstInstruction {
  std::string_view opcode;     ///< "ld.global.v4.u32"
  std::string_view statement;  ///< all of it, guard and semicolon aside
  std::uint32_t first_operand = 0, operand_count = 0;
  std::uint32_t guard = no_index;  ///< register
  bool guard_negated = false;
  std::uint32_t ptx_line = 0;
  std::uint32_t location = 0;  ///< of Module::locations
};

/// A .loc line; [0] is "none".
struct Location {
  std::uint32_t file = 0, line = 0, column = 0;
  std::uint32_t inlined_at = 0;  ///< location of the call that this one was inlined at; 0 = not inlined
};

struct Variable {
  std::string_view name;
  Space space = Space::none;
  Type type = Type::none;
  std::uint32_t align = 1;
  std::uint64_t count = 1;  ///< elements; 0 = array of unknown size
  bool is_array = false;
  bool is_extern = false;
  std::uint32_t ptx_line = 0;
  std::uint32_t first_value = 0, value_count = 0;  ///< initialisers, of Module::initialisers
  [[nodiscard]] std::uint64_t bytes() const { return count * size_of(type); }
};

/// `jump: .branchtargets a, b;`
struct BranchTable {
  std::uint32_t label = no_index;      ///< of Function::labels
  std::uint32_t first = 0, count = 0;  ///< of Function::operands
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  std::vector<std::uint32_t> parameters, results;  ///< variables
  std::vector<Type> register_types;
  std::vector<std::string> register_names;
  std::vector<AstInstruction> instructions;
  std::vector<AstOperand> operands;
  std::vector<std::uint32_t> labels;  ///< instruction each stands before
  std::vector<BranchTable> tables;
  std::vector<std::uint32_t> locals;  ///< variables declared inside, of any space
  std::uint32_t required_threads = 0, max_threads = 0;
};

struct Module {
  std::string_view target;
  std::vector<Function> functions;
  std::unordered_map<std::string_view, std::uint32_t> function_index;  ///< prefers the one with a body
  std::vector<Variable> variables;
  std::vector<AstOperand> initialisers;
  std::vector<Location> locations;
  std::vector<std::string_view> files;                      ///< by .file number; may have gaps
  std::vector<std::unique_ptr<const std::string>> respelt;  ///< opcodes that are views into none of the PTX
};

}  // namespace evo::evaluators::virtual_device::ptx
