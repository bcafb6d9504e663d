#include "mutators/source_rewrite.hpp"

#include "mutators/source_sites.hpp"

namespace evo::mutators {

std::string flat_with(const source::Program& program, source::Span span, const Word& word) {
  std::string text;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const source::Token& token = program.tokens[i];
    if (i > span.begin && token.begin > program.tokens[i - 1].end()) text += ' ';
    text += word(i).value_or(token.text);
  }
  return text;
}

Change rewritten(const EditedSource& source, std::string_view operation, std::size_t function,
                 const Word& word) {
  const source::Program& program = source.program;
  const auto words_in = [&](source::Span span) {
    std::size_t count = 0;
    for (std::size_t i = span.begin; i < span.end; ++i) count += word(i) ? 1 : 0;
    return count;
  };
  std::size_t left = words_in(program.nodes[program.functions[function].body].span);
  Change change;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = program.nodes[node];
    if (it.function != function) continue;
    const bool simple = it.kind == source::NodeKind::declaration || it.kind == source::NodeKind::expression ||
                        it.kind == source::NodeKind::jump;
    if (!simple && it.head.end <= it.head.begin) continue;
    const source::Span span = simple ? it.span : it.head;
    const std::size_t count = words_in(span);
    if (count == 0) continue;
    left -= count;
    change.push_back({std::string(operation), source::anchor_of(program, node),
                      (simple ? "replace " : "head ") + flat_with(program, span, word)});
  }
  return left == 0 ? change : Change();
}

}  // namespace evo::mutators
