#include "intake/pieces.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "intake/namespace_macros.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;

/// Macros of the text that take arguments and stand for whole declarations: their bodies have a semicolon or
/// a brace.
std::set<std::string> declaring_macros(const std::string& source) {
  std::set<std::string> names;
  std::string macro;
  const std::vector<Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].directive || (tokens[i].is("#") && tokens[i].first)) macro.clear();
    if (!tokens[i].directive) continue;
    const bool takes = i + 2 < tokens.size() && tokens[i + 2].is("(");
    if (tokens[i].is("define") && takes) macro = tokens[i + 1].text;
    if (!macro.empty() && (tokens[i].is(";") || tokens[i].is("{"))) names.insert(macro);
  }
  return names;
}

/// INSTANTIATE(float) without a semicolon: its last token. What follows is another declaration.
std::size_t end_of_call(const std::vector<Token>& tokens, std::size_t at,
                        const std::set<std::string>& macros) {
  if (at + 1 >= tokens.size() || !tokens[at + 1].is("(") || !macros.contains(tokens[at].text)) return at;
  const std::size_t close = diagnose::closing(tokens, at + 1);
  if (close >= tokens.size()) return at;
  // The last one of a namespace has its brace behind it.
  const bool ends = close + 1 == tokens.size() ||
                    (tokens[close + 1].line > tokens[close].line &&
                     (tokens[close + 1].kind == TokenKind::name || tokens[close + 1].is("}")));
  return ends ? close : at;
}

/// The name in front of the first bracket that is no attribute's.
std::string function_name(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i + 1 < end; ++i) {
    const bool attribute = tokens[i].text.starts_with("__launch_bounds__") || tokens[i].is("__attribute__") ||
                           tokens[i].is("alignas") || tokens[i].is("__align__");
    if (tokens[i].kind == TokenKind::name && tokens[i + 1].is("(") && !attribute) return tokens[i].text;
  }
  return {};
}

/// Offsets of the lines of #if, #else, #endif and their like between the two, where a condition of them
/// begins or ends outside: what another piece stands behind, too.
std::vector<std::pair<std::size_t, std::size_t>> shared_conditions(const std::string& text, std::size_t begin,
                                                                   std::size_t end) {
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  int depth = 0;
  bool shared = false;
  for (std::size_t at = begin; at < end;) {
    const std::size_t close = std::min(text.find('\n', at), end);
    std::size_t word = text.find_first_not_of(" \t", at);
    if (word < close && text[word] == '#') {
      word = text.find_first_not_of(" \t", word + 1);
      const auto is = [&](std::string_view directive) {
        return word < close && std::string_view(text).substr(word).starts_with(directive);
      };
      const bool opens = is("if"), closes = is("endif"), turns = is("el");
      if (opens || closes || turns) lines.emplace_back(at, close);
      shared = shared || (depth == 0 && (closes || turns));
      depth += opens ? 1 : closes ? -1 : 0;
    }
    at = close + 1;
  }
  if (!shared && depth == 0) lines.clear();
  return lines;
}

}  // namespace

std::set<std::string> device_marks(const std::string& source) {
  std::set<std::string> names;
  std::string macro;  // whose definition it is
  const std::vector<Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].directive || tokens[i].is("#")) macro.clear();
    if (!tokens[i].directive) continue;
    if (tokens[i].is("define") && i + 1 < tokens.size()) macro = tokens[i + 1].text;
    const bool marks = tokens[i].is("__device__") || tokens[i].is("__global__");
    if (marks && !macro.empty()) names.insert(macro);
  }
  return names;
}

std::size_t begin_of_line(const std::string& source, int line) {
  std::size_t at = 0;
  for (int passed = 1; passed < line; ++passed) {
    at = source.find('\n', at);
    if (at == std::string::npos) return source.size() + 1;
    ++at;
  }
  return at;
}

int line_at(const std::string& source, std::size_t offset) {
  return 1 + static_cast<int>(
                 std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

std::vector<Token> code_of(const std::string& source) {
  std::vector<Token> tokens = diagnose::tokens_of(source);
  std::erase_if(tokens, [](const Token& t) { return t.directive; });
  return tokens;
}

void blank_piece(std::string& source, std::size_t begin, std::size_t end) {
  const auto kept = shared_conditions(source, begin, end);
  for (std::size_t i = begin; i < end; ++i) {
    const bool stays =
        std::ranges::any_of(kept, [&](const auto& line) { return i >= line.first && i < line.second; });
    if (source[i] != '\n' && !stays) source[i] = ' ';
  }
}

std::size_t behind_template(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::size_t at = begin;
  while (at + 1 < end && tokens[at].is("template") && tokens[at + 1].is("<")) {
    int depth = 0;
    for (++at; at < end; ++at) {
      if (tokens[at].is("<")) ++depth;
      if (tokens[at].is(">")) --depth;
      if (tokens[at].is(">>")) depth -= 2;
      if (depth <= 0) break;
    }
    ++at;
  }
  return at;
}

std::set<std::string> names_of_braces(const std::string& source) {
  std::set<std::string> names;
  for (const auto& [name, body] : brace_macros(source)) names.insert(name);
  return names;
}

std::vector<Piece> pieces_of(const std::string& source, const std::set<std::string>& braces) {
  const std::vector<Token> tokens = code_of(source);
  const std::set<std::string> marks = device_marks(source), macros = declaring_macros(source),
                              own_braces = names_of_braces(source);
  const auto is_brace = [&](std::size_t i) {
    const Token& token = tokens[i];
    const bool qualifies = i + 1 < tokens.size() && (tokens[i + 1].is("::") || tokens[i + 1].is(":"));
    return token.kind == TokenKind::name && !qualifies &&
           (braces.contains(token.text) || own_braces.contains(token.text) || names_a_namespace(token.text));
  };
  std::vector<Piece> pieces;
  std::size_t start = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (start == i && is_brace(i)) {
      // NAMESPACE_BEGIN(library)
      if (i + 1 < tokens.size() && tokens[i + 1].is("(")) i = diagnose::closing(tokens, i + 1);
      start = i + 1;
      continue;
    }
    if (const std::size_t last = start == i ? end_of_call(tokens, i, macros) : i; last > i) {
      Piece call;
      call.begin = tokens[i].begin;
      call.end = tokens[last].end();
      pieces.push_back(call);
      i = last;
      start = last + 1;
      continue;
    }
    const bool linkage = tokens[i].is("{") && i > 0 && tokens[i - 1].is("\"C\"");
    bool space = linkage;
    for (std::size_t k = start; k < i && tokens[i].is("{"); ++k) space = space || tokens[k].is("namespace");
    if (space || (tokens[i].is("}") && start == i)) {
      start = i + 1;  // what stands in it is at namespace level too
      continue;
    }
    if (tokens[i].is("(") || tokens[i].is("[")) {
      i = diagnose::closing(tokens, i);
      continue;
    }
    if (!tokens[i].is("{") && !tokens[i].is(";")) continue;
    Piece piece;
    // Behind template <...>, the first word says what it is.
    const std::size_t first = behind_template(tokens, start, i);
    int depth = 0;
    for (std::size_t k = first; k < i; ++k) {
      const std::string& text = tokens[k].text;
      piece.device = piece.device || text == "__global__" || text == "__device__" || text == "constexpr" ||
                     text == "__constant__" || marks.contains(text);
      piece.type = piece.type || (k == first && (text == "struct" || text == "class" || text == "union" ||
                                                 text == "enum" || text == "typedef" || text == "using"));
      if (text == "(") ++depth;
      if (text == ")") --depth;
      // Not a default argument's, nor operator=.
      piece.assigned =
          piece.assigned || (text == "=" && depth == 0 && !tokens[k - (k > first ? 1 : 0)].is("operator"));
    }
    std::size_t last = i;
    if (tokens[i].is("{")) {
      last = std::min(diagnose::closing(tokens, i), tokens.size() - 1);
      if (!piece.assigned) piece.function = function_name(tokens, start, i);
      // struct { } name; and arrays
      if (piece.function.empty() && (piece.type || piece.assigned)) {
        while (last + 1 < tokens.size() && !tokens[last].is(";")) ++last;
      } else if (piece.function.empty() && last + 1 < tokens.size() && tokens[last + 1].is(";")) {
        ++last;
      }
    }
    if (start < tokens.size()) {
      piece.begin = tokens[start].begin;
      piece.end = tokens[last].end();
      pieces.push_back(piece);
    }
    i = last;
    start = last + 1;
  }
  return pieces;
}

}  // namespace evo::intake
