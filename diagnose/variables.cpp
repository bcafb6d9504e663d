#include "diagnose/variables.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace evo::diagnose {
namespace {

bool any_of(std::string_view text, std::initializer_list<std::string_view> wanted) {
  return std::find(wanted.begin(), wanted.end(), text) != wanted.end();
}

bool is_qualifier(const Token& token) {
  return any_of(token.text, {"const", "constexpr", "static", "__shared__", "extern", "volatile", "register",
                             "__restrict__", "inline", "struct"});
}

bool is_statement_word(const Token& token) {
  return any_of(token.text,
                {"return", "else", "break", "continue", "goto", "using", "typedef", "delete", "case"});
}

std::string plain_type(const std::string& type) {
  if (type == "__half") return "half";
  return type;
}

/// A declaration that begins at `at`; true if there is one. `at` moves behind the type.
struct Declared {
  std::string type;
  bool shared = false;
};
std::optional<Declared> type_at(const std::vector<Token>& tokens, std::size_t& at, std::size_t end) {
  Declared declared;
  for (; at < end; ++at) {
    if (tokens[at].is("__align__") && at + 1 < end) {
      at = closing(tokens, at + 1);
    } else if (!is_qualifier(tokens[at])) {
      break;
    } else if (tokens[at].is("__shared__")) {
      declared.shared = true;
    }
  }
  if (at >= end || tokens[at].kind != TokenKind::name || is_statement_word(tokens[at])) return std::nullopt;
  while (at < end) {
    const Token& token = tokens[at];
    if (is_qualifier(token)) {
      ++at;
      continue;
    }
    const bool numeric = any_of(token.text, {"unsigned", "signed", "long", "short", "int", "char", "double"});
    if (token.kind == TokenKind::name &&
        (declared.type.empty() || numeric || declared.type.ends_with("::"))) {
      if (!declared.type.empty() && !declared.type.ends_with("::")) declared.type += ' ';
      declared.type += token.text;
      ++at;
    } else if (token.is("::")) {
      declared.type += "::";
      ++at;
    } else if (token.is("<") && !declared.type.empty()) {
      while (at < end && !tokens[at].is(">")) ++at;
      ++at;
    } else {
      break;
    }
  }
  declared.type = plain_type(declared.type);
  if (declared.type.empty()) return std::nullopt;
  return declared;
}

/// Declarators from `at`: "* a = 1, b[2]". Adds the variables.
void declarators(const SourceText& source, const Declared& declared, std::size_t at, std::size_t end,
                 std::size_t function, std::size_t statement, std::vector<Variable>& found) {
  const auto& tokens = source.tokens;
  while (at < end) {
    Variable variable;
    variable.type = declared.type;
    variable.shared = declared.shared;
    variable.function = function;
    variable.statement = statement;
    while (at < end &&
           (tokens[at].is("*") || tokens[at].is("&") || tokens[at].is("&&") || is_qualifier(tokens[at]))) {
      if (tokens[at].is("*")) variable.type += " *";
      ++at;
    }
    bool by_parentheses = false;
    if (at + 1 < end && tokens[at].is("(") && tokens[at + 1].is("&")) {  // a reference to an array
      at += 2;
      by_parentheses = true;
    }
    if (at >= end || tokens[at].kind != TokenKind::name) return;
    const std::size_t next = at + 1;
    const bool ends = next >= end || (by_parentheses && tokens[next].is(")")) ||
                      any_of(tokens[next].text, {"=", ",", "[", "{", ":", ";", ")"});
    if (!ends) return;
    variable.name = tokens[at].text;
    variable.token = at;
    variable.array = by_parentheses || (next < end && tokens[next].is("["));
    at = next;
    int depth = 0;
    for (; at < end; ++at) {
      if (any_of(tokens[at].text, {"(", "[", "{"})) ++depth;
      if (any_of(tokens[at].text, {")", "]", "}"})) --depth;
      if (depth == 0 && tokens[at].is("=")) variable.initialised = true;
      if (tokens[at].is("{")) variable.initialised = true;
      if (depth <= 0 && (tokens[at].is(",") || tokens[at].is(";") || tokens[at].is(":"))) break;
    }
    found.push_back(variable);
    if (at >= end || !tokens[at].is(",")) return;
    ++at;
  }
}

}  // namespace

std::vector<Span> arguments_of(const std::vector<Token>& tokens, std::size_t open) {
  std::vector<Span> arguments;
  const std::size_t close = closing(tokens, open);
  std::size_t start = open + 1;
  int depth = 0;
  for (std::size_t i = open + 1; i <= close && i < tokens.size(); ++i) {
    if (any_of(tokens[i].text, {"(", "[", "{"})) ++depth;
    if (i == close || (depth == 0 && tokens[i].is(","))) {
      if (i > start) arguments.push_back({start, i});
      start = i + 1;
    }
    if (any_of(tokens[i].text, {")", "]", "}"})) --depth;
  }
  return arguments;
}

std::vector<Variable> variables_of(const SourceText& source) {
  std::vector<Variable> found;
  const auto& tokens = source.tokens;
  for (std::size_t f = 0; f < source.functions.size(); ++f) {
    const Span head = source.functions[f].head;
    if (head.begin == head.end) continue;
    for (const Span& parameter : arguments_of(tokens, head.begin - 1)) {
      std::size_t at = parameter.begin;
      if (const auto type = type_at(tokens, at, parameter.end))
        declarators(source, *type, at, parameter.end, f, std::string::npos, found);
    }
  }
  for (std::size_t s = 0; s < source.statements.size(); ++s) {
    const Statement& statement = source.statements[s];
    std::size_t at = statement.span.begin;
    if (statement.kind == StatementKind::header) at += 2;
    const std::size_t end = statement.span.end;
    if (const auto type = type_at(tokens, at, end))
      declarators(source, *type, at, end, statement.function, s, found);
  }
  return found;
}

bool is_integer_type(const SourceText& source, const std::string& type) {
  if (type == "bool" || type.find('*') != std::string::npos) return false;
  for (const std::string_view word : {"int", "unsigned", "long", "short", "size_t", "ptrdiff_t", "auto"}) {
    if (type == word || type.starts_with(std::string(word) + " ") || type.ends_with(" " + std::string(word)))
      return true;
  }
  if (type.ends_with("_t") && type.find("int") != std::string::npos) return true;
  const auto& tokens = source.tokens;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].is(type) && i + 1 < tokens.size() && tokens[i + 1].is(";") && i >= 2 &&
        any_of(tokens[i - 1].text, {"int", "unsigned", "long", "uint32_t"}))
      return true;
    if (tokens[i].is(type) && i + 2 < tokens.size() && tokens[i - 1].is("using") && tokens[i + 1].is("="))
      return is_integer_type(source, tokens[i + 2].text);
  }
  return false;
}

Flow flow_of(const SourceText& source, const Statement& statement) {
  Flow flow;
  const auto& tokens = source.tokens;
  const auto base_before = [&](std::size_t at) {
    // Back over subscripts and members to the name that they belong to.
    std::size_t i = at;
    std::string name;
    while (i > statement.span.begin) {
      const Token& token = tokens[i - 1];
      if (token.is("]")) {
        int depth = 0;
        do {
          --i;
          if (tokens[i].is("]")) ++depth;
          if (tokens[i].is("[")) --depth;
        } while (depth > 0 && i > statement.span.begin);
      } else if (token.kind == TokenKind::name) {
        name = token.text;
        --i;
        const bool member = i > statement.span.begin && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
        if (!member) break;
        --i;
      } else {
        break;
      }
    }
    return name;
  };
  std::set<std::size_t> targets;
  for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
    const Token& token = tokens[i];
    const bool plain = token.is("=");
    const bool compound = any_of(token.text, {"+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="});
    if (plain || compound) {
      const std::string name = base_before(i);
      if (!name.empty()) flow.assigned.insert(name);
      if (compound) {
        flow.compound = true;
        flow.read.insert(name);
      }
      for (std::size_t j = i; plain && j > statement.span.begin; --j) {
        if (tokens[j - 1].is(name)) {
          targets.insert(j - 1);
          break;
        }
      }
    } else if (any_of(token.text, {"++", "--"})) {
      const std::string name = i + 1 < statement.span.end && tokens[i + 1].kind == TokenKind::name
                                   ? tokens[i + 1].text
                                   : base_before(i);
      if (!name.empty()) flow.assigned.insert(name);
    }
  }
  for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
    const bool member = i > statement.span.begin && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
    if (tokens[i].kind == TokenKind::name && !member && !targets.contains(i))
      flow.read.insert(tokens[i].text);
  }
  return flow;
}

}  // namespace evo::diagnose
