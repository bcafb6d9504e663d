#include "mutators/source_sites.hpp"

#include "source/barriers.hpp"
#include "source/block_barriers.hpp"

namespace evo::mutators {

using source::NodeKind;

std::vector<std::size_t> nodes_of(const EditedSource& source) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < source.program.nodes.size(); ++i) {
    const source::Node& node = source.program.nodes[i];
    if (source.editable(node) && node.clean && node.parent != source::none && node.kind != NodeKind::empty &&
        node.kind != NodeKind::label && node.span.end > node.span.begin)
      result.push_back(i);
  }
  return result;
}

bool is_barrier(const EditedSource& source, std::size_t node) {
  const source::Node& it = source.program.nodes[node];
  if (it.kind != NodeKind::expression || it.span.end < it.span.begin + 2) return false;
  source::Span span = it.span;
  if (source.program.tokens[span.end - 1].is(";")) --span.end;
  return source::is_barrier(source.program, span);
}

bool is_block_barrier(const EditedSource& source, std::size_t node) {
  return source::is_block_barrier(source.program, node, source.block_barriers);
}

std::vector<std::size_t> barriers_of(const EditedSource& source) {
  std::vector<std::size_t> result;
  for (const std::size_t node : nodes_of(source)) {
    if (is_barrier(source, node)) result.push_back(node);
  }
  return result;
}

bool in_block(const EditedSource& source, std::size_t node) {
  const std::size_t parent = source.program.nodes[node].parent;
  return parent != source::none && source.program.nodes[parent].kind == NodeKind::block;
}

std::optional<std::size_t> sibling(const EditedSource& source, std::size_t node, int steps) {
  if (!in_block(source, node)) return std::nullopt;
  const auto& all = source.program.nodes[source.program.nodes[node].parent].children;
  const auto at = static_cast<std::ptrdiff_t>(source.program.position(node)) + steps;
  if (at < 0 || at >= static_cast<std::ptrdiff_t>(all.size())) return std::nullopt;
  return all[static_cast<std::size_t>(at)];
}

std::string with_token(const EditedSource& source, source::Span span, std::size_t at, std::string_view text) {
  std::string result = source.program.flat({span.begin, at});
  const auto& tokens = source.program.tokens;
  if (at > span.begin && tokens[at].begin > tokens[at - 1].end()) result += ' ';
  result += text;
  if (at + 1 < span.end) {
    if (tokens[at + 1].begin > tokens[at].end()) result += ' ';
    result += source.program.flat({at + 1, span.end});
  }
  return result;
}

Change one_edit(std::string_view operation, std::string anchor, std::string payload) {
  return {{std::string(operation), std::move(anchor), std::move(payload)}};
}

}  // namespace evo::mutators
