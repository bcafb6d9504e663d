// Operators on whole statements: what they name stays in its scope.
#include <algorithm>

#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"
#include "source/scope.hpp"

namespace evo::mutators {
namespace {

using source::anchor_of;
using source::NodeKind;

bool is_work(const EditedSource& source, std::size_t node) {
  const NodeKind kind = source.program.nodes[node].kind;
  return (kind == NodeKind::expression || kind == NodeKind::branch || kind == NodeKind::loop) &&
         !is_barrier(source, node);
}

bool accesses_memory(const EditedSource& source, std::size_t node) {
  const source::Span span = source.program.nodes[node].span;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (source.program.tokens[i].is("[") || source.program.tokens[i].is("->")) return true;
  }
  return false;
}

/// No pragma, and nothing declared for what follows.
bool can_be_copied(const EditedSource& source, std::size_t node) {
  const source::Node& it = source.program.nodes[node];
  return it.pragma == source::none && source::declared_by(source.program, node).empty() &&
         it.kind != NodeKind::macro_block;
}

bool shares_a_name(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
}

/// What stands in a block may stand `steps` away in it.
bool may_pass(const EditedSource& source, std::size_t node, int steps) {
  const auto declared = source::declared_by(source.program, node);
  const int step = steps > 0 ? 1 : -1;
  for (int at = step; at != steps + step; at += step) {
    const auto passed = sibling(source, node, at);
    if (!passed) return false;
    const source::Node& other = source.program.nodes[*passed];
    if (other.kind == NodeKind::jump || other.kind == NodeKind::label) return false;
    const auto names = source::names_in(source.program, other.span);
    if (steps > 0 && shares_a_name(declared, names)) return false;
    if (steps < 0 && shares_a_name(source::declared_by(source.program, *passed),
                                   source::names_in(source.program, source.program.nodes[node].span)))
      return false;
  }
  return true;
}

}  // namespace

std::vector<Change> StatementDelete::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    if (is_work(source, node)) result.push_back(one_edit(name(), anchor_of(source.program, node), "delete"));
  }
  return result;
}

std::vector<Change> StatementMove::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = source.program.nodes[node];
    const bool declares = it.kind == NodeKind::declaration && accesses_memory(source, node);
    if (!declares && !(is_work(source, node) && accesses_memory(source, node))) continue;
    if (it.pragma != source::none) continue;
    for (const int steps : {-1, 1, -2, 2, -3, 3, -4, 4}) {
      if (!may_pass(source, node, steps)) continue;
      const std::size_t target = *sibling(source, node, steps);
      result.push_back(one_edit(
          name(), anchor_of(source.program, node),
          std::string(steps > 0 ? "move after " : "move before ") + anchor_of(source.program, target)));
    }
  }
  return result;
}

std::vector<Change> StatementCopy::changes(const EditedSource& source) const {
  std::vector<Change> result;
  const std::vector<std::size_t> all = nodes_of(source);
  for (const std::size_t node : all) {
    if (source.program.nodes[node].kind != NodeKind::expression || is_barrier(source, node) ||
        !can_be_copied(source, node))
      continue;
    for (const std::size_t target : all) {
      if (source.program.nodes[target].function != source.program.nodes[node].function) continue;
      if (target == node || !in_block(source, target) || sibling(source, node, 1) == target) continue;
      if (!source::in_scope(source.program, node, target)) continue;
      result.push_back(one_edit(name(), anchor_of(source.program, node),
                                "copy before " + anchor_of(source.program, target)));
    }
  }
  return result;
}

std::vector<Change> StatementSwap::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    if (!is_work(source, node) || !can_be_copied(source, node)) continue;
    for (int steps = 1; steps <= 3; ++steps) {
      const auto other = sibling(source, node, steps);
      if (!other || !source.program.nodes[*other].clean) break;
      if (!is_work(source, *other) || !can_be_copied(source, *other)) continue;
      // The later one names nothing that is declared between them.
      if (!source::in_scope(source.program, *other, node)) continue;
      if (!accesses_memory(source, node) && !accesses_memory(source, *other)) continue;
      result.push_back(
          one_edit(name(), anchor_of(source.program, node), "swap " + anchor_of(source.program, *other)));
    }
  }
  return result;
}

std::vector<Change> StatementReplace::changes(const EditedSource& source) const {
  std::vector<Change> result;
  const std::vector<std::size_t> all = nodes_of(source);
  for (const std::size_t node : all) {
    if (source.program.nodes[node].kind != NodeKind::expression || is_barrier(source, node)) continue;
    for (const std::size_t other : all) {
      const source::Node& it = source.program.nodes[other];
      if (other == node || it.kind != NodeKind::expression || is_barrier(source, other)) continue;
      if (!can_be_copied(source, other) || !source::in_scope(source.program, other, node)) continue;
      const std::string text = source.program.flat(it.span);
      if (text == source.program.flat(source.program.nodes[node].span)) continue;
      result.push_back(one_edit(name(), anchor_of(source.program, node), "replace " + text));
    }
  }
  return result;
}

}  // namespace evo::mutators
