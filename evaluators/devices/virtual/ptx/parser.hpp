// Recursive descent over PTX: module, declarations, function bodies. Resolves registers, variables and labels
// by scope; leaves opcodes as text. An instruction whose operands are of no known form is kept with an
// operand Kind::malformed; SyntaxError is for text whose structure is broken.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "evaluators/devices/virtual/ptx/ast.hpp"
#include "evaluators/devices/virtual/ptx/lexer.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Throws SyntaxError.
[[nodiscard]] Module parse_module(std::string_view ptx);

class Parser {
 public:
  explicit Parser(std::string_view ptx) : lexer_(ptx), current_(lexer_.next()) {}
  Module parse();

 private:
  /// `%r<N>` declares %r0 .. %rN-1 without N map entries.
  struct RegisterRange {
    std::uint32_t first = 0, count = 0;
  };
  struct Scope {
    std::unordered_map<std::string_view, std::uint32_t> registers, variables, labels;
    std::unordered_map<std::string_view, RegisterRange> ranges;
    std::vector<std::uint32_t> unresolved;  ///< operands that may be labels declared further on
  };

  Token take();
  bool accept(char symbol);
  bool accept_word(std::string_view dot_word);
  void expect(char symbol);
  std::string_view expect_name();
  std::uint64_t expect_integer();
  [[noreturn]] void fail(const std::string& message) const;

  // parser.cpp: outside bodies
  void parse_file();
  void skip_section();
  void skip_statement();
  void parse_function(bool is_entry);
  std::vector<std::uint32_t> parse_parameters(Function& function);
  void parse_performance_directives(Function& function);
  std::uint32_t parse_thread_count();
  void store_function(Function&& function);

  // parse_declaration.cpp
  Variable parse_variable_type(Space space);
  std::uint32_t parse_declarator(Variable variable);
  void parse_variables(Space space, bool is_extern);
  void parse_initialiser(Variable& variable);
  void parse_registers();
  void declare_register(std::string_view name, Type type);

  // parse_body.cpp
  void parse_body(Function& function);
  void parse_body_directive();
  void close_scope();
  void parse_location();
  std::uint32_t find_location(std::uint32_t file, std::uint32_t line, std::uint32_t column) const;
  void parse_branch_targets();
  void define_label(std::string_view name);
  std::string_view without_blanks(std::string_view opcode);
  void parse_instruction();

  // parse_operand.cpp
  AstOperand parse_operand(int depth);
  AstOperand parse_group(AstOperand::Kind kind, char close, int depth);
  AstOperand parse_address(int depth);
  AstOperand parse_number(bool negative, bool inverted);
  AstOperand resolve(const Token& name);
  AstOperand skip_operand(int depth);
  bool add_constant(AstOperand& operand);
  std::uint32_t append_operands(const std::vector<AstOperand>& operands);

  Lexer lexer_;
  Token current_;
  const char* last_end_ = nullptr;  ///< end of the last taken token
  Module module_;
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string_view, std::uint32_t> module_variables_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      locations_;  ///< of the current function, by file, line, column
  std::uint32_t location_ = 0;
  std::uint32_t last_label_ = no_index;
};

}  // namespace evo::evaluators::virtual_device::ptx
