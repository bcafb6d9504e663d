#include "intake/constants.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>

#include <cxxabi.h>

#include "diagnose/tokens.hpp"
#include "evaluators/code/ptx_statements.hpp"

namespace evo::intake {
namespace {

namespace code = evaluators::code;

/// "ns::filter" of "_ZN2ns6filterE"; namespaces without a name, and the one that the compiler puts around
/// what is of one file alone, are none that one can say.
std::string plain_symbol(const std::string& name) {
  // Of a short name the demangler makes a type: float of "f".
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0) return name;
  std::string plain(text.get());
  constexpr std::string_view nameless = "(anonymous namespace)::";
  for (std::size_t at = plain.find(nameless); at != std::string::npos; at = plain.find(nameless))
    plain.erase(at, nameless.size());
  if (plain.starts_with("_INTERNAL_") && plain.find("::") != std::string::npos)
    plain.erase(0, plain.find("::") + 2);
  return plain;
}

}  // namespace

std::vector<DeclaredVariable> open_constants(const std::string& source) {
  std::vector<DeclaredVariable> all;
  const std::vector<diagnose::Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__constant__") || tokens[i].directive) continue;
    // Words up to the name, then its sizes; others of the declaration behind commas.
    std::string type;
    DeclaredVariable next;
    bool valued = false;
    const auto finish = [&] {
      if (!next.name.empty() && !valued) all.push_back(next);
      next = {};
      valued = false;
    };
    for (std::size_t k = i + 1; k < tokens.size() && !tokens[k].is(";"); ++k) {
      const diagnose::Token& token = tokens[k];
      if (token.is("(") || token.is("[") || token.is("{")) {
        k = diagnose::closing(tokens, k);
        continue;
      }
      if (token.is("=")) valued = true;
      if (token.is(",")) finish();
      const bool word = token.kind == diagnose::TokenKind::name && !valued && !token.is("static") &&
                        !token.is("const") && !token.is("__device__") && !token.is("extern") &&
                        !token.is("volatile") && !token.is("__align__") && !token.is("alignas");
      if (!word) continue;
      if (!next.name.empty()) type += (type.empty() ? "" : " ") + next.name;
      next = {token.text, type, token.line};
    }
    finish();
  }
  return all;
}

std::string typedef_of(const std::string& name, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::vector<diagnose::Token> tokens = diagnose::tokens_of(text);
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (tokens[i].text != "typedef") continue;
      std::size_t end = i + 1;
      while (end < tokens.size() && tokens[end].text != ";" && tokens[end].text != "{") ++end;
      if (end == tokens.size() || tokens[end].text != ";" || end < i + 3 || tokens[end - 1].text != name)
        continue;
      std::string type;
      for (std::size_t at = i + 1; at + 1 < end; ++at) type += (type.empty() ? "" : " ") + tokens[at].text;
      return type;
    }
  }
  return {};
}

std::vector<OpenVariable> open_constants_of(const std::string& ptx, const std::string& entry) {
  std::vector<OpenVariable> all;
  const code::PtxModule module(ptx);
  std::set<std::string, std::less<>> named;  // by code that may run
  bool other = false;                        // in another kernel
  for (const code::Statement& statement : module.statements()) {
    const auto words = code::words_of(statement.text);
    if (statement.scope == 0) {
      const bool kernel = std::ranges::any_of(words, [](std::string_view w) { return w.ends_with("entry"); });
      other = kernel && std::ranges::find(words, entry) == words.end();
      continue;
    }
    if (!other) named.insert(words.begin(), words.end());
  }
  for (const code::Statement& statement : module.statements()) {
    if (statement.scope != 0 || statement.text.find(".const") == std::string_view::npos ||
        statement.text.find('=') != std::string_view::npos)
      continue;
    // .const .align 4 .b8 filter[68]
    const std::size_t open = statement.text.rfind('[');
    std::size_t end = open == std::string_view::npos ? statement.text.size() : open;
    while (end > 0 && (statement.text[end - 1] == ' ' || statement.text[end - 1] == ';')) --end;
    std::size_t begin = end;
    while (begin > 0 && statement.text[begin - 1] != ' ') --begin;
    const std::string name(statement.text.substr(begin, end - begin));
    if (!named.contains(name)) continue;
    OpenVariable variable{plain_symbol(name), 1};
    if (open != std::string_view::npos)
      variable.bytes = std::atol(std::string(statement.text.substr(open + 1)).c_str());
    // .const .align 4 .u32 radius
    for (std::size_t at = 0; open == std::string_view::npos && at < statement.text.size(); ++at) {
      const bool type = statement.text[at] == '.' && at + 2 < statement.text.size() &&
                        std::string_view("fbsu").find(statement.text[at + 1]) != std::string_view::npos;
      const long bits = type ? std::atol(std::string(statement.text.substr(at + 2, 3)).c_str()) : 0;
      if (bits >= 8) variable.bytes = bits / 8;
      if (bits >= 32 && statement.text[at + 1] == 'f') variable.type = bits == 64 ? "double" : "float";
    }
    if (!variable.symbol.empty() && variable.bytes > 0) all.push_back(variable);
  }
  return all;
}

}  // namespace evo::intake
