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
#include "mutators/source_types.hpp"
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

}  // namespace

std::vector<Change> StoreHint::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = program.nodes[node];
    if (it.kind != source::NodeKind::expression || !program.functions[it.function].kernel) continue;
    const auto element = element_at(program, it.span.begin, it.span.end);
    if (!element || !program.tokens[element->all.end].is("=")) continue;
    const auto pointers = global_pointers_of(source, it.function);
    const Pointer* pointer = pointer_named(source, pointers, node, element->name);
    if (pointer == nullptr || pointer->constant || bytes_of(pointer->element) == 0) continue;
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
