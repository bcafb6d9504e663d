#include "mutators/source_pointers.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "source/scope.hpp"

namespace evo::mutators {

std::vector<source::Span> parameters_of(const EditedSource& source, const source::Function& function) {
  std::vector<source::Span> result;
  int depth = 0;
  std::size_t begin = function.head.begin;
  for (std::size_t i = function.head.begin; i < function.head.end; ++i) {
    const source::Token& token = source.program.tokens[i];
    if (token.is("(") || token.is("<") || token.is("[")) ++depth;
    if (token.is(")") || token.is(">") || token.is("]")) --depth;
    if (depth != 0 || !token.is(",")) continue;
    result.push_back({begin, i});
    begin = i + 1;
  }
  if (function.head.end > begin) result.push_back({begin, function.head.end});
  return result;
}

std::optional<Pointer> pointer_of(const EditedSource& source, source::Span parameter) {
  Pointer pointer;
  bool star = false;
  for (std::size_t i = parameter.begin; i < parameter.end; ++i) {
    const source::Token& token = source.program.tokens[i];
    if (token.is("=") || token.is("[")) break;
    if (token.is("*")) pointer.star = i, star = true;
    if (token.is("const") && !star) pointer.constant = true;
    if (token.kind == source::TokenKind::name && !star && !token.is("const"))
      pointer.element += (pointer.element.empty() ? "" : " ") + token.text;
    if (token.is("__restrict__") || token.is("__restrict")) pointer.restricted = true;
    if (token.kind == source::TokenKind::name) pointer.name = token.text;
  }
  if (!star) return std::nullopt;
  return pointer;
}

std::vector<Pointer> pointers_of(const EditedSource& source, const source::Function& function) {
  std::vector<Pointer> result;
  for (const source::Span parameter : parameters_of(source, function)) {
    if (auto pointer = pointer_of(source, parameter)) result.push_back(std::move(*pointer));
  }
  return result;
}

const Pointer* pointer_named(const EditedSource& source, const std::vector<Pointer>& pointers,
                             std::size_t node, const std::string& name) {
  const auto called = [&](const Pointer& pointer) { return pointer.name == name; };
  if (std::ranges::none_of(pointers, called)) return nullptr;
  const std::size_t seen = source::declaration_seen(source.program, node, name);
  const auto found = std::ranges::find_if(
      pointers, [&](const Pointer& pointer) { return called(pointer) && pointer.declared == seen; });
  return found == pointers.end() ? nullptr : &*found;
}

namespace {

/// Of a cast, "(const float4*)", "reinterpret_cast<float4*>".
bool is_of_a_type(const source::Program& program, std::size_t name, std::size_t end) {
  if (program.tokens[name].text.ends_with("_cast")) return true;
  if (name + 1 >= end) return false;
  const source::Token& next = program.tokens[name + 1];
  return next.is("*") || next.is("::") || next.kind == source::TokenKind::name;
}

}  // namespace

std::vector<Pointer> global_pointers_of(const EditedSource& source, std::size_t function) {
  const source::Program& program = source.program;
  std::vector<Pointer> result = pointers_of(source, program.functions[function]);
  for (std::size_t node = 0; node < program.nodes.size(); ++node) {
    const source::Node& it = program.nodes[node];
    if (it.function != function || it.kind != source::NodeKind::declaration) continue;
    std::size_t equals = it.span.begin;
    while (equals < it.span.end && !program.tokens[equals].is("=")) ++equals;
    if (equals == it.span.end || source::declared_by(program, node).size() != 1) continue;
    auto pointer = pointer_of(source, {it.span.begin, equals});
    if (!pointer) continue;
    // A choice may be one of shared memory, and an element is no place behind the pointer.
    const Pointer* base = nullptr;
    bool plain = true;
    for (std::size_t i = equals + 1; i < it.span.end; ++i) {
      plain = plain && !program.tokens[i].is("?") && !program.tokens[i].is("{");
      if (base != nullptr || program.tokens[i].kind != source::TokenKind::name) continue;
      if (is_of_a_type(program, i, it.span.end)) continue;
      // The first name is what the others are added to: "tile + (x - begin)" is a place in tile.
      if (pointer_named(source, result, node, program.tokens[i].text) == nullptr) break;
      base = pointer_named(source, result, node, program.tokens[i].text);
      const bool element = base != nullptr && i + 1 < it.span.end && program.tokens[i + 1].is("[");
      plain = plain && (!element || program.tokens[i - 1].is("&"));
    }
    if (base == nullptr || !plain) continue;
    pointer->restricted = pointer->restricted || base->restricted;
    pointer->declared = node;
    result.push_back(std::move(*pointer));
  }
  return result;
}

bool is_target(const EditedSource& source, source::Span statement, std::size_t begin, std::size_t end) {
  static constexpr std::array<std::string_view, 13> signs{
      "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>=", "++", "--", "."};
  const auto& tokens = source.program.tokens;
  if (begin > statement.begin) {
    const source::Token& before = tokens[begin - 1];
    if (before.is("&") || before.is("++") || before.is("--") || before.is(".") || before.is("->"))
      return true;
  }
  return end < statement.end && std::find(signs.begin(), signs.end(), tokens[end].text) != signs.end();
}

}  // namespace evo::mutators
