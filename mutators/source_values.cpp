// Operators on values that are there already.
#include <algorithm>

#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_pointers.hpp"
#include "mutators/source_sites.hpp"
#include "source/scope.hpp"

namespace evo::mutators {

std::vector<Change> ValueReuse::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  const auto& tokens = program.tokens;
  std::vector<Change> result;
  const std::vector<std::size_t> all = nodes_of(source);
  for (const std::size_t known : all) {
    const source::Node& it = program.nodes[known];
    const auto declared = source::declared_by(program, known);
    if (declared.size() != 1) continue;
    std::size_t sign = it.span.begin;
    while (sign < it.span.end && !tokens[sign].is("=")) ++sign;
    if (sign + 2 >= it.span.end || !tokens[sign - 1].is(*declared.begin())) continue;
    // One call or one element: what stands around it cannot divide it.
    const source::Span value{sign + 1, it.span.end - 1};
    if (tokens[value.begin].kind != source::TokenKind::name || value.end < value.begin + 4) continue;
    if (!tokens[value.begin + 1].is("[") && !tokens[value.begin + 1].is("(")) continue;
    if (source::closing(tokens, value.begin + 1) != value.end - 1) continue;
    const auto names = source::names_in(program, value);
    for (const std::size_t node : all) {
      const source::Node& use = program.nodes[node];
      if (use.function != it.function || use.span.begin < it.span.end) continue;
      if (use.kind != source::NodeKind::declaration && use.kind != source::NodeKind::expression) continue;
      if (source::declaration_seen(program, node, *declared.begin()) != known) continue;
      // int a = f(x) inside would become its own begin.
      if (source::declared_by(program, node).contains(*declared.begin())) continue;
      auto gone = changed_in(source, {it.span.end, use.span.begin});
      if (gone.contains(*declared.begin()) || any_of_names(gone, names)) continue;
      const std::size_t length = value.end - value.begin;
      for (std::size_t i = use.span.begin + 1; i + length < use.span.end; ++i) {
        const bool same =
            std::equal(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                       tokens.begin() + static_cast<std::ptrdiff_t>(i + length),
                       tokens.begin() + static_cast<std::ptrdiff_t>(value.begin),
                       [](const source::Token& a, const source::Token& b) { return a.text == b.text; });
        if (!same || is_target(source, use.span, i, i + length) || tokens[i - 1].is("::") ||
            tokens[i + length].is("[") || tokens[i + length].is("->"))
          continue;
        const bool meant = std::ranges::all_of(names, [&](const std::string& word) {
          return source::declaration_seen(program, node, word) ==
                 source::declaration_seen(program, known, word);
        });
        if (!meant) break;
        result.push_back(one_edit(name(), source::anchor_of(program, node),
                                  "replace " + program.flat({use.span.begin, i}) + " " + *declared.begin() +
                                      " " + program.flat({i + length, use.span.end})));
      }
    }
  }
  return result;
}

}  // namespace evo::mutators
