// Function bodies: scopes, labels, line information, instructions.
#include "evaluators/devices/virtual/ptx/parser.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

std::uint64_t location_key(std::uint32_t file, std::uint32_t line, std::uint32_t column) {
  return (std::uint64_t{file} << 48) ^ (std::uint64_t{line} << 16) ^ column;
}

}  // namespace

void Parser::parse_body(Function& function) {
  function.has_body = true;
  expect('{');
  scopes_.emplace_back();
  const std::size_t outside = scopes_.size() - 1;
  while (scopes_.size() > outside) {
    if (current_.kind == Token::Kind::end) fail("function without end");
    if (accept('{')) {
      scopes_.emplace_back();
    } else if (accept('}')) {
      close_scope();
    } else if (current_.kind == Token::Kind::dot_word) {
      parse_body_directive();
    } else if (!accept(';')) {
      parse_instruction();
    }
  }
}

void Parser::close_scope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const std::uint32_t index : scope.unresolved) {
    AstOperand& operand = function_->operands[index];
    const auto label = scope.labels.find(operand.text);
    if (label != scope.labels.end()) {
      operand.kind = AstOperand::Kind::label;
      operand.index = label->second;
    } else {
      scopes_.back().unresolved.push_back(index);
    }
  }
}

void Parser::parse_body_directive() {
  const std::string_view word = take().text;
  if (word == ".reg") {
    parse_registers();
  } else if (word == ".local") {
    parse_variables(Space::local, false);
  } else if (word == ".shared") {
    parse_variables(Space::shared, false);
  } else if (word == ".param") {
    parse_variables(Space::param, false);
  } else if (word == ".const") {
    parse_variables(Space::constant, false);
  } else if (word == ".global") {
    parse_variables(Space::global, false);
  } else if (word == ".loc") {
    parse_location();
  } else if (word == ".branchtargets") {
    parse_branch_targets();
  } else {
    skip_statement();  // .pragma, .callprototype, .calltargets
  }
}

std::uint32_t Parser::find_location(std::uint32_t file, std::uint32_t line, std::uint32_t column) const {
  const auto found = locations_.find(location_key(file, line, column));
  return found == locations_.end() ? 0 : found->second;
}

void Parser::parse_location() {
  const auto number = [this] { return static_cast<std::uint32_t>(expect_integer()); };
  Location location;
  location.file = number();
  location.line = number();
  location.column = number();
  while (accept(',')) {
    const std::string_view word = expect_name();
    if (word == "function_name") {
      expect_name();
      if (accept('+')) expect_integer();
    } else if (word == "inlined_at") {
      Location call;
      call.file = number();
      call.line = number();
      call.column = number();
      // The call's own .loc stands before this one; it knows whether the caller is itself inlined.
      location.inlined_at = find_location(call.file, call.line, call.column);
      if (location.inlined_at == 0) {
        location.inlined_at = static_cast<std::uint32_t>(module_.locations.size());
        module_.locations.push_back(call);
      }
    } else {
      fail("unknown attribute of .loc");
    }
  }
  if (location.line == 0) return;  // compiler-made code: the line before it is a better answer than none
  location_ = static_cast<std::uint32_t>(module_.locations.size());
  module_.locations.push_back(location);
  locations_.insert_or_assign(location_key(location.file, location.line, location.column), location_);
}

void Parser::parse_branch_targets() {
  std::vector<AstOperand> targets;
  do {
    targets.push_back(AstOperand{.kind = AstOperand::Kind::name, .text = expect_name()});
  } while (accept(','));
  expect(';');
  const std::uint32_t first = append_operands(targets);
  function_->tables.push_back({last_label_, first, static_cast<std::uint32_t>(targets.size())});
}

void Parser::define_label(std::string_view name) {
  const auto index = static_cast<std::uint32_t>(function_->labels.size());
  if (!scopes_.back().labels.try_emplace(name, index).second) {
    fail("label '" + std::string(name) + "' is defined twice");
  }
  function_->labels.push_back(static_cast<std::uint32_t>(function_->instructions.size()));
  last_label_ = index;
}

/// "add /* both */\n.f32": assembly may be written with blanks and comments between the parts of an opcode.
std::string_view Parser::without_blanks(std::string_view opcode) {
  std::string text;
  Lexer lexer(opcode);
  for (Token token = lexer.next(); token.kind != Token::Kind::end; token = lexer.next()) text += token.text;
  module_.respelt.push_back(std::make_unique<const std::string>(std::move(text)));
  return *module_.respelt.back();
}

void Parser::parse_instruction() {
  AstInstruction instruction;
  instruction.ptx_line = current_.line;
  instruction.location = location_;
  if (accept('@')) {
    instruction.guard_negated = accept('!');
    if (current_.kind != Token::Kind::identifier) fail("expected a predicate");
    const AstOperand guard = resolve(take());
    if (guard.kind != AstOperand::Kind::reg) fail("the guard is no predicate register");
    instruction.guard = guard.index;
  }
  const Token head = current_;
  const std::string_view root = expect_name();
  if (current_.is(':') && instruction.guard == no_index) {
    take();
    define_label(root);
    return;
  }
  const char* begin = head.text.data();
  bool whole = true;  // as a compiler writes it
  while (current_.kind == Token::Kind::dot_word) {
    whole = whole && current_.glued;
    take();
  }
  instruction.opcode = std::string_view(begin, static_cast<std::size_t>(last_end_ - begin));
  if (!whole) instruction.opcode = without_blanks(instruction.opcode);
  std::vector<AstOperand> operands;
  bool piped = false;
  while (!current_.is(';')) {
    AstOperand operand = parse_operand(0);
    operand.piped = piped;
    operands.push_back(operand);
    piped = accept('|');
    if (!piped && !current_.is(';')) expect(',');
  }
  instruction.statement = std::string_view(begin, static_cast<std::size_t>(last_end_ - begin));
  take();
  instruction.operand_count = static_cast<std::uint32_t>(operands.size());
  instruction.first_operand = append_operands(operands);
  function_->instructions.push_back(instruction);
}

}  // namespace evo::evaluators::virtual_device::ptx
