#include "evaluators/code/ptx_statements.hpp"

#include <algorithm>

#include "evaluators/code/statement_reader.hpp"

namespace evo::evaluators::code {
namespace {

bool belongs_to_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%';
}

/// Tokens behind guard and opcode.
std::size_t operands_begin(std::span<const Token> tokens) {
  std::size_t at = 0;
  if (!tokens.empty() && tokens[0].is('@')) at = tokens.size() > 1 && tokens[1].is('!') ? 3 : 2;
  if (at < tokens.size()) ++at;
  while (at < tokens.size() && tokens[at].kind == Token::Kind::dot_word) ++at;
  return at;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!belongs_to_name(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && belongs_to_name(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

InstructionText instruction_of(const Statement& statement) {
  std::string_view text = statement.text;
  if (text.empty() || text.front() == '.' || statement.end != ';') return {};
  if (text.front() == '@') text = text.substr(std::min(text.find(' '), text.size() - 1) + 1);
  const std::size_t end = std::min(text.find(' '), text.size());
  return {text.substr(0, end), text.substr(end)};
}

std::vector<std::string_view> Operand::names() const {
  std::vector<std::string_view> found;
  for (const Token& token : tokens) {
    if (token.kind == Token::Kind::identifier) found.push_back(token.text);
  }
  return found;
}

std::vector<Operand> operands_of(const Statement& statement) {
  const auto tokens = statement.tokens.subspan(operands_begin(statement.tokens));
  std::vector<Operand> operands;
  std::size_t first = 0;
  int depth = 0;
  bool address = false;
  const auto cut = [&](std::size_t last) {
    if (last > first) operands.push_back({tokens.subspan(first, last - first), address});
    address = false;
    first = last + 1;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is('(') || token.is('[') || token.is('{')) ++depth;
    if (token.is(')') || token.is(']') || token.is('}')) --depth;
    address = address || token.is('[');
    if (depth == 0 && token.is(',')) cut(i);
  }
  cut(tokens.size());
  return operands;
}

PtxModule::PtxModule(const std::string& ptx) : ptx_(ptx) {
  StatementReader reader(*this);
  try {
    reader.read();
  } catch (const SyntaxError& error) {
    if (!unreadable_) unreadable_ = UnreadablePtx{error.line(), error.what(), 0, 0};
  }
  if (unreadable_) {
    unreadable_->file = reader.file();
    unreadable_->source_line = reader.line();
  }
  reader.finish();
}

std::string PtxModule::file(int index) const {
  const auto found = files_.find(index);
  return found == files_.end() ? std::string() : std::string(found->second);
}

bool names_instruction(std::string_view opcode, std::string_view name) {
  return opcode.starts_with(name) && (opcode.size() == name.size() || opcode[name.size()] == '.');
}

std::vector<std::string_view> modifiers_of(std::string_view opcode) {
  std::vector<std::string_view> found;
  for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
    const std::size_t next = opcode.find('.', dot + 1);
    found.push_back(opcode.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1));
    dot = next;
  }
  return found;
}

}  // namespace evo::evaluators::code
