// Operators on how memory is accessed: hints of stores, and wide accesses.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_pointers.hpp"
#include "mutators/source_sites.hpp"
#include "source/scope.hpp"

namespace evo::mutators {
namespace {

/// An element of an array: NAME[..]..[index].
struct Element {
  std::string name;
  source::Span all, index;
};

std::optional<Element> element_at(const source::Program& program, std::size_t begin, std::size_t end) {
  if (program.tokens[begin].kind != source::TokenKind::name) return std::nullopt;
  Element element{program.tokens[begin].text, {begin, begin + 1}, {}};
  while (element.all.end < end && program.tokens[element.all.end].is("[")) {
    const std::size_t close = source::closing(program.tokens, element.all.end);
    if (close >= end) return std::nullopt;
    element.index = {element.all.end + 1, close};
    element.all.end = close + 1;
  }
  if (element.index.end == element.index.begin) return std::nullopt;
  return element;
}

/// The index is the counter, or a sum with it: neighbours in a row.
bool counts_along(const source::Program& program, source::Span index, const std::string& counter) {
  int uses = 0, depth = 0;
  bool summand = false;
  for (std::size_t i = index.begin; i < index.end; ++i) {
    const source::Token& token = program.tokens[i];
    if (token.is("(") || token.is("[")) ++depth;
    if (token.is(")") || token.is("]")) --depth;
    if (!token.is(counter)) {
      if (depth == 0 && (token.is("?") || token.is("<<") || token.is(">>") || token.is("^") || token.is("&")))
        return false;
      continue;
    }
    ++uses;
    const bool begins = i == index.begin || program.tokens[i - 1].is("+");
    const bool ends = i + 1 == index.end || program.tokens[i + 1].is("+") || program.tokens[i + 1].is("-");
    summand = depth == 0 && begins && ends;
  }
  return uses == 1 && summand;
}

int bytes_of(const std::string& words) {
  static constexpr std::array<std::pair<std::string_view, int>, 13> sizes{{{"float", 4},
                                                                           {"int", 4},
                                                                           {"unsigned", 4},
                                                                           {"unsigned int", 4},
                                                                           {"uint32_t", 4},
                                                                           {"int32_t", 4},
                                                                           {"__half", 2},
                                                                           {"half", 2},
                                                                           {"__nv_bfloat16", 2},
                                                                           {"double", 8},
                                                                           {"float2", 8},
                                                                           {"char", 1},
                                                                           {"unsigned char", 1}}};
  for (const auto& [name, size] : sizes) {
    if (words == name) return size;
  }
  return 0;
}

/// The element type of a name as a statement sees it: of a parameter, or of a declaration in the function.
std::string element_type(const EditedSource& source, std::size_t node, const std::string& name) {
  const source::Program& program = source.program;
  const std::size_t declared = source::declaration_seen(program, node, name);
  if (declared == source::none) {
    for (const Pointer& pointer : pointers_of(source, program.functions[program.nodes[node].function])) {
      if (pointer.name == name) return pointer.element;
    }
    return {};
  }
  std::string words;
  const source::Span span = program.nodes[declared].span;
  for (std::size_t i = span.begin; i < span.end && program.tokens[i].kind == source::TokenKind::name; ++i) {
    const std::string& word = program.tokens[i].text;
    if (word == name) break;
    if (word == "const" || word == "__shared__" || word == "extern" || word == "static") continue;
    words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

}  // namespace

std::vector<Change> StoreHint::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = program.nodes[node];
    if (it.kind != source::NodeKind::expression || !program.functions[it.function].kernel) continue;
    const auto element = element_at(program, it.span.begin, it.span.end);
    if (!element || !program.tokens[element->all.end].is("=")) continue;
    const auto pointers = pointers_of(source, program.functions[it.function]);
    const bool global = std::ranges::any_of(pointers, [&](const Pointer& pointer) {
      return pointer.name == element->name && !pointer.constant && bytes_of(pointer.element) > 0;
    });
    if (!global || source::declaration_seen(program, node, element->name) != source::none) continue;
    const std::string value = program.flat({element->all.end + 1, it.span.end - 1});
    for (const char* hint : {"__stcg", "__stcs", "__stwt"})
      result.push_back(
          one_edit(name(), source::anchor_of(program, node),
                   fmt::format("replace {}(&{}, {});", hint, program.flat(element->all), value)));
  }
  return result;
}

// Whether the addresses are aligned and the count divides is for the gates: a wide access that is neither is
// refused as misaligned or out of bounds.
std::vector<Change> VectorAccess::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const ForLoop& loop : for_loops(source)) {
    if (loop.declared.size() != 1 || loop.statements.size() != 1) continue;
    const std::string& counter = *loop.declared.begin();
    const std::size_t statement = loop.statements.front();
    const source::Span span = program.nodes[statement].span;
    if (program.nodes[statement].kind != source::NodeKind::expression || !program.nodes[loop.node].clean)
      continue;
    const auto to = element_at(program, span.begin, span.end);
    if (!to || !program.tokens[to->all.end].is("=")) continue;
    const auto from = element_at(program, to->all.end + 1, span.end);
    if (!from || from->all.end != span.end - 1) continue;
    if (!counts_along(program, to->index, counter) || !counts_along(program, from->index, counter)) continue;
    const std::string type = element_type(source, statement, to->name);
    const int bytes = bytes_of(type);
    if (bytes == 0 || type != element_type(source, statement, from->name)) continue;
    const auto stride = stride_of(program, loop, counter);
    const auto begin = begin_of(program, loop, counter);
    if (!stride || !begin) continue;
    for (const auto& [wide, size] : {std::pair{"uint2", 8}, std::pair{"uint4", 16}}) {
      const int width = size / bytes;
      if (width < 2) continue;
      // Threads that take turns take turns of `width` elements.
      const std::string first =
          *stride == "1" ? program.flat(*begin) : fmt::format("({}) * {}", program.flat(*begin), width);
      const std::string step =
          *stride == "1" ? std::to_string(width) : fmt::format("({}) * {}", *stride, width);
      result.push_back(one_edit(
          name(), source::anchor_of(program, loop.node),
          fmt::format("replace for ({} {}; {}; {} += {}) *reinterpret_cast<{}*>(&{}) = "
                      "*reinterpret_cast<const {}*>(&{});",
                      program.flat({loop.init.begin, begin->begin}), first, program.flat(loop.condition),
                      counter, step, wide, program.flat(to->all), wide, program.flat(from->all))));
    }
  }
  return result;
}

}  // namespace evo::mutators
