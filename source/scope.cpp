#include "source/scope.hpp"

#include <algorithm>

namespace evo::source {
namespace {

bool is_sign(const Token& token, std::string_view signs) {
  return token.text.size() == 1 && signs.find(token.text) != std::string_view::npos;
}

/// Names of the declarators in the span: those before =, ;, [, {, ( or a comma, outside of brackets.
void add_declared(const Program& program, Span span, std::set<std::string>& names) {
  const auto& tokens = program.tokens;
  int depth = 0;
  bool value = false;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const Token& token = tokens[i];
    if (is_sign(token, "([{")) ++depth;
    if (is_sign(token, ")]}")) --depth;
    if (depth != 0) continue;
    if (token.is(",")) value = false;
    if (token.is("=") || token.is(":")) value = true;
    if (value || token.kind != TokenKind::name || i == span.begin) continue;
    const bool ends = i + 1 >= span.end || is_sign(tokens[i + 1], "=;,[{(:)");
    const Token& before = tokens[i - 1];
    const bool after_type = before.kind == TokenKind::name || is_sign(before, "*&>,)");
    if (ends && after_type) names.insert(token.text);
  }
}

}  // namespace

std::set<std::string> declared_by(const Program& program, std::size_t node) {
  std::set<std::string> names;
  const Node& it = program.nodes[node];
  if (it.kind == NodeKind::declaration) add_declared(program, it.span, names);
  return names;
}

std::set<std::string> names_in(const Program& program, Span span) {
  std::set<std::string> names;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const Token& token = program.tokens[i];
    if (token.kind != TokenKind::name) continue;
    if (i > 0 && (program.tokens[i - 1].is(".") || program.tokens[i - 1].is("->"))) continue;
    names.insert(token.text);
  }
  return names;
}

std::size_t declaration_seen(const Program& program, std::size_t node, const std::string& name) {
  std::size_t child = node;
  while (program.nodes[child].parent != none) {
    const std::size_t parent = program.nodes[child].parent;
    const Node& around = program.nodes[parent];
    if (around.kind == NodeKind::block || around.kind == NodeKind::choice) {
      std::size_t found = none;
      for (const std::size_t sibling : around.children) {
        if (sibling == child) break;
        if (declared_by(program, sibling).contains(name)) found = sibling;
      }
      if (found != none) return found;
    }
    if (around.head.end > around.head.begin) {
      std::set<std::string> names;
      Span head = around.head;
      // Of a for, what stands before the first semicolon.
      for (std::size_t i = head.begin; i < head.end; ++i) {
        if (program.tokens[i].is(";")) {
          head.end = i;
          break;
        }
      }
      add_declared(program, head, names);
      if (names.contains(name)) return parent;
    }
    child = parent;
  }
  return none;
}

bool in_scope(const Program& program, std::size_t node, std::size_t target) {
  const Node& it = program.nodes[node];
  if (it.function != program.nodes[target].function) return false;
  for (const std::string& name : names_in(program, it.span)) {
    const std::size_t here = declaration_seen(program, node, name);
    if (here != declaration_seen(program, target, name)) return false;
    // One whose declaration is what would be moved.
    if (here == node) return false;
  }
  return true;
}

}  // namespace evo::source
