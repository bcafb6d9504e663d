// Changes that mend what two threads do to one word, or what one block hands to another.
#include <optional>

#include <fmt/format.h>

#include "diagnose/mutant_parts.hpp"

namespace evo::diagnose {
namespace {

/// The target of an update of one element, and what it is updated with.
struct Update {
  Span target{};
  std::string function, value;
};

/// s[i]++, ++s[i], s[i] += x, s[i] -= x, s[i] |= x, s[i] = s[i] + x, *p += x and s[i] = max(s[i], x).
std::optional<Update> update_of(const MutantList& list, const Statement& statement) {
  const auto& tokens = list.tokens();
  const Span span = statement.span;
  if (span.end - span.begin < 2) return std::nullopt;
  // An element of an array, what a pointer points to, or a variable that the block shares.
  const auto is_element = [&](Span target) {
    if (target.begin >= target.end) return false;
    const Variable* variable = list.variable(statement.function, tokens[target.begin].text);
    const bool shared = target.end - target.begin == 1 && variable != nullptr && variable->shared;
    return tokens[target.end - 1].is("]") || tokens[target.begin].is("*") || shared;
  };
  if (one_of(tokens[span.end - 1], {"++", "--"})) {
    const Span target{span.begin, span.end - 1};
    if (!is_element(target)) return std::nullopt;
    return Update{target, tokens[span.end - 1].is("++") ? "atomicAdd" : "atomicSub", "1"};
  }
  if (one_of(tokens[span.begin], {"++", "--"})) {
    const Span target{span.begin + 1, span.end};
    if (!is_element(target)) return std::nullopt;
    return Update{target, tokens[span.begin].is("++") ? "atomicAdd" : "atomicSub", "1"};
  }
  std::size_t at = span.begin;
  for (int depth = 0; at < span.end; ++at) {
    if (one_of(tokens[at], {"(", "["})) ++depth;
    if (one_of(tokens[at], {")", "]"})) --depth;
    if (depth == 0 && one_of(tokens[at], {"=", "+=", "-=", "|=", "&=", "^="})) break;
  }
  const Span target{span.begin, at};
  if (at + 1 >= span.end || !is_element(target)) return std::nullopt;
  const std::string value = list.words({at + 1, span.end}), name = list.words(target);
  if (tokens[at].is("+=")) return Update{target, "atomicAdd", value};
  if (tokens[at].is("-=")) return Update{target, "atomicAdd", fmt::format("-({})", value)};
  if (tokens[at].is("|=")) return Update{target, "atomicOr", value};
  if (tokens[at].is("&=")) return Update{target, "atomicAnd", value};
  if (tokens[at].is("^=")) return Update{target, "atomicXor", value};
  // target = target + x, where `with` stands for the rest.
  const std::size_t length = target.end - target.begin;
  const auto repeats = [&](std::size_t from) {
    if (from + length > span.end) return false;
    for (std::size_t i = 0; i < length; ++i) {
      if (!tokens[from + i].is(tokens[target.begin + i].text)) return false;
    }
    return true;
  };
  const std::size_t rest = at + 1 + length;
  if (repeats(at + 1) && rest + 1 < span.end && tokens[rest].is("+"))
    return Update{target, "atomicAdd", list.words({rest + 1, span.end})};
  if (one_of(tokens[at + 1], {"max", "min"}) && repeats(at + 3) && at + 3 + length < span.end &&
      tokens[at + 3 + length].is(","))
    return Update{target, tokens[at + 1].is("max") ? "atomicMax" : "atomicMin",
                  list.words({at + 4 + length, span.end - 1})};
  return std::nullopt;
}

void atomics(MutantList& list) {
  for (const Statement& statement : list.text().statements) {
    if (statement.kind != StatementKind::plain) continue;
    const auto update = update_of(list, statement);
    if (!update) continue;
    const std::string with =
        fmt::format("{}(&({}), {})", update->function, list.words(update->target), update->value);
    list.add("atomic", list.tokens()[statement.span.begin].line, {list.replace(statement.span, with)},
             fmt::format("`{}` in place of `{}`", with, list.words(statement.span)), update->function);
  }
}

/// A fence in front of each statement: what was written before it is seen by whom it tells.
void fences(MutantList& list) {
  for (const Statement& statement : list.text().statements) {
    const std::size_t first = statement.span.begin;
    const bool behind_a_test =
        first > 0 && (list.tokens()[first - 1].is(")") || list.tokens()[first - 1].is("else"));
    if (statement.kind != StatementKind::plain || behind_a_test) continue;
    list.add("fence", list.tokens()[first].line, {list.insert_before(first, "__threadfence(); ")},
             fmt::format("`__threadfence()` before `{}`", list.words(statement.span)));
  }
}

}  // namespace

MutantMaker race_mutants(const std::string& kind) {
  if (kind == "atomic") return atomics;
  if (kind == "fence") return fences;
  return {};
}

}  // namespace evo::diagnose
