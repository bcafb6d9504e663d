// A module's PTX cut into statements by its tokens, each with the source line it came from. For checks that
// look at what stands there, in modules that the virtual device cannot run too; who needs the meaning of an
// instruction takes that device's front end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluators/code/ptx_lexer.hpp"

namespace evo::evaluators::code {

/// Names and registers of a text in their order; a dot separates a register from .x.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// A statement without comments. `text` is written in one way, whatever the module's: an opcode is one word
/// with its dots ("ld . global" does not exist, "ld .global" does), one blank or none stands between two
/// tokens, and strings are empty, so that no word of the text is a word of a string.
struct Statement {
  std::string_view text;
  int file = 0, line = 0;   ///< of the last .loc
  char end = ';';           ///< what it was cut at: a label ends with ':', the head of a function with '{'
  int scope = 0;            ///< pair of braces it stands in; 0: the module
  std::uint32_t token = 0;  ///< its first token
  std::span<const Token> tokens;
};

/// An instruction without its predicate: "st.global.f32" and what follows. Empty opcode: a directive.
struct InstructionText {
  std::string_view opcode, operands;
};
[[nodiscard]] InstructionText instruction_of(const Statement& statement);

/// One of the operands between commas.
struct Operand {
  std::span<const Token> tokens;
  bool address = false;  ///< has a bracket: [%rd1+8], table[2]
  /// Registers, variables, labels; the component of a vector is left out.
  [[nodiscard]] std::vector<std::string_view> names() const;
};
/// Of an instruction, its predicate aside; of a directive, what follows the first word.
[[nodiscard]] std::vector<Operand> operands_of(const Statement& statement);

/// Where the text is none that this reads, and why.
struct UnreadablePtx {
  std::uint32_t line = 0;  ///< of the PTX
  std::string message;
  int file = 0, source_line = 0;
};

/// Reads by the grammar of the PTX ISA (sections 4.2 to 4.6, 5.4, 10 and 11.7): a directive ends where its
/// own operands do, so that an instruction behind a .loc on the same line is one. A directive that is not
/// known, a token that cannot stand where it does and a bracket without its other end make the module
/// unreadable(); statements() are then those before.
class PtxModule {
 public:
  explicit PtxModule(const std::string& ptx);
  PtxModule(const PtxModule&) = delete;  // statements point into the text
  PtxModule& operator=(const PtxModule&) = delete;

  [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }
  [[nodiscard]] const std::optional<UnreadablePtx>& unreadable() const { return unreadable_; }
  /// Name of a file of the line table; empty if there is none.
  [[nodiscard]] std::string file(int index) const;
  /// The scope around a scope that is not the module.
  [[nodiscard]] int scope_around(int scope) const { return around_.at(static_cast<std::size_t>(scope)); }

 private:
  friend class StatementReader;

  std::string ptx_, text_;
  std::vector<Token> tokens_;
  std::vector<Statement> statements_;
  std::map<int, std::string_view> files_;
  std::vector<int> around_{0};  // scope -> the one it stands in
  std::optional<UnreadablePtx> unreadable_;
};

/// "st.global.f32" is an instruction "st".
[[nodiscard]] bool names_instruction(std::string_view opcode, std::string_view name);
/// The words of an opcode behind its first, without dots: "global", "L1::evict_last", "f32".
[[nodiscard]] std::vector<std::string_view> modifiers_of(std::string_view opcode);

}  // namespace evo::evaluators::code
