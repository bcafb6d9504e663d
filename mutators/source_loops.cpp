// Operators on whole loops, and on what a loop computes again and again.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"
#include "source/scope.hpp"

namespace evo::mutators {

using source::anchor_of;
using source::NodeKind;
using source::Span;

std::vector<Change> StatementHoist::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    if (!in_block(source, node) || is_barrier(source, node)) continue;
    const source::Node& it = program.nodes[node];
    if (it.kind != NodeKind::declaration && it.kind != NodeKind::expression) continue;
    const std::size_t loop = program.nodes[it.parent].parent;
    if (loop == source::none || program.nodes[loop].kind != NodeKind::loop || !in_block(source, loop))
      continue;
    if (jumps(source, it.span)) continue;
    const auto declared = source::declared_by(program, node);
    if ((it.kind == NodeKind::declaration) == declared.empty()) continue;
    // What the loop changes has another value each time. The statement itself is not counted.
    auto changed = changed_in(source, {program.nodes[loop].span.begin, it.span.begin});
    changed.merge(changed_in(source, {it.span.end, program.nodes[loop].span.end}));
    bool free = true;
    for (const std::string& name : source::names_in(program, it.span)) {
      if (declared.contains(name)) {
        // In front of the loop the name must be nobody else's.
        free = free && source::declaration_seen(program, loop, name) == source::none;
        for (const std::size_t beside : program.nodes[program.nodes[loop].parent].children)
          free = free &&
                 (beside == loop || !source::names_in(program, program.nodes[beside].span).contains(name));
        free = free && !changed.contains(name);
      } else {
        free = free && !changed.contains(name) &&
               source::declaration_seen(program, node, name) == source::declaration_seen(program, loop, name);
      }
    }
    if (it.kind == NodeKind::expression) {
      // x = x + 1 depends on the round before.
      const auto own = changed_in(source, it.span);
      const std::size_t sign = it.span.begin + 1;
      free = free && own.size() == 1 && program.tokens[sign].is("=") &&
             !any_of_names(own, source::names_in(program, {sign, it.span.end}));
    }
    if (!free) continue;
    result.push_back(one_edit(name(), anchor_of(program, node), "move before " + anchor_of(program, loop)));
  }
  return result;
}

std::vector<Change> LoopInterchange::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const ForLoop& outer : for_loops(source)) {
    if (outer.statements.size() != 1) continue;
    const auto inner = for_loop(source, outer.statements.front());
    if (!inner || inner->declared.empty() || outer.declared.empty()) continue;
    const Span around = program.nodes[outer.node].head, inside = program.nodes[inner->node].head;
    if (any_of_names(outer.declared, source::names_in(program, inside))) continue;
    Change both = one_edit(name(), anchor_of(program, outer.node), "head " + program.flat(inside));
    both.push_back({std::string(name()), anchor_of(program, inner->node), "head " + program.flat(around)});
    result.push_back(std::move(both));
  }
  return result;
}

std::vector<Change> LoopFuse::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const ForLoop& first : for_loops(source)) {
    const auto beside = sibling(source, first.node, 1);
    const auto second = beside ? for_loop(source, *beside) : std::nullopt;
    if (!second || !program.nodes[second->node].clean || first.statements.empty()) continue;
    if (program.flat(program.nodes[first.node].head) != program.flat(program.nodes[second->node].head))
      continue;
    if (program.nodes[first.body].kind != NodeKind::block) continue;
    const Span bodies[] = {program.nodes[first.body].span, program.nodes[second->body].span};
    if (jumps(source, bodies[0]) || jumps(source, bodies[1])) continue;
    std::set<std::string> declared;
    for (const std::size_t statement : first.statements)
      declared.merge(source::declared_by(program, statement));
    if (any_of_names(declared, source::names_in(program, bodies[1]))) continue;
    Change both = one_edit(name(), anchor_of(program, first.statements.back()),
                           "after { " + program.flat(bodies[1]) + " }");
    both.push_back({std::string(name()), anchor_of(program, second->node), "delete"});
    result.push_back(std::move(both));
  }
  return result;
}

std::vector<Change> LoopSplit::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const ForLoop& loop : for_loops(source)) {
    const source::Node& it = program.nodes[loop.node];
    if (jumps(source, it.span) || loop.declared.empty()) continue;
    std::set<std::string> declared;
    for (std::size_t at = 1; at < loop.statements.size(); ++at) {
      declared.merge(source::declared_by(program, loop.statements[at - 1]));
      const Span front{program.nodes[loop.statements.front()].span.begin,
                       program.nodes[loop.statements[at]].span.begin};
      const Span back{front.end, program.nodes[loop.statements.back()].span.end};
      if (any_of_names(declared, source::names_in(program, back))) continue;
      const std::string head = program.flat(it.head);
      result.push_back(one_edit(name(), anchor_of(program, loop.node),
                                fmt::format("replace {{ for ({0}) {{ {1} }} for ({0}) {{ {2} }} }}", head,
                                            program.flat(front), program.flat(back))));
    }
  }
  return result;
}

std::vector<Change> LoopPeel::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const ForLoop& loop : for_loops(source)) {
    const source::Node& it = program.nodes[loop.node];
    if (jumps(source, it.span)) continue;
    const std::string body = program.flat(program.nodes[loop.body].span);
    const std::string condition = program.flat(loop.condition), step = program.flat(loop.step);
    result.push_back(one_edit(name(), anchor_of(program, loop.node),
                              fmt::format("replace {{ {0}; if ({1}) {{ {2} {3}; for (; {1}; {3}) {2} }} }}",
                                          program.flat(loop.init), condition, body, step)));
  }
  return result;
}

std::vector<Change> StrengthReduce::changes(const EditedSource& source) const {
  const auto& tokens = source.program.tokens;
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = source.program.nodes[node];
    if (it.kind != NodeKind::declaration && it.kind != NodeKind::expression) continue;
    // L / 32 and L % 32, where L is a name with members, behind nothing that binds as strongly.
    for (std::size_t sign = it.span.begin + 1; sign + 1 < it.span.end; ++sign) {
      const bool quotient = tokens[sign].is("/");
      if ((!quotient && !tokens[sign].is("%")) || tokens[sign - 1].kind != source::TokenKind::name) continue;
      const std::string& digits = tokens[sign + 1].text;
      if (tokens[sign + 1].kind != source::TokenKind::number || digits.size() > 6 ||
          digits.find_first_not_of("0123456789") != std::string::npos || digits.front() == '0')
        continue;
      const unsigned value = static_cast<unsigned>(std::stoul(digits));
      if (value < 2 || (value & (value - 1)) != 0) continue;
      std::size_t begin = sign - 1;
      while (begin >= it.span.begin + 2 && tokens[begin - 1].is(".")) begin -= 2;
      static constexpr std::array<std::string_view, 9> before{"=", "+", "(", "[", ",", "+=", "<", "==", "?"};
      if (begin == it.span.begin ||
          std::find(before.begin(), before.end(), tokens[begin - 1].text) == before.end())
        continue;
      const std::string& name_of = tokens[begin].text;
      const std::size_t declared = source::declaration_seen(source.program, node, name_of);
      if (declared != source::none) {
        const auto words = source::names_in(source.program, source.program.nodes[declared].span);
        if (words.contains("float") || words.contains("double") || words.contains("__half")) continue;
      }
      int bits = 0;
      while ((1u << bits) < value) ++bits;
      const std::string left = source.program.flat({begin, sign});
      const std::string text =
          quotient ? fmt::format("({} >> {})", left, bits) : fmt::format("({} & {})", left, value - 1);
      result.push_back(one_edit(name(), anchor_of(source.program, node),
                                "replace " + source.program.flat({it.span.begin, begin}) + " " + text +
                                    source.program.flat({sign + 2, it.span.end})));
    }
  }
  return result;
}

}  // namespace evo::mutators
