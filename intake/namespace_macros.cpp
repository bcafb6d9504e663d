#include "intake/namespace_macros.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "diagnose/tokens.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;

bool in_capitals_only(const std::string& name) {
  return std::ranges::none_of(name, [](unsigned char c) { return std::islower(c) != 0; });
}

}  // namespace

std::map<std::string, std::string> brace_macros(const std::string& source) {
  std::map<std::string, std::string> bodies;
  std::set<std::string> several;
  std::string macro, body;
  int depth = 0;
  bool plain = true;
  const auto end = [&] {
    if (depth != 0 && !macro.empty()) {
      const auto [place, fresh] = bodies.emplace(macro, plain ? body : "");
      if (!fresh && place->second != body) place->second.clear();
    } else if (!macro.empty()) {
      several.insert(macro);
    }
    macro.clear();
    body.clear();
    depth = 0;
    plain = true;
  };
  const std::vector<Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (!token.directive || (token.is("#") && token.first)) end();
    if (!token.directive) continue;
    if (token.is("define") && macro.empty() && i + 1 < tokens.size()) {
      macro = tokens[++i].text;
      plain = i + 1 == tokens.size() || !tokens[i + 1].is("(") || tokens[i + 1].begin > tokens[i].end();
      continue;
    }
    if (macro.empty()) continue;
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
    body += (body.empty() ? "" : " ") + token.text;
  }
  end();
  // In another branch of a condition it is something else: which holds, the compiler knows.
  for (auto& [name, text] : bodies) {
    if (several.contains(name)) text.clear();
  }
  return bodies;
}

bool names_a_namespace(const std::string& name) {
  return in_capitals_only(name) && name.find("NAMESPACE") != std::string::npos;
}

bool has_lone_macro(const std::string& source) {
  const std::vector<Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool begins = i == 0 || tokens[i - 1].line < tokens[i].line;
    const bool ends = i + 1 == tokens.size() || tokens[i + 1].line > tokens[i].line;
    const bool name = tokens[i].kind == TokenKind::name && !tokens[i].directive && tokens[i].text.size() > 2;
    if (begins && ends && name && in_capitals_only(tokens[i].text)) return true;
  }
  return false;
}

std::string with_namespaces_spelled_out(const std::string& source,
                                        const std::map<std::string, std::string>& bodies) {
  std::string text = source;
  const std::vector<Token> tokens = diagnose::tokens_of(source);
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
    if (token->directive || token->kind != TokenKind::name) continue;
    const auto body = bodies.find(token->text);
    if (body == bodies.end() || body->second.empty()) continue;
    const bool ends = body->second.find_first_not_of("} ") == std::string::npos;
    if (!ends && !body->second.starts_with("namespace ") && !body->second.starts_with("inline namespace "))
      continue;
    text.replace(token->begin, token->text.size(), body->second);
  }
  return text;
}

}  // namespace evo::intake
