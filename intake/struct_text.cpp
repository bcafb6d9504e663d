#include "intake/struct_text.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "diagnose/tokens.hpp"
#include "intake/pieces.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;
using Tokens = std::vector<Token>;

/// "ns::Accessor<float, 2>": "Accessor".
std::string plain_name(const std::string& type) {
  std::string name;
  int depth = 0;
  for (const char c : type) {
    if (c == '<') ++depth;
    if (depth == 0 && c != ' ') name += c;
    if (c == '>') --depth;
    if (depth == 0 && name.ends_with("::")) name.clear();
  }
  return name;
}

bool opens_type(const Token& token) {
  return token.is("struct") || token.is("class") || token.is("union");
}

/// Behind a list in angle brackets that opens at `at`.
std::size_t behind_angles(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i].is("<")) ++depth;
    if (tokens[i].is(">")) --depth;
    if (tokens[i].is(">>")) depth -= 2;
    if (depth <= 0) return i + 1;
    if (tokens[i].is("(") || tokens[i].is("{")) i = diagnose::closing(tokens, i);
  }
  return tokens.size();
}

/// Where attributes end that stand at `at`: __align__(16), alignas(16), [[...]].
std::size_t behind_attributes(const Tokens& tokens, std::size_t at, std::size_t end) {
  while (at < end) {
    const bool called = at + 1 < end && tokens[at + 1].is("(");
    if (called && (tokens[at].is("__align__") || tokens[at].is("alignas") || tokens[at].is("__attribute__") ||
                   tokens[at].is("__builtin_align__"))) {
      at = diagnose::closing(tokens, at + 1) + 1;
    } else if (tokens[at].is("[")) {
      at = diagnose::closing(tokens, at) + 1;
    } else {
      break;
    }
  }
  return at;
}

/// A type with a body: its names, its bases, the brace that opens.
struct Body {
  std::vector<std::string> bases;
  std::size_t open = 0;
};

std::optional<Body> body_of(const Tokens& tokens, const std::string& name) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!opens_type(tokens[i])) continue;
    std::size_t at = behind_attributes(tokens, i + 1, tokens.size());
    bool named = false;
    if (at < tokens.size() && tokens[at].kind == TokenKind::name) named = tokens[at++].is(name);
    if (at < tokens.size() && tokens[at].is("<")) at = behind_angles(tokens, at);
    if (at < tokens.size() && tokens[at].is("final")) ++at;
    Body body;
    if (at < tokens.size() && tokens[at].is(":")) {
      for (++at; at < tokens.size() && !tokens[at].is("{") && !tokens[at].is(";"); ++at) {
        if (tokens[at].is("<")) at = behind_angles(tokens, at) - 1;
        const bool word = at < tokens.size() && tokens[at].kind == TokenKind::name;
        if (word && !tokens[at].is("public") && !tokens[at].is("private") && !tokens[at].is("virtual"))
          body.bases.push_back(tokens[at].text);
      }
    }
    if (at >= tokens.size() || !tokens[at].is("{")) continue;
    body.open = at;
    // typedef struct Tag { ... } Name;
    const std::size_t close = diagnose::closing(tokens, at);
    const bool defined = i > 0 && tokens[i - 1].is("typedef");
    if (defined && close + 1 < tokens.size()) named = named || tokens[close + 1].is(name);
    if (named) return body;
  }
  return std::nullopt;
}

class MemberReader {
 public:
  explicit MemberReader(const Tokens& tokens) : tokens_(tokens) {}

  void read(std::size_t open, std::vector<std::string>& names) {
    const std::size_t close = diagnose::closing(tokens_, open);
    std::size_t begin = open + 1;
    for (std::size_t i = begin; i < close;) {
      const Token& token = tokens_[i];
      const bool access = token.is("public") || token.is("private") || token.is("protected");
      if (access && i + 1 < close && tokens_[i + 1].is(":")) {
        begin = i += 2;
      } else if (i == begin && token.is("template") && i + 1 < close && tokens_[i + 1].is("<")) {
        skip_ = true;
        i = behind_angles(tokens_, i + 1);
      } else if (i == begin && (opens_type(token) || token.is("enum"))) {
        i = nested(i, close, names);
        if (i < close && tokens_[i].is(";")) ++i;
        begin = i;
      } else if (token.is(";")) {
        declaration(begin, i, names);
        begin = ++i;
      } else if (token.is("{")) {
        const bool function = has(begin, i, "(");
        i = diagnose::closing(tokens_, i) + 1;
        if (function) {
          if (i < close && tokens_[i].is(";")) ++i;
          begin = i;
          skip_ = false;
        }
      } else if (token.is("(") || token.is("[")) {
        i = diagnose::closing(tokens_, i) + 1;
      } else {
        ++i;
      }
    }
  }

 private:
  [[nodiscard]] bool has(std::size_t begin, std::size_t end, std::string_view word) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens_[i].is(word)) return true;
    }
    return false;
  }

  /// A type within the type; what follows it, if it declares something, is a declaration like others.
  std::size_t nested(std::size_t at, std::size_t end, std::vector<std::string>& names) {
    std::size_t open = at;
    while (open < end && !tokens_[open].is("{") && !tokens_[open].is(";")) ++open;
    if (open >= end || tokens_[open].is(";")) {  // struct Pair a;
      const bool members = open > at + 2;
      if (members) declaration(at + 1, open, names);
      return open;
    }
    const bool anonymous = open == at + 1;
    const std::size_t close = diagnose::closing(tokens_, open);
    if (close + 1 < end && !tokens_[close + 1].is(";")) {
      std::size_t last = close + 1;
      while (last < end && !tokens_[last].is(";")) ++last;
      declaration(close, last, names);
      return last;
    }
    if (anonymous && !tokens_[at].is("enum")) {
      std::vector<std::string> inner;
      MemberReader(tokens_).read(open, inner);
      if (tokens_[at].is("union") && inner.size() > 1) inner.resize(1);
      names.insert(names.end(), inner.begin(), inner.end());
    }
    return close + 1;
  }

  void declaration(std::size_t begin, std::size_t end, std::vector<std::string>& names) {
    const bool skipped = skip_;
    skip_ = false;
    begin = behind_attributes(tokens_, begin, end);
    if (skipped || begin >= end) return;
    for (const char* other : {"using", "typedef", "friend", "static", "operator"}) {
      if (has(begin, end, other)) return;
    }
    std::string name;
    bool value = false;
    for (std::size_t i = begin; i < end; ++i) {
      const Token& token = tokens_[i];
      if (token.is("(") && !value) {
        // In front of the type it was an attribute; else this is a function.
        const std::size_t behind = behind_attributes(tokens_, i > begin ? i - 1 : i, end);
        if (behind <= i) return;
        i = behind - 1;
        continue;
      }
      if (token.is("<") && !value) {
        i = behind_angles(tokens_, i) - 1;
      } else if (token.is("[") || token.is("{") || token.is("(")) {
        i = diagnose::closing(tokens_, i);
      } else if (token.is("=") || token.is(":")) {
        value = true;
      } else if (token.is(",")) {
        if (!name.empty()) names.push_back(name);
        name.clear();
        value = false;
      } else if (token.kind == TokenKind::name && !value) {
        name = token.text;
      }
    }
    if (!name.empty()) names.push_back(name);
  }

  const Tokens& tokens_;
  bool skip_ = false;  ///< what follows is a template
};

void add_members(const std::vector<Tokens>& texts, const std::string& name, std::set<std::string>& seen,
                 std::vector<std::string>& names) {
  if (!seen.insert(name).second) return;
  for (const Tokens& tokens : texts) {
    const auto body = body_of(tokens, name);
    if (!body) continue;
    for (const std::string& base : body->bases) add_members(texts, base, seen, names);
    MemberReader(tokens).read(body->open, names);
    return;
  }
}

}  // namespace

std::vector<std::string> data_members(const std::vector<std::string>& texts, const std::string& type) {
  std::vector<Tokens> all;
  for (const std::string& text : texts) all.push_back(code_of(text));
  std::set<std::string> seen;
  std::vector<std::string> names;
  add_members(all, plain_name(type), seen, names);
  return names;
}

bool declares_struct(const std::vector<std::string>& texts, const std::string& type) {
  return std::ranges::any_of(
      texts, [&](const std::string& text) { return body_of(code_of(text), plain_name(type)).has_value(); });
}

}  // namespace evo::intake
