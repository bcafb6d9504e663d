#include "evaluators/code/statement_reader.hpp"

#include <algorithm>
#include <array>

namespace evo::evaluators::code {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// State spaces of declarations (PTX ISA, 5.1).
bool is_space(std::string_view word) {
  return is_one_of(
      word, {".global", ".const", ".shared", ".local", ".param", ".reg", ".sreg", ".tex", ".shared::cta"});
}

bool is_linkage(std::string_view word) {
  return is_one_of(word, {".extern", ".visible", ".weak", ".common"});
}

char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '\0';
}

/// What may stand in the operands of an instruction or a declaration.
bool is_operator(char symbol) {
  return std::string_view(",|+-*/%!~<>=:&^()[]{}").find(symbol) != std::string_view::npos;
}

}  // namespace

void StatementReader::tokenise() {
  Lexer lexer(module_.ptx_);
  try {
    for (;;) {
      module_.tokens_.push_back(lexer.next());
      if (module_.tokens_.back().kind == Token::Kind::end) return;
    }
  } catch (const SyntaxError& error) {
    // What stands before it is still read, so that it is told what there is to tell.
    Token broken;
    broken.kind = Token::Kind::end;
    broken.line = error.line();
    broken.value = 1;
    broken.text = {};
    module_.tokens_.push_back(broken);
    module_.unreadable_ = UnreadablePtx{error.line(), error.what(), 0, 0};
  }
}

const Token& StatementReader::take() {
  const Token& token = here();
  if (token.kind == Token::Kind::end) fail("the text ends too early");
  ++at_;
  return token;
}

bool StatementReader::accept(char symbol) {
  if (!here().is(symbol)) return false;
  ++at_;
  return true;
}

void StatementReader::expect(char symbol) {
  if (!accept(symbol)) fail(std::string("expected '") + symbol + "'");
}

std::uint64_t StatementReader::integer() {
  if (here().kind != Token::Kind::integer) fail("expected an integer");
  return take().value;
}

void StatementReader::name() {
  if (here().kind != Token::Kind::identifier) fail("expected a name");
  take();
}

void StatementReader::fail(const std::string& message) const {
  const Token& token = here();
  throw SyntaxError(token.line, token.kind == Token::Kind::end
                                    ? message + ", found the end of the text"
                                    : message + ", found '" + std::string(token.text.substr(0, 40)) + "'");
}

void StatementReader::open_scope() {
  module_.around_.push_back(scope_);
  scope_ = static_cast<int>(module_.around_.size()) - 1;
}

void StatementReader::close_scope() {
  if (scope_ == 0) fail("a closing brace without its other end");
  scope_ = module_.scope_around(scope_);
}

void StatementReader::statement(std::size_t first, char end) {
  const std::size_t last = at_;
  Statement made;
  made.file = file_;
  made.line = line_;
  made.end = end;
  made.scope = scope_;
  made.token = static_cast<std::uint32_t>(first);
  module_.statements_.push_back(made);
  const std::size_t begin = module_.text_.size();
  module_.text_ += normal(first, last);
  pending_.push_back({first, last, begin, module_.text_.size()});
}

std::string StatementReader::normal(std::size_t first, std::size_t last) const {
  std::string text;
  std::size_t i = first;
  if (module_.tokens_[first].is('@')) {
    // "@!%p1" and a blank; the instruction's name follows.
    do {
      text += module_.tokens_[i].text;
    } while (module_.tokens_[i++].kind != Token::Kind::identifier);
    text += ' ';
  }
  const std::size_t root = i;
  bool opcode = module_.tokens_[root].kind != Token::Kind::dot_word;
  for (; i < last; ++i) {
    const Token& token = module_.tokens_[i];
    const bool suffix = token.kind == Token::Kind::dot_word;
    bool glued = i == root || token.glued || (opcode && suffix);
    if (opcode && i > root && !suffix) {
      opcode = false;
      glued = false;
    }
    if (!glued) text += ' ';
    if (token.kind == Token::Kind::string) {
      text += "\"\"";
    } else {
      text += token.text;
    }
  }
  return text;
}

void StatementReader::rest() {
  std::string open;
  for (;;) {
    const Token& token = here();
    if (open.empty() && token.is(';')) {
      ++at_;
      return;
    }
    if (token.kind == Token::Kind::string) fail("a string in an instruction or a declaration");
    if (token.kind == Token::Kind::punctuation) {
      const char symbol = token.symbol;
      if (!is_operator(symbol)) fail("expected an operand");
      if (const char close = closing(symbol)) {
        open += close;
      } else if (symbol == ')' || symbol == ']' || symbol == '}') {
        if (open.empty() || open.back() != symbol) fail("a bracket without its other end");
        open.pop_back();
      }
    }
    take();
  }
}

void StatementReader::instruction() {
  const std::size_t first = at_;
  const bool guarded = accept('@');
  if (guarded) {
    accept('!');
    name();
  }
  name();
  if (!guarded && here().is(':')) {
    statement(first, ':');
    ++at_;
    return;
  }
  if (scope_ == 0) fail("an instruction outside of a function");
  rest();
  --at_;
  statement(first, ';');
  ++at_;
}

void StatementReader::file_directive() {
  const auto number = static_cast<int>(integer() & 0x7fffffff);
  if (here().kind != Token::Kind::string) fail("expected a file's name");
  module_.files_[number] = take().text;
  while (accept(',')) integer();  // time stamp and size
}

void StatementReader::location() {
  const auto number = [&] { return static_cast<int>(integer() & 0x7fffffff); };
  file_ = number();
  line_ = number();
  number();
  while (accept(',')) {
    if (here().kind != Token::Kind::identifier) fail("expected an attribute of .loc");
    const std::string_view word = take().text;
    if (word == "function_name") {
      name();
      if (accept('+')) integer();
    } else if (word == "inlined_at") {
      for (int i = 0; i < 3; ++i) number();
    } else {
      fail("an unknown attribute of .loc");
    }
  }
}

void StatementReader::section() {
  if (here().kind != Token::Kind::dot_word && here().kind != Token::Kind::identifier) fail("expected a name");
  take();
  expect('{');
  while (!accept('}')) {
    if (here().is('{')) fail("a brace in a section");
    take();
  }
}

void StatementReader::strings() {
  do {
    if (here().kind != Token::Kind::string) fail("expected a string");
    take();
  } while (accept(','));
}

void StatementReader::function_head(std::size_t first) {
  int depth = 0;
  for (;;) {
    const Token& token = here();
    if (depth == 0 && (token.is('{') || token.is(';'))) break;
    if (token.kind == Token::Kind::string) fail("a string in the head of a function");
    if (token.is('(')) ++depth;
    if (token.is(')') && --depth < 0) fail("a bracket without its other end");
    if (token.kind == Token::Kind::dot_word && token.text == ".pragma") {
      take();
      strings();
      expect(';');
      continue;
    }
    take();
  }
  const bool body = here().is('{');
  statement(first, body ? '{' : ';');
  ++at_;
  if (body) open_scope();
}

void StatementReader::declaration() {
  const std::size_t first = at_;
  bool linked = false;
  while (here().kind == Token::Kind::dot_word && is_linkage(here().text)) {
    linked = true;
    take();
  }
  if (here().kind != Token::Kind::dot_word) fail("expected a declaration");
  const std::string_view word = take().text;
  if (word == ".func" || word == ".entry") {
    if (scope_ != 0) fail("a function in a function");
    return function_head(first);
  }
  if (!is_space(word)) throw SyntaxError(here().line, "unknown directive '" + std::string(word) + "'");
  if (linked && scope_ != 0) fail("linkage inside of a function");
  rest();
  --at_;
  statement(first, ';');
  ++at_;
}

void StatementReader::directive() {
  const std::size_t first = at_;
  const std::string_view word = here().text;
  if (is_linkage(word) || is_space(word) || word == ".func" || word == ".entry") return declaration();
  take();
  if (word == ".loc") return location();
  if (word == ".file") return file_directive();
  if (word == ".section") return section();
  if (word == ".version") {
    take();
  } else if (word == ".target") {
    do {
      name();
    } while (accept(','));
  } else if (word == ".address_size") {
    if (integer() != 64) fail("only addresses of 64 bits are known");
  } else if (word == ".pragma") {
    strings();
    expect(';');
  } else if (is_one_of(word, {".branchtargets", ".calltargets", ".callprototype", ".alias"})) {
    rest();
    --at_;
    statement(first, ';');
    ++at_;
  } else {
    throw SyntaxError(here().line, "unknown directive '" + std::string(word) + "'");
  }
}

void StatementReader::read() {
  tokenise();
  while (here().kind != Token::Kind::end) {
    if (accept(';')) continue;
    if (here().is('{')) {
      if (scope_ == 0) fail("a block outside of a function");
      ++at_;
      open_scope();
    } else if (here().is('}')) {
      close_scope();
      ++at_;
    } else if (here().kind == Token::Kind::dot_word) {
      directive();
    } else if (here().kind == Token::Kind::identifier || here().is('@')) {
      instruction();
    } else {
      fail("expected a statement");
    }
  }
  if (scope_ != 0) fail("a function without its end");
}

void StatementReader::finish() {
  const std::span<const Token> tokens(module_.tokens_);
  const std::string_view text(module_.text_);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending& made = pending_[i];
    module_.statements_[i].text = text.substr(made.begin, made.end - made.begin);
    module_.statements_[i].tokens = tokens.subspan(made.first_token, made.last_token - made.first_token);
  }
}

}  // namespace evo::evaluators::code
