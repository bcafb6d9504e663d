// Cuts the tokens of a module into statements: PtxModule's constructor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "evaluators/code/ptx_statements.hpp"

namespace evo::evaluators::code {

class StatementReader {
 public:
  explicit StatementReader(PtxModule& module) : module_(module) {}
  /// Throws SyntaxError where the text is none that it knows.
  void read();
  /// Puts down what was read so far. Last: statements point into what this makes.
  void finish();

  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] int line() const { return line_; }

 private:
  void tokenise();
  [[nodiscard]] const Token& here() const { return module_.tokens_[at_]; }
  const Token& take();
  bool accept(char symbol);
  void expect(char symbol);
  std::uint64_t integer();
  void name();
  [[noreturn]] void fail(const std::string& message) const;

  void open_scope();
  void close_scope();
  void statement(std::size_t first, char end);
  void instruction();
  void directive();
  void file_directive();
  void location();
  void section();
  void strings();
  void declaration();
  void function_head(std::size_t first);
  /// Up to the ';' that ends the statement, with every bracket closed.
  void rest();
  [[nodiscard]] std::string normal(std::size_t first, std::size_t last) const;

  struct Pending {
    std::size_t first_token, last_token, begin, end;
  };
  PtxModule& module_;
  std::vector<Pending> pending_;
  std::size_t at_ = 0;
  int scope_ = 0, file_ = 0, line_ = 0;
};

}  // namespace evo::evaluators::code
