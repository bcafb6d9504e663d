#include "mutators/source_arrays.hpp"

#include "mutators/source_sites.hpp"

namespace evo::mutators {
namespace {

/// A declaration of several names is none.
bool lists_names(const source::Program& program, source::Span span) {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const source::Token& token = program.tokens[i];
    if (token.is(",")) return true;
    if (token.is("(") || token.is("[") || token.is("{")) i = source::closing(program.tokens, i);
  }
  return false;
}

}  // namespace

std::vector<Array> arrays_of(const EditedSource& source) {
  const source::Program& program = source.program;
  std::vector<Array> arrays;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = program.nodes[node];
    if (it.kind != source::NodeKind::declaration || lists_names(program, it.span)) continue;
    Array array;
    array.node = node;
    std::size_t at = it.span.begin;
    for (; at + 1 < it.span.end && !program.tokens[at + 1].is("["); ++at) {
      const source::Token& token = program.tokens[at];
      if (token.is("=") || token.is("(") || token.is("*") || token.is("&")) break;
      if (token.is("__shared__")) {
        array.shared = true;
        continue;
      }
      for (const char* word : {"static", "extern", "const", "constexpr", "using", "typedef"})
        array.fixed = array.fixed || token.is(word);
      array.type += (array.type.empty() ? "" : " ") + token.text;
    }
    if (at + 1 >= it.span.end || !program.tokens[at + 1].is("[") || array.type.empty() ||
        program.tokens[at].kind != source::TokenKind::name)
      continue;
    array.name = program.tokens[at].text;
    array.end = at + 1;
    while (array.end < it.span.end && program.tokens[array.end].is("[")) {
      const std::size_t close = source::closing(program.tokens, array.end);
      if (close >= it.span.end) break;
      array.lengths.push_back({array.end + 1, close});
      array.end = close + 1;
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace evo::mutators
