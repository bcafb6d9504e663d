// A division of floats is many instructions; a multiplication is one.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"
#include "mutators/source_types.hpp"
#include "source/scope.hpp"

namespace evo::mutators {
namespace {

/// What a / divides by: a sign, a name or a bracket, and what stands behind it.
std::optional<source::Span> divisor_at(const source::Program& program, std::size_t begin, std::size_t end) {
  const auto& tokens = program.tokens;
  std::size_t at = begin;
  while (at < end && (tokens[at].is("-") || tokens[at].is("*") || tokens[at].is("+"))) ++at;
  if (at >= end) return std::nullopt;
  if (tokens[at].is("(")) {
    const std::size_t close = source::closing(tokens, at);
    // (float)x: a type, then what it is for.
    const bool cast = close == at + 2 && tokens[at + 1].kind == source::TokenKind::name && close + 1 < end &&
                      (tokens[close + 1].kind != source::TokenKind::symbol || tokens[close + 1].is("("));
    at = close + 1;
    if (cast) {
      const auto rest = divisor_at(program, at, end);
      return rest ? std::optional(source::Span{begin, rest->end}) : std::nullopt;
    }
  } else if (tokens[at].kind == source::TokenKind::name || tokens[at].kind == source::TokenKind::number) {
    ++at;
  } else {
    return std::nullopt;
  }
  while (at < end) {
    if (tokens[at].is("(") || tokens[at].is("[")) {
      at = source::closing(tokens, at) + 1;
    } else if ((tokens[at].is(".") || tokens[at].is("->") || tokens[at].is("::")) && at + 1 < end) {
      at += 2;
    } else if (tokens[at].is("<") && at > begin && tokens[at - 1].text.ends_with("_cast")) {
      while (at < end && !tokens[at].is(">")) ++at;
      ++at;
    } else {
      break;
    }
  }
  if (at > end) return std::nullopt;
  return source::Span{begin, at};
}

/// Loops around the statement, the innermost first, of which the divisor is the same in every round: it can
/// be inverted in front of them.
std::vector<std::size_t> unchanging_loops(const EditedSource& source, std::size_t node,
                                          source::Span divisor) {
  const source::Program& program = source.program;
  std::vector<std::size_t> loops;
  const auto names = source::names_in(program, divisor);
  for (std::size_t at = program.nodes[node].parent; at != source::none; at = program.nodes[at].parent) {
    if (program.nodes[at].kind != source::NodeKind::loop) continue;
    if (any_of_names(changed_in(source, program.nodes[at].span), names)) break;
    const bool same = std::ranges::all_of(names, [&](const std::string& name) {
      return source::declaration_seen(program, node, name) == source::declaration_seen(program, at, name);
    });
    if (!same) break;
    if (in_block(source, at) && program.nodes[at].clean) loops.push_back(at);
  }
  return loops;
}

}  // namespace

std::vector<Change> QuotientInverse::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = program.nodes[node];
    if (it.kind != source::NodeKind::declaration && it.kind != source::NodeKind::expression) continue;
    if (program.tokens[it.span.begin].is("asm")) continue;
    int count = 0;
    for (std::size_t sign = it.span.begin + 1; sign + 1 < it.span.end; ++sign) {
      // An index is an integer, whatever the array holds.
      if (program.tokens[sign].is("[")) {
        sign = source::closing(program.tokens, sign);
        continue;
      }
      const bool assigned = program.tokens[sign].is("/=");
      if (!assigned && !program.tokens[sign].is("/")) continue;
      const auto divisor = assigned ? std::optional(source::Span{sign + 1, it.span.end - 1})
                                    : divisor_at(program, sign + 1, it.span.end);
      const Floating kind = floating(source, node, it.span);
      if (!divisor || kind == Floating::no) continue;
      const std::string text = program.flat(*divisor);
      const std::string front = program.flat({it.span.begin, sign}) + (assigned ? " *= " : " * ");
      const bool ends = divisor->end + 1 == it.span.end;
      const std::string rest = (ends ? "" : " ") + program.flat({divisor->end, it.span.end});
      const char* one = kind == Floating::double_precision ? "1.0" : "1.0f";
      const std::string anchor = source::anchor_of(program, node);
      const std::string inverse = fmt::format("evo_inverse_{}_{}", program.position(node), count++);
      for (const std::size_t loop : unchanging_loops(source, node, *divisor)) {
        Change change = one_edit(name(), source::anchor_of(program, loop),
                                 fmt::format("before const auto {} = {} / ({});", inverse, one, text));
        change.push_back({std::string(name()), anchor, "replace " + front + inverse + rest});
        result.push_back(std::move(change));
      }
      if (kind == Floating::single_precision)
        result.push_back(
            one_edit(name(), anchor, fmt::format("replace {}__fdividef(1.0f, {}){}", front, text, rest)));
    }
  }
  return result;
}

}  // namespace evo::mutators
