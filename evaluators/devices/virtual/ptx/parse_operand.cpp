// Operands of instructions.
#include <charconv>

#include "evaluators/devices/virtual/ptx/parser.hpp"
#include "evaluators/devices/virtual/ptx/words.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

constexpr int max_nesting = 4;
constexpr std::uint64_t warp_size = 32;

/// Splits "%r12" into "%r" and 12. False if there is no number, or one that no register range makes.
bool split_number(std::string_view name, std::string_view& prefix, std::uint32_t& number) {
  std::size_t digits = 0;
  while (digits < name.size() && name[name.size() - 1 - digits] >= '0' &&
         name[name.size() - 1 - digits] <= '9') {
    ++digits;
  }
  if (digits == 0 || digits > 9) return false;
  const std::string_view tail = name.substr(name.size() - digits);
  if (digits > 1 && tail.front() == '0') return false;
  prefix = name.substr(0, name.size() - digits);
  return std::from_chars(tail.data(), tail.data() + tail.size(), number).ec == std::errc{};
}

}  // namespace

std::uint32_t Parser::append_operands(const std::vector<AstOperand>& operands) {
  std::vector<AstOperand>& all = function_->operands;
  const auto first = static_cast<std::uint32_t>(all.size());
  for (const AstOperand& operand : operands) {
    if (operand.kind == AstOperand::Kind::name) {
      scopes_.back().unresolved.push_back(static_cast<std::uint32_t>(all.size()));
    }
    all.push_back(operand);
  }
  return first;
}

AstOperand Parser::resolve(const Token& name) {
  AstOperand operand;
  operand.text = name.text;
  if (name.text == "_") {
    operand.kind = AstOperand::Kind::sink;
    return operand;
  }
  std::string_view prefix;
  std::uint32_t number = 0;
  const bool numbered = split_number(name.text, prefix, number);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->registers.find(name.text); found != scope->registers.end()) {
      operand.kind = AstOperand::Kind::reg;
      operand.index = found->second;
      return operand;
    }
    if (numbered) {
      const auto range = scope->ranges.find(prefix);
      if (range != scope->ranges.end() && number < range->second.count) {
        operand.kind = AstOperand::Kind::reg;
        operand.index = range->second.first + number;
        return operand;
      }
    }
    if (const auto found = scope->variables.find(name.text); found != scope->variables.end()) {
      operand.kind = AstOperand::Kind::variable;
      operand.index = found->second;
      return operand;
    }
  }
  if (const auto found = module_variables_.find(name.text); found != module_variables_.end()) {
    operand.kind = AstOperand::Kind::variable;
    operand.index = found->second;
  } else if (name.text == "WARP_SZ") {
    operand.kind = AstOperand::Kind::integer;
    operand.value = warp_size;
  } else if (name.text.front() == '%') {
    std::string_view component;
    if (current_.kind == Token::Kind::dot_word && current_.glued) component = take().text;
    const auto special = special_from_word(name.text, component);
    operand.kind = special ? AstOperand::Kind::special : AstOperand::Kind::malformed;
    operand.index = special ? static_cast<std::uint32_t>(*special) : 0;
  } else {
    operand.kind = AstOperand::Kind::name;
  }
  return operand;
}

AstOperand Parser::parse_number(bool negative, bool inverted) {
  AstOperand operand;
  operand.text = current_.text;
  operand.value = current_.value;
  switch (current_.kind) {
    case Token::Kind::integer:
      operand.kind = AstOperand::Kind::integer;
      if (negative) operand.value = std::uint64_t{0} - operand.value;
      if (inverted) operand.value = ~operand.value;
      break;
    case Token::Kind::real32:
      operand.kind = AstOperand::Kind::real32;
      if (negative) operand.value ^= std::uint64_t{1} << 31;
      break;
    case Token::Kind::real64:
      operand.kind = AstOperand::Kind::real64;
      if (negative) operand.value ^= std::uint64_t{1} << 63;
      break;
    default:
      operand.kind = AstOperand::Kind::malformed;
      return operand;
  }
  if (inverted && operand.kind != AstOperand::Kind::integer) operand.kind = AstOperand::Kind::malformed;
  take();
  return operand;
}

/// `+ 4`, `+-4`, `- 4` behind a base or a symbol.
bool Parser::add_constant(AstOperand& operand) {
  while (current_.is('+') || current_.is('-')) {
    bool negative = take().is('-');
    if (accept('-')) negative = !negative;
    const AstOperand constant = parse_number(negative, false);
    if (constant.kind != AstOperand::Kind::integer) return false;
    operand.value += constant.value;
  }
  return true;
}

/// Drops the rest of an operand that is of no known form, with what closes the `depth` brackets open around
/// it.
AstOperand Parser::skip_operand(int depth) {
  while (!current_.is(';')) {
    if (current_.kind == Token::Kind::end) fail("instruction without ';'");
    const bool closes = current_.is('}') || current_.is(']') || current_.is(')');
    if (depth == 0 && (closes || current_.is(',') || current_.is('|'))) break;
    if (current_.is('{') || current_.is('[') || current_.is('(')) ++depth;
    if (closes) --depth;
    take();
  }
  if (depth > 0) fail("expected a closing bracket");
  return AstOperand{.kind = AstOperand::Kind::malformed};
}

AstOperand Parser::parse_group(AstOperand::Kind kind, char close, int depth) {
  std::vector<AstOperand> elements;
  while (!current_.is(close)) {
    elements.push_back(parse_operand(depth + 1));
    if (current_.is(';')) fail(std::string("expected '") + close + "'");
    if (!accept(',') && !current_.is(close)) return skip_operand(1);
  }
  take();
  AstOperand operand{.kind = kind, .count = static_cast<std::uint32_t>(elements.size())};
  operand.first = append_operands(elements);
  return operand;
}

AstOperand Parser::parse_address(int depth) {
  AstOperand base = parse_operand(depth + 1);
  const bool plain = base.kind == AstOperand::Kind::reg || base.kind == AstOperand::Kind::variable ||
                     base.kind == AstOperand::Kind::integer;
  AstOperand operand{.kind = AstOperand::Kind::address, .count = 1};
  if (base.kind == AstOperand::Kind::reg && accept(',')) {
    const AstOperand coordinates = parse_operand(depth + 1);
    if (coordinates.kind != AstOperand::Kind::vector || !current_.is(']')) return skip_operand(1);
    take();
    operand.count = 2;
    operand.first = append_operands({base, coordinates});
    return operand;
  }
  if (base.kind == AstOperand::Kind::reg) {
    base.value = 0;
    if (!add_constant(base)) return skip_operand(1);
  }
  if (!plain || !current_.is(']')) return skip_operand(1);
  take();
  operand.value = base.value;
  base.value = base.kind == AstOperand::Kind::integer ? base.value : 0;
  operand.first = append_operands({base});
  return operand;
}

AstOperand Parser::parse_operand(int depth) {
  if (depth > max_nesting) return skip_operand(0);
  if (current_.kind == Token::Kind::end) fail("instruction without ';'");
  if (accept('!')) {
    if (current_.kind != Token::Kind::identifier) return skip_operand(0);
    AstOperand operand = resolve(take());
    operand.negated = true;
    return operand;
  }
  if (accept('{')) return parse_group(AstOperand::Kind::vector, '}', depth);
  if (accept('(')) return parse_group(AstOperand::Kind::list, ')', depth);
  if (accept('[')) return parse_address(depth);
  if (current_.kind == Token::Kind::identifier) {
    AstOperand operand = resolve(take());
    if (operand.kind == AstOperand::Kind::variable && !add_constant(operand)) return skip_operand(0);
    return operand;
  }
  bool negative = false;
  bool inverted = false;
  while (current_.is('-') || current_.is('~') || current_.is('+')) {
    const Token sign = take();
    if (sign.is('-')) negative = !negative;
    if (sign.is('~')) inverted = true;
  }
  const AstOperand operand = parse_number(negative, inverted);
  return operand.kind == AstOperand::Kind::malformed ? skip_operand(0) : operand;
}

}  // namespace evo::evaluators::virtual_device::ptx
