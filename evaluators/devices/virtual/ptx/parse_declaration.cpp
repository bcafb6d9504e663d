// Variables with their initialisers, and registers.
#include <algorithm>

#include "evaluators/devices/virtual/ptx/parser.hpp"
#include "evaluators/devices/virtual/ptx/words.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// What nvcc takes of __align__.
constexpr std::uint64_t most_alignment = 65536;
// Far above anything a compiler emits; they keep damaged text from taking all memory.
constexpr std::uint64_t max_registers = 1U << 20;
constexpr std::uint64_t max_global_bytes = 1U << 28;
constexpr std::uint64_t max_variable_bytes = 1U << 20;  // in the other spaces
}  // namespace

Variable Parser::parse_variable_type(Space space) {
  Variable variable;
  variable.space = space;
  variable.ptx_line = current_.line;
  std::uint64_t lanes = 1;
  bool aligned = false;
  while (current_.kind == Token::Kind::dot_word) {
    const std::string_view word = take().text;
    if (word == ".align") {
      const std::uint64_t align = expect_integer();
      if (align == 0 || align > most_alignment || (align & (align - 1)) != 0)
        fail("alignment is not a power of two up to 65536");
      // In a parameter, `.ptr .global .align 16` speaks of what the pointer points to.
      if (!aligned) variable.align = static_cast<std::uint32_t>(align);
      aligned = true;
    } else if (word == ".ptr") {
      aligned = true;
    } else if (word == ".v2" || word == ".v4") {
      lanes = word == ".v2" ? 2 : 4;
    } else if (word == ".attribute") {
      while (!current_.is(')') && current_.kind != Token::Kind::end) take();
      expect(')');
    } else if (const Type type = type_from_word(word); type != Type::none && variable.type == Type::none) {
      variable.type = type;
      variable.align = aligned ? variable.align : std::max(1U, size_of(type));
    }
  }
  variable.count = lanes;
  return variable;
}

std::uint32_t Parser::parse_declarator(Variable variable) {
  variable.name = expect_name();
  while (accept('[')) {
    variable.is_array = true;
    const std::uint64_t extent = current_.is(']') ? 0 : expect_integer();
    expect(']');
    const std::uint64_t limit = variable.space == Space::global ? max_global_bytes : max_variable_bytes;
    if (extent > limit || variable.count * extent > limit) fail("variable too large");
    variable.count *= extent;
  }
  const auto index = static_cast<std::uint32_t>(module_.variables.size());
  if (function_ != nullptr) {
    scopes_.back().variables.insert_or_assign(variable.name, index);
  } else {
    module_variables_.insert_or_assign(variable.name, index);
  }
  module_.variables.push_back(variable);
  return index;
}

void Parser::parse_variables(Space space, bool is_extern) {
  const Variable prototype = parse_variable_type(space);
  do {
    const std::uint32_t index = parse_declarator(prototype);
    module_.variables[index].is_extern = is_extern;
    if (function_ != nullptr) function_->locals.push_back(index);
    if (accept('=')) parse_initialiser(module_.variables[index]);
  } while (accept(','));
  expect(';');
}

void Parser::parse_initialiser(Variable& variable) {
  variable.first_value = static_cast<std::uint32_t>(module_.initialisers.size());
  int depth = 0;
  do {
    if (accept('{')) {
      ++depth;
    } else if (accept('}')) {
      --depth;
      if (depth > 0) accept(',');
    } else {
      AstOperand value;
      if (current_.kind == Token::Kind::identifier) {
        value.kind = AstOperand::Kind::name;
        value.text = take().text;
        if (value.text == "generic" && accept('(')) {
          value.text = expect_name();
          add_constant(value);
          expect(')');
        }
        add_constant(value);
      } else {
        const bool negative = accept('-');
        value = parse_number(negative, false);
        if (value.kind == AstOperand::Kind::malformed) fail("expected an initialiser");
      }
      module_.initialisers.push_back(value);
      if (depth > 0) accept(',');
    }
  } while (depth > 0);
  variable.value_count = static_cast<std::uint32_t>(module_.initialisers.size()) - variable.first_value;
  if (variable.count == 0) variable.count = variable.value_count;
  if (variable.value_count > variable.count) fail("more initialisers than elements");
}

void Parser::declare_register(std::string_view name, Type type) {
  Scope& scope = scopes_.back();
  const auto first = static_cast<std::uint32_t>(function_->register_types.size());
  if (accept('<')) {
    const std::uint64_t count = expect_integer();
    expect('>');
    if (count > max_registers || first + count > max_registers) fail("too many registers");
    scope.ranges.insert_or_assign(name, RegisterRange{first, static_cast<std::uint32_t>(count)});
    for (std::uint64_t i = 0; i < count; ++i) {
      function_->register_types.push_back(type);
      function_->register_names.push_back(std::string(name) + std::to_string(i));
    }
  } else {
    if (first >= max_registers) fail("too many registers");
    scope.registers.insert_or_assign(name, first);
    function_->register_types.push_back(type);
    function_->register_names.emplace_back(name);
  }
}

void Parser::parse_registers() {
  Type type = Type::none;
  while (current_.kind == Token::Kind::dot_word) type = type_from_word(take().text);
  do {
    declare_register(expect_name(), type);
  } while (accept(','));
  expect(';');
}

}  // namespace evo::evaluators::virtual_device::ptx
