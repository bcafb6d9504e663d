#include "mutators/source_loop_sites.hpp"

#include <algorithm>
#include <array>

#include "mutators/source_sites.hpp"
#include "source/scope.hpp"

namespace evo::mutators {

std::optional<ForLoop> for_loop(const EditedSource& source, std::size_t node) {
  const source::Program& program = source.program;
  const source::Node& it = program.nodes[node];
  if (it.kind != source::NodeKind::loop || !program.first(it).is("for") || it.children.size() != 1)
    return std::nullopt;
  ForLoop loop;
  loop.node = node;
  loop.body = it.children.front();
  std::vector<std::size_t> ends;
  for (std::size_t i = it.head.begin; i < it.head.end; ++i) {
    if (program.tokens[i].is(";")) ends.push_back(i);
    if (program.tokens[i].is("{")) return std::nullopt;
  }
  // Without a begin or a condition (`for (x : list)`) there is nothing to repeat.
  if (ends.size() != 2 || ends[0] == it.head.begin || ends[1] == ends[0] + 1) return std::nullopt;
  loop.init = {it.head.begin, ends[0]};
  loop.condition = {ends[0] + 1, ends[1]};
  loop.step = {ends[1] + 1, it.head.end};
  const source::Node& body = program.nodes[loop.body];
  loop.statements = body.kind == source::NodeKind::block ? body.children : std::vector{loop.body};
  for (const std::string& name : source::names_in(program, it.span)) {
    if (source::declaration_seen(program, loop.body, name) == node) loop.declared.insert(name);
  }
  return loop;
}

std::vector<ForLoop> for_loops(const EditedSource& source) {
  std::vector<ForLoop> loops;
  for (const std::size_t node : nodes_of(source)) {
    if (auto loop = for_loop(source, node)) loops.push_back(std::move(*loop));
  }
  return loops;
}

bool any_of_names(const std::set<std::string>& names, const std::set<std::string>& others) {
  return std::ranges::any_of(names, [&](const std::string& name) { return others.contains(name); });
}

bool jumps(const EditedSource& source, source::Span span) {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    for (const char* word : {"break", "continue", "goto", "return", "case", "asm", "__shared__"}) {
      if (source.program.tokens[i].is(word)) return true;
    }
  }
  return false;
}

std::set<std::string> changed_in(const EditedSource& source, source::Span span) {
  static constexpr std::array<std::string_view, 11> assigns{
      "=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="};
  const auto& tokens = source.program.tokens;
  std::set<std::string> names;
  std::size_t begin = span.begin;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const source::Token& token = tokens[i];
    const bool assigned = std::find(assigns.begin(), assigns.end(), token.text) != assigns.end();
    if (assigned || token.is("++") || token.is("--") || token.is("&")) {
      const std::size_t end = token.is("&") || i == begin ? std::min(i + 3, span.end) : i;
      int brackets = 0;
      for (std::size_t k = begin; k < end; ++k) {
        if (tokens[k].is("[")) ++brackets;
        if (tokens[k].is("]")) --brackets;
        // Of a[i] = 1 an index stays what it is.
        if (tokens[k].kind == source::TokenKind::name && !(assigned && brackets > 0))
          names.insert(tokens[k].text);
      }
    }
    if (token.is(";") || token.is("{") || token.is("}")) begin = i + 1;
  }
  return names;
}

std::optional<std::string> stride_of(const source::Program& program, const ForLoop& loop,
                                     const std::string& counter) {
  const source::Span step = loop.step;
  const auto token = [&](std::size_t at) -> const source::Token& { return program.tokens[step.begin + at]; };
  if (step.end - step.begin == 2 && (token(0).is("++") || token(1).is("++"))) return "1";
  if (step.end - step.begin < 3 || !token(0).is(counter) || !token(1).is("+=")) return std::nullopt;
  return program.flat({step.begin + 2, step.end});
}

std::optional<source::Span> begin_of(const source::Program& program, const ForLoop& loop,
                                     const std::string& counter) {
  for (std::size_t i = loop.init.begin; i + 2 < loop.init.end; ++i) {
    if (program.tokens[i].is(",")) return std::nullopt;
    if (program.tokens[i].is(counter) && program.tokens[i + 1].is("="))
      return source::Span{i + 2, loop.init.end};
  }
  return std::nullopt;
}

}  // namespace evo::mutators
