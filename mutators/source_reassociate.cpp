// Sums and products in another order: shorter chains of instructions that wait for each other, and products
// with what a loop does not change together.
#include <algorithm>
#include <optional>
#include <vector>

#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"
#include "mutators/source_types.hpp"

namespace evo::mutators {
namespace {

using source::Span;
using source::TokenKind;

/// Terms of more than so many are left alone: each pair of ends is an edit.
constexpr std::size_t most_terms = 8;

/// What one precedence joins, without brackets around it: `signs[i]` stands in front of `terms[i + 1]`.
struct Chain {
  std::vector<Span> terms;
  std::vector<std::size_t> signs;
};

/// Does an operand end in front of `at`? Then a sign there joins two operands.
bool ends_operand(const std::vector<source::Token>& tokens, std::size_t at) {
  const source::Token& before = tokens[at - 1];
  if (before.kind == TokenKind::number || before.is("]")) return true;
  if (before.kind == TokenKind::name) return !before.is("return");
  if (!before.is(")")) return false;
  // (float)*p: a cast ends no operand.
  static constexpr std::string_view types[] = {"float",  "double", "int",  "unsigned", "half",
                                               "__half", "char",   "long", "size_t",   "uint32_t"};
  return std::ranges::find(types, tokens[at - 2].text) == std::end(types);
}

/// Sums (or products) between `span`'s ends; what stands in brackets has chains of its own, what stands in an
/// index has none: it is an integer.
void chains_in(const std::vector<source::Token>& tokens, Span span, bool sums, std::vector<Chain>& found) {
  Chain chain;
  std::size_t begin = span.begin;
  bool cut = false;  // beside a < or >, which may be a template's
  const auto close_chain = [&](std::size_t end, bool doubtful) {
    if (end > begin) chain.terms.push_back({begin, end});
    const bool whole = chain.terms.size() == chain.signs.size() + 1;
    if (whole && chain.terms.size() >= 3 && chain.terms.size() <= most_terms && !cut && !doubtful)
      found.push_back(chain);
    chain = {};
    cut = doubtful;
    begin = end + 1;
  };
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const source::Token& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      const std::size_t end = std::min(source::closing(tokens, i), span.end);
      if (token.is("(")) chains_in(tokens, {i + 1, end}, sums, found);
      i = end;
      continue;
    }
    if (token.kind != TokenKind::symbol && !token.is("return")) continue;
    const bool operand = i > begin && ends_operand(tokens, i);
    const bool of_sum = operand && (token.is("+") || token.is("-"));
    const bool of_product = operand && (token.is("*") || token.is("/"));
    if (sums ? of_sum : of_product) {
      chain.terms.push_back({begin, i});
      chain.signs.push_back(i);
      begin = i + 1;
    } else if (sums ? of_product : false) {
      continue;
    } else if (token.is(".") || token.is("->") || token.is("::")) {
      continue;
    } else if (!operand &&
               (token.is("-") || token.is("+") || token.is("*") || token.is("&") || token.is("!"))) {
      continue;
    } else {
      close_chain(i, token.is("<") || token.is(">") || token.is("%") || token.is("~"));
    }
  }
  close_chain(span.end, false);
}

}  // namespace

std::vector<Change> Reassociate::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = program.nodes[node];
    if (it.kind != source::NodeKind::declaration && it.kind != source::NodeKind::expression) continue;
    if (program.first(it).is("asm") || program.first(it).is("__asm__")) continue;
    if (floating(source, node, it.span) == Floating::no) continue;
    std::vector<Chain> chains;
    for (const bool sums : {true, false})
      chains_in(program.tokens, {it.span.begin, it.span.end - 1}, sums, chains);
    for (const Chain& chain : chains) {
      const Span all{chain.terms.front().begin, chain.terms.back().end};
      // Of integers the compiler knows it itself.
      if (floating(source, node, all) == Floating::no) continue;
      for (std::size_t first = 1; first + 1 < chain.terms.size(); ++first) {
        const source::Token& sign = program.tokens[chain.signs[first - 1]];
        if (!sign.is("+") && !sign.is("*")) continue;
        for (std::size_t last = first + 1; last < chain.terms.size(); ++last) {
          const Span group{chain.terms[first].begin, chain.terms[last].end};
          // x * n / 2: a quotient of integers alone is another one.
          if (floating(source, node, group) == Floating::no) continue;
          const std::string rest = program.flat({group.end, it.span.end});
          const std::string text = program.flat({it.span.begin, group.begin}) + " (" + program.flat(group) +
                                   (rest.starts_with(";") || rest.starts_with(")") ? ")" : ") ") + rest;
          result.push_back(one_edit(name(), source::anchor_of(program, node), "replace " + text));
        }
      }
    }
  }
  return result;
}

}  // namespace evo::mutators
