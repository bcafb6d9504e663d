#include "evaluators/gates/module_names.hpp"

#include <algorithm>
#include <charconv>
#include <span>

namespace evo::evaluators::gates {
namespace {

using code::Token;

constexpr std::uint64_t most_of_a_range = 1U << 16;

bool is_space(std::string_view word) {
  for (const std::string_view space :
       {".global", ".const", ".shared", ".shared::cta", ".local", ".param", ".reg", ".sreg", ".tex"}) {
    if (word == space) return true;
  }
  return false;
}

/// "%r12" is number 12 of "%r".
bool split(std::string_view name, std::string_view& prefix, std::uint64_t& number) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == name.size()) return false;
  prefix = name.substr(0, last + 1);
  const std::string_view digits = name.substr(last + 1);
  if (digits.size() > 1 && digits.front() == '0') return false;
  return std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc{};
}

/// Names of the formal parameters in `(.param .b64 a, .param .b8 b[16])`.
std::vector<std::string_view> formals(std::span<const Token> tokens) {
  std::vector<std::string_view> names;
  bool bracket = false, fresh = true;
  for (const Token& token : tokens) {
    if (token.is('[')) bracket = true;
    if (token.is(']')) bracket = false;
    if (token.is(',')) fresh = true;
    if (bracket || !fresh || token.kind != Token::Kind::identifier) continue;
    names.push_back(token.text);
    fresh = false;
  }
  return names;
}

/// The tokens between the bracket at `open` and its other end, whose place is put into `open`.
std::span<const Token> inside(std::span<const Token> tokens, std::size_t& open) {
  int depth = 0;
  const std::size_t first = open + 1;
  for (; open < tokens.size(); ++open) {
    if (tokens[open].is('(')) ++depth;
    if (tokens[open].is(')') && --depth == 0) break;
  }
  return tokens.subspan(first, open - first);
}

}  // namespace

ModuleNames::ModuleNames(const PtxModule& module) : module_(module) {
  std::optional<std::size_t> current;
  for (const Statement& statement : module.statements()) {
    if (statement.scope == 0) current.reset();
    const std::string_view text = statement.text;
    if (current && statement.scope != 0) declare_formals(functions_[*current], statement.scope);
    if (text.starts_with(".alias")) {
      const auto words = words_of(text);
      if (words.size() == 3) aliases_[words[1]] = words[2];
    } else if (text.starts_with('.')) {
      const std::size_t before = functions_.size();
      declaration(statement);
      if (functions_.size() > before && statement.end == '{') current = before;
    }
  }
  for (const auto& [variable, words] : initialisers_) {
    for (const std::string_view word : words) {
      if (const auto found = this->variable(word)) variables_[variable].holds.insert(*found);
    }
  }
}

/// In the body's own braces: a name of one function means nothing in another.
void ModuleNames::declare_formals(ModuleFunction& function, int scope) {
  if (function.scope != 0) return;
  while (module_.scope_around(scope) != 0) scope = module_.scope_around(scope);
  function.scope = scope;
  for (const auto* names : {&function.results, &function.parameters}) {
    for (const std::string_view name : *names) names_.emplace(std::pair(scope, name), ".param");
  }
}

void ModuleNames::declaration(const Statement& statement) {
  const auto tokens = statement.tokens;
  std::size_t at = 0;
  std::string_view space;
  bool managed = false;
  while (at < tokens.size() && tokens[at].kind == Token::Kind::dot_word) {
    if (tokens[at].text == ".entry" || tokens[at].text == ".func") return function(statement);
    if (space.empty() && is_space(tokens[at].text)) space = tokens[at].text;
    ++at;
    if (at < tokens.size() && tokens[at].kind == Token::Kind::integer) ++at;  // .align 8
    if (at < tokens.size() && tokens[at].is('(')) {                           // .attribute(.managed)
      for (const Token& token : inside(tokens, at)) managed = managed || token.text == ".managed";
      ++at;
    }
  }
  if (space.empty()) return;
  const bool outlives = space == ".global" || space == ".const";
  while (at < tokens.size()) {
    if (tokens[at].kind != Token::Kind::identifier) {
      unreadable_.emplace_back(&statement, "a declaration without a name");
      return;
    }
    const std::string_view name = tokens[at++].text;
    std::optional<std::uint64_t> count;
    if (at + 2 < tokens.size() && tokens[at].is('<') && tokens[at + 1].kind == Token::Kind::integer) {
      count = tokens[at + 1].value;
      at += 3;
    }
    declare(name, count, statement, space);
    const bool known = outlives && !count;
    if (managed && count) unreadable_.emplace_back(&statement, "managed variables in a row");
    if (known && managed) variables_[index_.find(name)->second].managed = true;
    std::vector<std::string_view> words;
    int depth = 0;
    bool initialised = false;
    for (; at < tokens.size() && (depth > 0 || !tokens[at].is(',')); ++at) {
      if (tokens[at].is('{') || tokens[at].is('(') || tokens[at].is('[')) ++depth;
      if (tokens[at].is('}') || tokens[at].is(')') || tokens[at].is(']')) --depth;
      if (tokens[at].kind == Token::Kind::identifier) words.push_back(tokens[at].text);
      initialised = initialised || tokens[at].is('=');
    }
    if (known && initialised) variables_[index_.find(name)->second].initialised = true;
    if (known && !words.empty()) initialisers_.emplace_back(index_.find(name)->second, std::move(words));
    ++at;
  }
}

void ModuleNames::declare(std::string_view name, std::optional<std::uint64_t> count, const Statement& at,
                          std::string_view space) {
  const bool outlives = space == ".global" || space == ".const";
  if (count) {
    auto& known = ranges_[{at.scope, name}];
    known = std::max(known, *count);
  } else {
    names_.emplace(std::pair(at.scope, name), space);
  }
  if (!outlives) return;
  const auto add = [&](std::string one) {
    if (index_.try_emplace(one, variables_.size()).second)
      variables_.push_back({std::move(one), {}, space == ".const", false});
  };
  if (!count) return add(std::string(name));
  if (*count > most_of_a_range) unreadable_.emplace_back(&at, "too many variables of one name");
  for (std::uint64_t i = 0; i < std::min(*count, most_of_a_range); ++i)
    add(std::string(name) + std::to_string(i));
}

void ModuleNames::function(const Statement& statement) {
  const auto tokens = statement.tokens;
  ModuleFunction made;
  made.head = &statement;
  made.defined = statement.end == '{';
  std::size_t at = 0;
  while (at < tokens.size() && !(tokens[at].text == ".entry" || tokens[at].text == ".func")) ++at;
  made.entry = at < tokens.size() && tokens[at].text == ".entry";
  for (++at; at < tokens.size() && tokens[at].kind == Token::Kind::dot_word; ++at) {
    const bool attribute = tokens[at].text == ".attribute";
    if (attribute && at + 1 < tokens.size() && tokens[at + 1].is('(')) inside(tokens, ++at);
  }
  if (at < tokens.size() && tokens[at].is('(')) {
    made.results = formals(inside(tokens, at));
    ++at;
  }
  if (at >= tokens.size() || tokens[at].kind != Token::Kind::identifier) {
    unreadable_.emplace_back(&statement, "a function without a name");
    return;
  }
  made.name = tokens[at++].text;
  if (at < tokens.size() && tokens[at].is('(')) made.parameters = formals(inside(tokens, at));
  functions_.push_back(std::move(made));
}

std::optional<std::size_t> ModuleNames::variable(std::string_view name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::size_t> ModuleNames::functions_named(std::string_view name) const {
  for (int hops = 0; hops < 8; ++hops) {
    const auto alias = aliases_.find(name);
    if (alias == aliases_.end()) break;
    name = alias->second;
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].name == name) found.push_back(i);
  }
  return found;
}

bool ModuleNames::declares(int scope, std::string_view name) const {
  if (names_.contains({scope, name})) return true;
  std::string_view prefix;
  std::uint64_t number = 0;
  if (!split(name, prefix, number)) return false;
  const auto range = ranges_.find({scope, prefix});
  return range != ranges_.end() && number < range->second;
}

int ModuleNames::scope_of(std::string_view name, int scope) const {
  while (scope != 0 && !declares(scope, name)) scope = module_.scope_around(scope);
  return scope;
}

std::string_view ModuleNames::space_of(std::string_view name, int scope) const {
  const auto found = names_.find({scope_of(name, scope), name});
  return found == names_.end() ? std::string_view() : found->second;
}

bool ModuleNames::declared(std::string_view name, int scope) const {
  return declares(scope_of(name, scope), name);
}

}  // namespace evo::evaluators::gates
