// A module's PTX as text: cut into statements, each with the source line it came from. For checks that look
// for words; who needs the meaning of an instruction takes the virtual device's front end.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace evo::evaluators::gates {

/// Names and registers of a statement in their order; a dot separates a register from .x.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

struct Statement {
  std::string_view text;
  int file = 0, line = 0;  ///< of the last .loc
  char end = ';';          ///< what it was cut at: a label ends with ':', the head of a function with '{'
  int scope = 0;           ///< pair of braces it stands in; 0: the module
};

/// An instruction without its predicate: "st.global.f32" and what follows. Empty opcode: a directive.
struct InstructionText {
  std::string_view opcode, operands;
};
[[nodiscard]] InstructionText instruction_of(const Statement& statement);

/// The module cut at ';', '{', '}' and the line ends of directives, without comments.
class PtxModule {
 public:
  explicit PtxModule(const std::string& ptx);
  PtxModule(const PtxModule&) = delete;  // statements point into the text
  PtxModule& operator=(const PtxModule&) = delete;

  [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }
  /// Name of a file of the line table; empty if there is none.
  [[nodiscard]] std::string file(int index) const;
  /// The scope around a scope that is not the module.
  [[nodiscard]] int scope_around(int scope) const { return around_.at(static_cast<std::size_t>(scope)); }

 private:
  [[nodiscard]] std::size_t end_of(std::size_t begin) const;
  [[nodiscard]] bool is_label(std::size_t first, std::size_t colon) const;
  [[nodiscard]] bool opens_operand(std::size_t first, std::size_t brace) const;

  std::string text_;
  std::vector<Statement> statements_;
  std::map<int, std::string_view> files_;
  std::vector<int> around_{0};  // scope -> the one it stands in
};

}  // namespace evo::evaluators::gates
