#include "source/program.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "source/barriers.hpp"
#include "source/conditionals.hpp"
#include "source/statement_reader.hpp"

namespace evo::source {
namespace {

/// Finds the functions between everything else that stands in a file.
class DeclarationReader {
 public:
  explicit DeclarationReader(Program& program) : program_(program), tokens_(program.tokens) {}

  void run() {
    std::size_t at = 0;
    while (at < tokens_.size()) {
      at = declarations(at);
      if (at < tokens_.size()) complain(at++, "a brace that nothing opens");
    }
  }

 private:
  [[nodiscard]] bool is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].is(text);
  }
  void complain(std::size_t at, std::string what) {
    const int line = tokens_.empty() ? 0 : tokens_[std::min(at, tokens_.size() - 1)].line;
    program_.complaints.push_back({line, std::move(what)});
  }
  std::size_t behind(std::size_t open) {
    const std::size_t close = closing(tokens_, open);
    if (close == tokens_.size()) complain(open, "a bracket without an end");
    return std::min(close + 1, tokens_.size());
  }
  /// Behind the > that closes the < at `open`.
  [[nodiscard]] std::size_t behind_angle(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (is(i, "<")) ++depth;
      if (is(i, ">")) --depth;
      if (is(i, ">>")) depth -= 2;
      if (is(i, "(") || is(i, "[") || is(i, "{")) i = closing(tokens_, i);
      if (depth <= 0) return std::min(i + 1, tokens_.size());
    }
    return tokens_.size();
  }

  /// Up to the brace that closes what is around, or the end.
  std::size_t declarations(std::size_t at) {
    while (at < tokens_.size() && !is(at, "}")) at = declaration(at);
    return at;
  }

  std::size_t members(std::size_t open) {
    std::size_t at = declarations(open + 1);
    if (!is(at, "}")) complain(open, "braces without an end");
    return at + 1;
  }

  std::size_t declaration(std::size_t begin) {
    bool holder = false, assigned = false, enumeration = false;
    std::size_t parameters = none, name = none;
    for (std::size_t i = begin; i < tokens_.size();) {
      const Token& token = tokens_[i];
      if (token.is(";")) return i + 1;
      if (token.is("template") && is(i + 1, "<")) {
        i = behind_angle(i + 1);
      } else if (token.is("operator")) {
        // Its sign may be a bracket.
        ++i;
        name = i - 1;
        if (is(i, "(") || is(i, "[")) {
          i = behind(i);
        } else {
          while (i < tokens_.size() && !is(i, "(") && !is(i, ";") && !is(i, "{")) ++i;
        }
        if (is(i, "(")) {
          parameters = i;
          i = behind(i);
        }
      } else if (token.is("namespace") || token.is("class") || token.is("struct") || token.is("union")) {
        if (parameters == none) holder = true;
        ++i;
      } else if (token.is("enum")) {
        enumeration = true;
        i += is(i + 1, "class") || is(i + 1, "struct") ? 2 : 1;
      } else if (token.is("extern") && i + 2 < tokens_.size() && tokens_[i + 1].kind == TokenKind::text &&
                 is(i + 2, "{")) {
        return members(i + 2);
      } else if (token.is("=")) {
        assigned = true;
        ++i;
      } else if (token.is("(")) {
        // The last parentheses behind a name are the parameters; those of attributes are not.
        if (!assigned && i > begin && is_function_name(i - 1) && (parameters == none || !initialises(i))) {
          parameters = i;
          name = i - 1;
        }
        i = behind(i);
      } else if (token.is("[")) {
        i = behind(i);
      } else if (token.is(":") && parameters != none && !assigned && !holder) {
        i = behind_initialisers(i + 1);
        if (is(i, "{")) return function(begin, name, parameters, i);
      } else if (token.is("{")) {
        if (enumeration && parameters == none) {
          i = behind(i);
        } else if (parameters != none && !assigned) {
          return function(begin, name, parameters, i);
        } else if (holder && !assigned) {
          const bool scope = begins_namespace(begin, i);
          i = members(i);
          if (scope) return i;
          holder = false;
        } else {
          i = behind(i);
        }
      } else if (token.is("}")) {
        // A macro's call at the end, without a semicolon.
        return i;
      } else if (token.is(":") && i == begin + 1) {
        return i + 1;  // public:
      } else {
        // A macro's call without a semicolon, before the next declaration.
        if (parameters != none && !assigned && token.first && name == begin && starts_declaration(i))
          return i;
        ++i;
      }
    }
    return tokens_.size();
  }

  [[nodiscard]] bool begins_namespace(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (is(i, "namespace")) return true;
    }
    return false;
  }
  [[nodiscard]] bool is_function_name(std::size_t at) const {
    static constexpr std::array<std::string_view, 9> others{
        "__launch_bounds__", "__cluster_dims__", "__attribute__", "__declspec", "noexcept",
        "alignas",           "__align__",        "decltype",      "__maxnreg__"};
    const Token& token = tokens_[at];
    if (token.is(">")) return true;
    return token.kind == TokenKind::name &&
           std::find(others.begin(), others.end(), token.text) == others.end();
  }
  /// `f(int) (x)`: not seen; parentheses behind parentheses are no parameters.
  [[nodiscard]] bool initialises(std::size_t open) const { return is(open - 1, ")"); }
  [[nodiscard]] bool starts_declaration(std::size_t at) const {
    static constexpr std::array<std::string_view, 8> words{
        "template", "static", "__global__", "__device__", "extern", "namespace", "struct", "typedef"};
    return std::find(words.begin(), words.end(), tokens_[at].text) != words.end() ||
           (tokens_[at].kind == TokenKind::name && !is(at, "const") && !is(at, "noexcept") &&
            !is(at, "override") && !is(at, "final") && !is(at, "requires"));
  }

  /// a(b), c{d}, ... of a constructor.
  std::size_t behind_initialisers(std::size_t at) {
    while (at < tokens_.size()) {
      while (at < tokens_.size() && !is(at, "(") && !is(at, "{") && !is(at, ";")) {
        if (is(at, "<")) {
          at = behind_angle(at);
        } else {
          ++at;
        }
      }
      if (at >= tokens_.size() || is(at, ";")) return at;
      at = behind(at);
      if (is(at, "...")) ++at;
      if (!is(at, ",")) return at;
      ++at;
    }
    return at;
  }

  std::size_t function(std::size_t begin, std::size_t name, std::size_t parameters, std::size_t open) {
    Function function;
    function.begin = begin;
    function.name_token = name;
    function.head = {parameters + 1, std::min(closing(tokens_, parameters), tokens_.size())};
    function.name = tokens_[name].text;
    if (const int before = names_[function.name]++; before > 0) function.name += "~" + std::to_string(before);
    for (std::size_t i = begin; i < parameters; ++i) function.kernel = function.kernel || is(i, "__global__");
    function.body = program_.nodes.size();
    program_.functions.push_back(std::move(function));
    return read_body(program_, program_.functions.size() - 1, open);
  }

  Program& program_;
  const std::vector<Token>& tokens_;
  std::map<std::string, int> names_;
};

/// What each live token has before it, among all tokens of the text.
struct Gaps {
  std::vector<bool> broken;         ///< a directive or dead text
  std::vector<std::size_t> pragma;  ///< offset of the first unroll pragma; none
};

Gaps gaps_of(const std::vector<Token>& all, const std::vector<bool>& live) {
  Gaps gaps;
  bool broken = false;
  std::size_t pragma = none;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (live[i]) {
      gaps.broken.push_back(broken);
      gaps.pragma.push_back(pragma);
      broken = false;
      pragma = none;
    } else if (all[i].directive && all[i].first && i + 2 < all.size() && all[i + 1].is("pragma")) {
      if (pragma == none) pragma = all[i].begin;
      while (i + 1 < all.size() && all[i + 1].directive && !all[i + 1].first) ++i;
    } else {
      broken = true;
      pragma = none;
    }
  }
  return gaps;
}

void mark(Program& program, const Gaps& gaps) {
  for (Node& node : program.nodes) {
    if (node.span.end <= node.span.begin) continue;
    if (node.pragma == none && node.kind == NodeKind::loop) node.pragma = gaps.pragma[node.span.begin];
    for (std::size_t i = node.span.begin + 1; i < node.span.end && node.clean; ++i)
      node.clean = !gaps.broken[i];
  }
}

}  // namespace

std::size_t Program::position(std::size_t node) const {
  const std::size_t parent = nodes[node].parent;
  if (parent == none) return 0;
  const auto& children = nodes[parent].children;
  return static_cast<std::size_t>(std::find(children.begin(), children.end(), node) - children.begin());
}

std::string Program::flat(Span span) const {
  std::string result;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (i > span.begin) {
      const std::size_t gap = tokens[i - 1].end();
      if (tokens[i].begin > gap) result += ' ';
    }
    result += tokens[i].text;
  }
  return result;
}

Program read_program(std::string text) {
  Program program;
  program.text = std::move(text);
  const std::vector<Token> all = tokens_of(program.text);
  const std::vector<bool> live = live_tokens(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (live[i]) program.tokens.push_back(all[i]);
    if (all[i].first && all[i].directive && i + 2 < all.size() && all[i + 1].is("line") &&
        all[i + 2].is("1") && program.first_line == 1)
      program.first_line = all[i].line + 1;
  }
  DeclarationReader(program).run();
  mark(program, gaps_of(all, live));
  program.ordering = ordering_macros(all);
  add_ordering_functions(program);
  return program;
}

}  // namespace evo::source
