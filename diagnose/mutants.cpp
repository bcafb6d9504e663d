#include "diagnose/mutants.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "diagnose/mutant_parts.hpp"

namespace evo::diagnose {

void MutantList::add(const std::string& kind, int line, const std::vector<Change>& changes,
                     const std::string& what, const std::string& with) {
  std::string source;
  std::size_t at = 0;
  for (const Change& change : changes) {
    source += source_.substr(at, change.begin - at) + change.with;
    at = change.end;
  }
  source += source_.substr(at);
  if (source == source_ || !seen_.insert(source).second) return;
  mutants_.push_back({kind, line, std::move(source), what, with});
}

void MutantList::swap_token(const std::string& kind, std::size_t token, const std::string& with) {
  const Token& old = tokens()[token];
  add(kind, old.line, {replace({token, token + 1}, with)},
      fmt::format("`{}` in place of `{}`", with, old.text), with);
}

const Variable* MutantList::variable(std::size_t function, const std::string& name) const {
  for (const Variable& variable : variables_) {
    if (variable.function == function && variable.name == name) return &variable;
  }
  return nullptr;
}

std::string MutantList::words(Span span) const {
  if (span.begin >= span.end) return {};
  const std::size_t begin = tokens()[span.begin].begin, end = tokens()[span.end - 1].end();
  return source_.substr(begin, end - begin);
}

MutantList::Change MutantList::replace(Span span, const std::string& with) const {
  return {tokens()[span.begin].begin, tokens()[span.end - 1].end(), with};
}
MutantList::Change MutantList::insert_before(std::size_t token, const std::string& what) const {
  return {tokens()[token].begin, tokens()[token].begin, what};
}
MutantList::Change MutantList::insert_after(std::size_t token, const std::string& what) const {
  return {tokens()[token].end(), tokens()[token].end(), what};
}

std::size_t operand_begin(const std::vector<Token>& tokens, std::size_t last, std::size_t from) {
  std::size_t i = last;
  while (i > from) {
    if (tokens[i].is(")") || tokens[i].is("]")) {
      const std::string open = tokens[i].is(")") ? "(" : "[", close = tokens[i].text;
      int depth = 0;
      while (i > from) {
        if (tokens[i].is(close)) ++depth;
        if (tokens[i].is(open) && --depth == 0) break;
        --i;
      }
      if (i == from) return i;
      const Token& before = tokens[i - 1];
      const bool belongs = before.kind == TokenKind::name || before.is("]") || before.is(")");
      if (!belongs || before.is("return") || before.is("if")) return i;
      --i;
    } else if (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::")) {
      i -= std::min<std::size_t>(2, i - from);
    } else {
      return i;
    }
  }
  return i;
}

std::size_t operand_end(const std::vector<Token>& tokens, std::size_t first, std::size_t until) {
  std::size_t i = first;
  if (i < until && (tokens[i].is("-") || tokens[i].is("!") || tokens[i].is("*"))) ++i;
  if (i < until && tokens[i].is("(")) {
    i = closing(tokens, i) + 1;
    // A cast goes with what it casts.
    if (i < until && (tokens[i].kind != TokenKind::symbol) && i - first <= 4)
      return operand_end(tokens, i, until);
  } else {
    ++i;
  }
  while (i < until) {
    if (tokens[i].is("(") || tokens[i].is("[")) {
      i = closing(tokens, i) + 1;
    } else if (tokens[i].is(".") || tokens[i].is("->") || tokens[i].is("::")) {
      i += 2;
    } else if (tokens[i].is("<") && tokens[first].text.ends_with("_cast")) {
      while (i < until && !tokens[i].is(">")) ++i;
      ++i;
    } else {
      break;
    }
  }
  return std::min(i, until);
}

std::vector<Mutant> mutants_of(const std::string& source, const KernelNames& names,
                               const std::vector<std::string>& kinds) {
  const SourceText text = read_source(source);
  MutantList list(source, text, names);
  for (const std::string& kind : kinds) {
    for (const auto& maker : {control_mutants(kind), number_mutants(kind), operand_mutants(kind),
                              index_mutants(kind), type_mutants(kind), race_mutants(kind)}) {
      if (maker) maker(list);
    }
  }
  return list.take();
}

}  // namespace evo::diagnose
