// Numbers of the text as genes: named constants, macros, and numbers that a function names more than once.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"
#include "source/line_edits.hpp"
#include "source/scope.hpp"
#include "source/text_gene.hpp"

namespace evo::mutators {
namespace {

using source::NodeKind;
using source::TextGene;
using source::Token;
using source::TokenKind;

constexpr std::int64_t largest_constant = std::int64_t{1} << 20;
/// Of a number without a name: small ones are rarely sizes (the 2 of a halving), and large ones rarely repeat
/// by intent.
constexpr std::int64_t least_literal = 4, largest_literal = 1024;

std::optional<std::int64_t> constant_in(const Token& token) {
  if (token.kind != TokenKind::number) return std::nullopt;
  std::int64_t value = 0;
  const char *begin = token.text.data(), *end = begin + token.text.size();
  const auto [read, code] = std::from_chars(begin, end, value);
  if (code != std::errc() || read != end || value < 1 || value > largest_constant) return std::nullopt;
  return value;
}

/// Quarter, half, the number, twice, four times; and its neighbours where it is no power of two.
std::vector<std::int64_t> around(std::int64_t number) {
  std::set<std::int64_t> values{number, number * 2, number * 4};
  for (const std::int64_t part : {2, 4}) {
    if (number % part == 0) values.insert(number / part);
  }
  if ((number & (number - 1)) != 0) values.insert({number - 1, number + 1});
  return {values.begin(), values.end()};
}

/// The edit that makes `gene` of a number, once with each value that the number does not have, the next ones
/// first.
void add_gene(std::string_view operation, std::string anchor, TextGene gene, std::vector<Change>& result) {
  const std::int64_t number = gene.value;
  gene.values = around(number);
  std::vector<std::int64_t> order = gene.values;
  std::ranges::stable_sort(
      order, {}, [&](std::int64_t value) { return std::max(value, number) * 16 / std::min(value, number); });
  for (const std::int64_t value : order) {
    if (value == number) continue;
    gene.value = value;
    result.push_back(one_edit(operation, anchor, source::payload_of(gene)));
  }
}

/// Names that the whole text has, what evo puts in front of it included.
std::set<std::string> names_of_text(const std::vector<Token>& tokens) {
  std::set<std::string> names;
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::name) names.insert(token.text);
  }
  return names;
}

/// GENE_TILE; nothing where the text has that name.
std::optional<std::string> gene_name(std::string_view word, const std::set<std::string>& known) {
  std::string name = fmt::format("GENE_{}", word);
  for (char& c : name) {
    if (c == '~') c = '_';
  }
  if (known.contains(name)) return std::nullopt;
  return name;
}

/// Is token `at` the value of `const int NAME = 4;`, alone?
bool names_constant(const std::vector<Token>& tokens, std::size_t at) {
  if (at < 3 || at + 1 >= tokens.size() || !tokens[at + 1].is(";") || !tokens[at - 1].is("=") ||
      tokens[at - 2].kind != TokenKind::name)
    return false;
  for (std::size_t i = at - 2; i-- > 0;) {
    const Token& token = tokens[i];
    if (token.is("const") || token.is("constexpr")) return true;
    if (token.kind != TokenKind::name && !token.is("::")) return false;
  }
  return false;
}

/// Constants inside functions.
void add_declared_constants(const EditedSource& source, std::string_view operation,
                            const std::set<std::string>& known, std::vector<Change>& result) {
  const auto& tokens = source.program.tokens;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = source.program.nodes[node];
    if (it.kind != NodeKind::declaration || it.span.end - it.span.begin < 5) continue;
    const std::size_t at = it.span.end - 2;
    const auto value = constant_in(tokens[at]);
    if (!value || *value == source.threads || !names_constant(tokens, at)) continue;
    const auto name = gene_name(tokens[at - 2].text, known);
    if (!name) continue;
    const std::string text = with_token(source, it.span, at, *name);
    add_gene(operation, source::anchor_of(source.program, node), {*name, *value, {}, {}, "replace " + text},
             result);
  }
}

/// A number that stands on a line of its own macro or constant, outside of functions.
struct NamedNumber {
  std::string name;
  std::int64_t value = 0;
  std::size_t begin = 0, end = 0;
};

void add_macros(const std::vector<Token>& tokens, std::size_t text_begin, std::vector<NamedNumber>& result) {
  std::set<std::string> given;
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].is("#") || !tokens[i].first || !tokens[i].directive || !tokens[i + 1].is("define"))
      continue;
    const Token& name = tokens[i + 2];
    if (name.kind != TokenKind::name || name.first) continue;
    if (tokens[i].begin < text_begin) given.insert(name.text);
    if (given.contains(name.text)) continue;
    std::size_t at = i + 3;
    const bool bracket = tokens[at].is("(") && tokens[at].begin > name.end();
    if (bracket) ++at;
    const std::size_t behind = at + (bracket ? 2 : 1);
    if (at >= tokens.size() || tokens[at].first || !tokens[at].directive) continue;
    if (bracket && (at + 1 >= tokens.size() || !tokens[at + 1].is(")"))) continue;
    if (behind < tokens.size() && tokens[behind].directive && !tokens[behind].first) continue;
    if (const auto value = constant_in(tokens[at]))
      result.push_back({name.text, *value, tokens[at].begin, tokens[at].end()});
  }
}

void add_global_constants(const EditedSource& source, std::vector<NamedNumber>& result) {
  const auto& tokens = source.program.tokens;
  std::vector<bool> inside(tokens.size(), false);
  for (const source::Function& function : source.program.functions) {
    const std::size_t end = source.program.nodes[function.body].span.end;
    for (std::size_t i = function.begin; i < end && i < inside.size(); ++i) inside[i] = true;
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (inside[i] || !names_constant(tokens, i)) continue;
    if (const auto value = constant_in(tokens[i]))
      result.push_back({tokens[i - 2].text, *value, tokens[i].begin, tokens[i].end()});
  }
}

/// Macros and constants of the file, as edits of their lines.
void add_named_numbers(const EditedSource& source, std::string_view operation,
                       const std::vector<Token>& tokens, const std::set<std::string>& known,
                       std::vector<Change>& result) {
  const std::string& text = source.program.text;
  const std::size_t begin = source::text_begin(text);
  std::vector<NamedNumber> numbers;
  add_macros(tokens, begin, numbers);
  add_global_constants(source, numbers);
  std::map<std::string, int> uses, definitions;
  for (const Token& token : tokens) ++uses[token.text];
  for (const NamedNumber& number : numbers) ++definitions[number.name];
  const std::string before = text.substr(begin);
  for (const NamedNumber& number : numbers) {
    const auto name = gene_name(number.name, known);
    // One that nothing uses makes the same code; of several under #if it is not known which one counts.
    if (!name || number.value == source.threads || number.begin < begin || uses[number.name] < 2 ||
        definitions[number.name] > 1)
      continue;
    std::string after = before;
    after.replace(number.begin - begin, number.end - number.begin, *name);
    const source::Edits lines = source::line_edits(before, after, operation, 1);
    if (lines.size() != 1) continue;
    add_gene(operation, lines.front().anchor, {*name, number.value, {}, {}, lines.front().payload}, result);
  }
}

/// A number that a function names twice or more, such as a tile's size, in all its places.
void add_repeated_literals(const EditedSource& source, std::string_view operation,
                           const std::set<std::string>& known, std::vector<Change>& result) {
  for (std::size_t f = 0; f < source.program.functions.size(); ++f) {
    if (!source.reached[f]) continue;
    const source::Function& function = source.program.functions[f];
    const source::Span span = source.program.nodes[function.body].span;
    std::map<std::int64_t, int> counts;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      const auto value = constant_in(source.program.tokens[i]);
      if (value && *value >= least_literal && *value <= largest_literal) ++counts[*value];
    }
    for (const auto& [value, count] : counts) {
      const auto name = gene_name(fmt::format("{}_{}", function.name, value), known);
      if (count < 2 || value == source.threads || !name) continue;
      add_gene(operation, source::anchor_of(source.program, function),
               {*name, value, {}, {}, fmt::format("literal {} {}", value, *name)}, result);
    }
  }
}

}  // namespace

// A number that is the block's size is the launch's, which edits cannot change.
std::vector<Change> ConstantGene::changes(const EditedSource& source) const {
  std::vector<Change> result;
  const std::vector<Token> tokens = source::tokens_of(source.program.text);
  const std::set<std::string> known = names_of_text(tokens);
  add_named_numbers(source, name(), tokens, known, result);
  add_declared_constants(source, name(), known, result);
  add_repeated_literals(source, name(), known, result);
  return result;
}

}  // namespace evo::mutators
