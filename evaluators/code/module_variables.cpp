#include "evaluators/code/module_variables.hpp"

#include <cctype>
#include <string_view>

#include "evaluators/code/ptx_lexer.hpp"

namespace evo::evaluators::code {
namespace {

/// The parts of a mangled nested name, "_ZN2ns5tableE" or "_ZL5table", but for those that have no name in
/// C++.
std::vector<std::string_view> demangled(std::string_view name) {
  std::vector<std::string_view> parts;
  if (!name.starts_with("_Z")) return {name};
  name.remove_prefix(2);
  if (name.starts_with('N')) name.remove_prefix(1);
  while (!name.empty() && name.front() != 'E') {
    if (name.front() == 'L') {  // of this file alone
      name.remove_prefix(1);
      continue;
    }
    std::size_t length = 0;
    while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
      length = length * 10 + static_cast<std::size_t>(name.front() - '0');
      name.remove_prefix(1);
    }
    if (length == 0 || length > name.size()) return {};
    const std::string_view part = name.substr(0, length);
    if (!part.starts_with("_GLOBAL__N_") && !part.starts_with("_INTERNAL_")) parts.push_back(part);
    name.remove_prefix(length);
  }
  return parts;
}

std::vector<std::string_view> split(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = name.find("::");
    if (at > 0) parts.push_back(name.substr(0, at));
    if (at == std::string_view::npos) return parts;
    name.remove_prefix(at + 2);
  }
}

}  // namespace

bool is_called(const std::string& variable, const std::string& name) {
  return variable == name || demangled(variable) == split(name);
}

std::vector<std::string> variables_called(const std::string& ptx, const std::string& name) {
  std::vector<std::string> found;
  try {
    Lexer lexer(ptx);
    int braces = 0;
    bool outlives = false;  // in a declaration of .const or .global that has not been named yet
    for (Token token = lexer.next(); token.kind != Token::Kind::end; token = lexer.next()) {
      braces += token.is('{') ? 1 : token.is('}') ? -1 : 0;
      if (braces == 0 && (token.text == ".const" || token.text == ".global")) outlives = true;
      if (token.is(';')) outlives = false;
      if (!outlives || token.kind != Token::Kind::identifier) continue;
      std::string variable(token.text);
      if (is_called(variable, name)) found.push_back(std::move(variable));
      outlives = false;
    }
  } catch (const SyntaxError&) {
    found.clear();  // what nobody reads is refused by name
  }
  return found;
}

}  // namespace evo::evaluators::code
