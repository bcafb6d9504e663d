#include "intake/reachable.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "intake/macros.hpp"
#include "intake/pieces.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;
using Names = std::set<std::string, std::less<>>;

bool is_any(const Token& token, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return token.is(word); });
}

/// A piece, what it declares and what it names.
struct Part {
  std::string* text = nullptr;  ///< where it stands
  std::size_t begin = 0, end = 0;
  Names declares, names;
  Names head;          ///< of a function with a body: what stands in front of its name
  bool stays = false;  ///< whoever names it
  bool host = false;   ///< a function that no device code can call
  bool kept = false;
};

/// Words of the language that can stand where a name is declared.
bool is_keyword(const std::string& word) {
  static const Names words{"template",
                           "typename",
                           "class",
                           "struct",
                           "union",
                           "enum",
                           "void",
                           "bool",
                           "char",
                           "short",
                           "int",
                           "long",
                           "float",
                           "double",
                           "signed",
                           "unsigned",
                           "const",
                           "constexpr",
                           "volatile",
                           "static",
                           "inline",
                           "extern",
                           "typedef",
                           "using",
                           "return",
                           "if",
                           "for",
                           "while",
                           "public",
                           "private",
                           "protected",
                           "auto",
                           "noexcept",
                           "default",
                           "delete",
                           "decltype",
                           "sizeof",
                           "operator",
                           "friend",
                           "explicit",
                           "__align__",
                           "alignas",
                           "__launch_bounds__",
                           "__attribute__",
                           "__declspec"};
  return words.contains(word);
}

/// Names at the outer level of the piece in front of what can follow a declarator; of an enum all names, of a
/// typedef all outside braces. An explicit instantiation declares nothing.
void read_part(const std::vector<Token>& tokens, bool device, Part& part) {
  const std::size_t first = behind_template(tokens, 0, tokens.size());
  const auto starts_with = [&](std::string_view word) {
    return first < tokens.size() && tokens[first].is(word);
  };
  const bool enumeration = starts_with("enum") || (starts_with("typedef") && first + 1 < tokens.size() &&
                                                   tokens[first + 1].is("enum"));
  const bool alias = starts_with("typedef");
  const bool instantiation = starts_with("template");
  bool operators = false, space = false;
  int depth = 0, braces = 0, angles = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (is_any(token, {"}", ")", "]"})) --depth;
    if (token.is("}")) --braces;
    // Of foo<a, b>( the name is foo.
    const bool opens = token.is("<") && i > first && tokens[i - 1].kind == TokenKind::name && depth <= 0;
    if (opens) ++angles;
    if (angles > 0 && token.is(">")) --angles;
    if (angles > 0 && token.is(">>")) angles = std::max(0, angles - 2);
    if (token.is(";") || token.is("{")) angles = 0;
    if (token.kind == TokenKind::name) {
      part.names.insert(token.text);
      operators = operators || token.is("operator");
      space = space || (starts_with("using") && token.is("namespace"));
      const bool declarator =
          i + 1 == tokens.size() || is_any(tokens[i + 1], {"(", "[", "=", ";", ",", "{", ":", "<"});
      if (i >= first && !instantiation && !is_keyword(token.text) &&
          ((depth <= 0 && angles == 0 && declarator) || enumeration || (alias && braces == 0)))
        part.declares.insert(token.text);
    }
    if (is_any(token, {"{", "(", "["})) ++depth;
    if (token.is("{")) ++braces;
  }
  part.stays = space || (operators && device);
}

/// Of each macro of the text, the names of its body; whether the body pastes.
struct MacroBody {
  Names names;
  bool pastes = false;
};

void read_macros(const std::string& text, std::map<std::string, MacroBody, std::less<>>& macros) {
  MacroBody* body = nullptr;
  const std::vector<Token> tokens = diagnose::tokens_of(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].directive) {
      body = nullptr;
      continue;
    }
    const bool starts = tokens[i].is("#") && tokens[i].first;
    if (starts) body = nullptr;
    if (starts && i + 2 < tokens.size() && tokens[i + 1].is("define")) {
      body = &macros[tokens[i + 2].text];
      i += 2;
      continue;
    }
    if (body == nullptr) continue;
    if (tokens[i].kind == TokenKind::name) body->names.insert(tokens[i].text);
    const bool pair = tokens[i].is("#") && i + 1 < tokens.size() && tokens[i + 1].is("#");
    body->pastes = body->pastes || tokens[i].is("##") || pair;
  }
}

std::vector<Part> parts_of(std::string& text, const std::set<std::string>& braces) {
  std::vector<Part> parts;
  const std::vector<Token> tokens = code_of(text);
  std::size_t at = 0;  // pieces stand in their order
  for (const Piece& piece : pieces_of(text, braces)) {
    Part part;
    part.text = &text;
    part.begin = piece.begin;
    part.end = piece.end;
    std::vector<Token> own;
    while (at < tokens.size() && tokens[at].begin < piece.begin) ++at;
    for (; at < tokens.size() && tokens[at].end() <= piece.end; ++at) own.push_back(tokens[at]);
    read_part(own, piece.device, part);
    part.host = !piece.function.empty() && !piece.device && !piece.type;
    for (std::size_t i = 0; part.host && i < own.size() && !own[i].is("("); ++i) {
      if (own[i].kind == TokenKind::name) part.head.insert(own[i].text);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Without comments and blank lines: nobody asks for a line of a header that declares nothing any more, and
/// each compile reads all of it. Nor is what it objects to (#error) anybody's business, unless it defines
/// something that is.
std::string compact(const std::string& text, bool objects) {
  std::string rest;
  std::size_t end = 0;
  bool directive = false, skips = false;
  const std::vector<Token> tokens = diagnose::tokens_of(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool hash = token.first && token.is("#");
    if (hash || !token.directive)
      skips = hash && !objects && i + 1 < tokens.size() && tokens[i + 1].is("error");
    if (skips) continue;
    if (!rest.empty() && (hash || (directive && !token.directive))) {
      rest += '\n';
    } else if (!rest.empty() && token.begin > end) {
      rest += ' ';
    }
    rest += token.text;
    end = token.end();
    directive = token.directive;
  }
  return rest + '\n';
}

}  // namespace

int keep_reachable(std::string& source, std::map<std::string, std::string>& headers,
                   const std::vector<std::string>& needed) {
  std::set<std::string> braces = names_of_braces(source);
  for (const auto& [name, text] : headers) braces.merge(names_of_braces(text));
  std::vector<Part> parts = parts_of(source, braces);
  std::map<std::string, MacroBody, std::less<>> macros;
  read_macros(source, macros);
  for (auto& [name, text] : headers) {
    for (Part& part : parts_of(text, braces)) parts.push_back(std::move(part));
    read_macros(text, macros);
  }
  // A macro in front of a name may say that device code can call it, also one of a header that is not there.
  const auto may_mark = [&](const std::string& name) { return macros.contains(name) || is_macro_name(name); };
  for (Part& part : parts) part.host = part.host && std::ranges::none_of(part.head, may_mark);
  Names wanted;
  std::vector<std::string> fresh(needed.begin(), needed.end());
  const auto want = [&](const Names& names) {
    for (const std::string& name : names) {
      if (!wanted.contains(name)) fresh.push_back(name);
    }
  };
  for (Part& part : parts) {
    part.kept = part.stays && !part.host;
    if (part.kept) want(part.names);
  }
  while (!fresh.empty()) {
    const std::string name = std::move(fresh.back());
    fresh.pop_back();
    if (!wanted.insert(name).second) continue;
    if (const auto macro = macros.find(name); macro != macros.end()) {
      want(macro->second.names);
      // What it makes of names is one of a declaration, which nobody says: all that device code may call.
      for (Part& part : parts) {
        if (!macro->second.pastes || part.kept || part.host) continue;
        part.kept = true;
        want(part.names);
      }
    }
    for (Part& part : parts) {
      if (part.kept || part.host || !part.declares.contains(name)) continue;
      part.kept = true;
      want(part.names);
    }
  }
  int blanked = 0;
  for (const Part& part : parts) {
    if (part.kept) continue;
    ++blanked;
    blank_piece(*part.text, part.begin, part.end);
  }
  for (auto& [name, text] : headers) {
    const auto stands = [&header = text](const Part& part) { return part.text == &header && part.kept; };
    if (std::ranges::any_of(parts, stands)) continue;
    std::map<std::string, MacroBody, std::less<>> own;
    read_macros(text, own);
    text = compact(text,
                   std::ranges::any_of(own, [&](const auto& each) { return wanted.contains(each.first); }));
  }
  return blanked;
}

}  // namespace evo::intake
