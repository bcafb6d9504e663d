#include "evaluators/devices/virtual/ptx/parser.hpp"

#include <algorithm>

namespace evo::evaluators::virtual_device::ptx {
namespace {
constexpr std::uint64_t max_file_number = 1U << 16;
}

Module parse_module(std::string_view ptx) {
  return Parser(ptx).parse();
}

Token Parser::take() {
  const Token token = current_;
  last_end_ = token.text.data() + token.text.size();
  current_ = lexer_.next();
  return token;
}

bool Parser::accept(char symbol) {
  if (!current_.is(symbol)) return false;
  take();
  return true;
}

bool Parser::accept_word(std::string_view dot_word) {
  if (current_.kind != Token::Kind::dot_word || current_.text != dot_word) return false;
  take();
  return true;
}

void Parser::expect(char symbol) {
  if (!accept(symbol)) fail(std::string("expected '") + symbol + "'");
}

std::string_view Parser::expect_name() {
  if (current_.kind != Token::Kind::identifier) fail("expected a name");
  return take().text;
}

std::uint64_t Parser::expect_integer() {
  if (current_.kind != Token::Kind::integer) fail("expected an integer");
  return take().value;
}

void Parser::fail(const std::string& message) const {
  std::string found =
      current_.kind == Token::Kind::end ? "the end of the text" : "'" + std::string(current_.text) + "'";
  throw SyntaxError(current_.line, message + ", found " + found);
}

Module Parser::parse() {
  module_.locations.emplace_back();
  bool is_extern = false;
  while (current_.kind != Token::Kind::end) {
    if (accept(';')) continue;
    if (current_.kind != Token::Kind::dot_word) fail("expected a directive");
    const std::string_view word = take().text;
    if (word == ".extern") {
      is_extern = true;
      continue;
    }
    if (word == ".visible" || word == ".weak" || word == ".common") continue;
    if (word == ".version") {
      take();
    } else if (word == ".target") {
      module_.target = expect_name();
      while (accept(',')) expect_name();
    } else if (word == ".address_size") {
      if (expect_integer() != 64) fail("only 64-bit addresses are supported");
    } else if (word == ".file") {
      parse_file();
    } else if (word == ".section") {
      skip_section();
    } else if (word == ".loc") {
      parse_location();
    } else if (word == ".func" || word == ".entry") {
      parse_function(word == ".entry");
    } else if (word == ".global") {
      parse_variables(Space::global, is_extern);
    } else if (word == ".const") {
      parse_variables(Space::constant, is_extern);
    } else if (word == ".shared") {
      parse_variables(Space::shared, is_extern);
    } else if (word == ".pragma" || word == ".alias") {
      skip_statement();
    } else {
      throw SyntaxError(current_.line, "unknown directive '" + std::string(word) + "'");
    }
    is_extern = false;
  }
  return std::move(module_);
}

void Parser::parse_file() {
  const std::uint64_t number = expect_integer();
  if (number >= max_file_number) fail("file number out of range");
  if (current_.kind != Token::Kind::string) fail("expected a file name");
  if (module_.files.size() <= number) module_.files.resize(number + 1);
  module_.files[number] = take().text;
  while (accept(',')) expect_integer();  // time stamp and size
}

void Parser::skip_section() {
  while (!current_.is('{')) {
    if (current_.kind == Token::Kind::end) fail("expected '{'");
    take();
  }
  std::size_t depth = 0;
  do {
    if (current_.kind == Token::Kind::end) fail("section without end");
    if (current_.is('{')) ++depth;
    if (current_.is('}')) --depth;
    take();
  } while (depth > 0);
}

void Parser::skip_statement() {
  while (!current_.is(';')) {
    if (current_.kind == Token::Kind::end) fail("expected ';'");
    take();
  }
  take();
}

void Parser::parse_function(bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  function_ = &function;
  scopes_.assign(1, Scope{});
  locations_.clear();
  location_ = 0;
  if (!is_entry && current_.is('(')) function.results = parse_parameters(function);
  function.name = expect_name();
  if (current_.is('(')) function.parameters = parse_parameters(function);
  parse_performance_directives(function);
  if (current_.is('{')) {
    parse_body(function);
  } else {
    expect(';');
  }
  function_ = nullptr;
  store_function(std::move(function));
}

void Parser::store_function(Function&& function) {
  const auto [place, added] =
      module_.function_index.try_emplace(function.name, static_cast<std::uint32_t>(module_.functions.size()));
  if (!added && !module_.functions[place->second].has_body) {
    place->second = static_cast<std::uint32_t>(module_.functions.size());
  }
  module_.functions.push_back(std::move(function));
}

std::vector<std::uint32_t> Parser::parse_parameters(Function& function) {
  std::vector<std::uint32_t> parameters;
  expect('(');
  if (accept(')')) return parameters;
  do {
    if (!accept_word(".param")) fail("expected '.param'");
    parameters.push_back(parse_declarator(parse_variable_type(Space::param)));
    function.locals.push_back(parameters.back());
  } while (accept(','));
  expect(')');
  return parameters;
}

std::uint32_t Parser::parse_thread_count() {
  std::uint64_t count = 1;
  do {
    count *= expect_integer();
    if (count > max_file_number) fail("thread count out of range");
  } while (accept(','));
  return static_cast<std::uint32_t>(count);
}

void Parser::parse_performance_directives(Function& function) {
  while (current_.kind == Token::Kind::dot_word) {
    const std::string_view word = take().text;
    if (word == ".reqntid") {
      function.required_threads = parse_thread_count();
    } else if (word == ".maxntid") {
      function.max_threads = parse_thread_count();
    } else if (word == ".pragma") {
      skip_statement();
    } else {
      // .minnctapersm, .maxnreg, .noreturn, cluster shapes: nothing that changes what a thread computes
      while (current_.kind == Token::Kind::integer || current_.is(',')) take();
    }
  }
}

}  // namespace evo::evaluators::virtual_device::ptx
