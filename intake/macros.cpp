#include "intake/macros.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "diagnose/tokens.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;

/// The tokens of one preprocessor line.
using Line = std::vector<Token>;

std::vector<Line> directives_of(const std::string& source) {
  std::vector<Line> lines;
  bool inside = false;
  for (const Token& token : diagnose::tokens_of(source)) {
    if (!token.directive) {
      inside = false;
      continue;
    }
    if (!inside || token.is("#")) lines.emplace_back();
    inside = true;
    lines.back().push_back(token);
  }
  return lines;
}

bool is_number(const Token& token) {
  return token.kind == TokenKind::number;
}

/// Names that a condition asks of the compiler or the toolkit.
bool not_ours(const std::string& name) {
  static const std::set<std::string, std::less<>> words{"defined", "true", "false", "and", "or", "not"};
  return words.contains(name) || name.starts_with("__") || name.starts_with("CUDA") || name.starts_with("_");
}

void add_asked(const Line& line, std::size_t at, bool only_defined, std::vector<AskedMacro>& asked) {
  const Token& name = line[at];
  if (name.kind != TokenKind::name || not_ours(name.text)) return;
  auto found =
      std::find_if(asked.begin(), asked.end(), [&](const AskedMacro& m) { return m.name == name.text; });
  if (found == asked.end()) found = asked.insert(asked.end(), {name.text, name.line, true, {}});
  found->only_defined = found->only_defined && only_defined;
  const auto compared = [&](std::size_t number) {
    if (number >= line.size() || !is_number(line[number])) return;
    const std::string& value = line[number].text;
    if (std::find(found->compared.begin(), found->compared.end(), value) == found->compared.end())
      found->compared.push_back(value);
  };
  if (at + 2 < line.size() && (line[at + 1].is("==") || line[at + 1].is("!="))) compared(at + 2);
  if (at >= 2 && (line[at - 1].is("==") || line[at - 1].is("!="))) compared(at - 2);
}

/// A constant of a namespace, and where its declaration stands.
struct Constant {
  DefinedMacro macro;
  std::size_t begin = 0, end = 0;  ///< with the semicolon
};

/// `static constexpr unsigned int TILE = 32;` that begins at this token; nothing where no such thing does.
std::optional<Constant> constant_at(const std::vector<Token>& tokens, std::size_t at) {
  static const std::set<std::string, std::less<>> around{"static", "inline", "std", "::"};
  // None of 64 bits: in a product with an int the bare number would be an int, too.
  static const std::set<std::string, std::less<>> types{"int",      "unsigned", "short",    "signed",
                                                        "char",     "auto",     "uint",     "int32_t",
                                                        "uint32_t", "int16_t",  "uint16_t", "bool"};
  bool constant = false, typed = false;
  const std::size_t begin = at;
  for (; at < tokens.size() && !tokens[at].directive; ++at) {
    const std::string& word = tokens[at].text;
    if (word == "const" || word == "constexpr")
      constant = true;
    else if (types.contains(word))
      typed = true;
    else if (!around.contains(word))
      break;
  }
  if (!constant || !typed || at + 3 >= tokens.size()) return std::nullopt;
  if (tokens[at].kind != TokenKind::name || !tokens[at + 1].is("=")) return std::nullopt;
  // Numbers alone, and what is reckoned of them: 33 * 1024.
  static const std::set<std::string, std::less<>> signs{"+", "-", "*", "/", "(", ")", "<<"};
  std::string value;
  std::size_t end = at + 2;
  for (; end < tokens.size() && (is_number(tokens[end]) || signs.contains(tokens[end].text)); ++end)
    value += (value.empty() ? "" : " ") + tokens[end].text;
  if (value.empty() || end == tokens.size() || !tokens[end].is(";")) return std::nullopt;
  return Constant{{tokens[at].text, value, tokens[at].line, false}, tokens[begin].begin, tokens[end].end()};
}

/// Of the declaration that begins at this token.
bool is_unsigned(const std::vector<Token>& tokens, std::size_t at) {
  for (; at < tokens.size() && !tokens[at].is("="); ++at)
    if (tokens[at].text.starts_with("u"))
      return tokens[at].kind == TokenKind::name && !tokens[at + 1].is("=");
  return false;
}

enum class Where { file, function };

/// Of the file and of its namespaces, or of its functions, where they are other things by that name. None of
/// classes.
std::vector<Constant> constants_of(const std::string& source, Where where = Where::file) {
  enum class Brace { of_namespace, of_class, other };
  std::vector<Constant> found;
  std::vector<Brace> open;  // those around
  Brace opens = Brace::other;
  bool begins = true;
  const std::vector<Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.directive) {
      begins = true;
      continue;
    }
    const bool in_file = std::ranges::all_of(open, [](Brace each) { return each == Brace::of_namespace; });
    const bool in_function = !open.empty() && open.back() == Brace::other;
    if (begins && (where == Where::file ? in_file : in_function)) {
      auto constant = constant_at(tokens, i);
      // An unsigned one decides how what it is compared with is read, which the bare number does not.
      if (constant && where == Where::function && is_unsigned(tokens, i)) constant.reset();
      if (constant) found.push_back(std::move(*constant));
    }
    if (token.is("namespace")) opens = Brace::of_namespace;
    // `template <class T>` opens none.
    const bool parameter = i > 0 && (tokens[i - 1].is("<") || tokens[i - 1].is(","));
    if ((token.is("class") || token.is("struct") || token.is("union") || token.is("enum")) && !parameter)
      opens = Brace::of_class;
    // struct S f() {
    if (token.is("(")) opens = Brace::other;
    if (token.is("{")) open.push_back(opens);
    if (token.is("}") && !open.empty()) open.pop_back();
    begins = token.is(";") || token.is("{") || token.is("}");
    if (begins) opens = Brace::other;
  }
  return found;
}

/// The text with that declaration as a comment; nothing where it holds one.
std::optional<std::string> commented(const std::string& source, const Constant& constant) {
  const std::string text = source.substr(constant.begin, constant.end - constant.begin);
  if (text.find("*/") != std::string::npos || text.find("//") != std::string::npos) return std::nullopt;
  return source.substr(0, constant.begin) + "/* " + text + " */" + source.substr(constant.end);
}

/// Where a function's body stands in the text.
struct Body {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] bool has(const Constant& constant) const {
    return constant.begin >= begin && constant.end <= end;
  }
};

/// That of the function whose head stands at this line.
Body body_behind(const std::string& source, int line) {
  Body body{source.size(), source.size()};
  int depth = 0;
  for (const Token& token : diagnose::tokens_of(source)) {
    if (token.line < line || token.directive) continue;
    if (token.is("{") && depth++ == 0) body.begin = token.begin;
    if (token.is("}") && depth > 0 && --depth == 0) {
      body.end = token.end();
      break;
    }
  }
  return body;
}

/// The constant under another name, from its declaration to the end of the block that it stands in.
std::string renamed_in_scope(const std::string& source, const Constant& constant, const std::string& name) {
  std::vector<std::size_t> places;
  int depth = 0;
  for (const Token& token : diagnose::tokens_of(source)) {
    if (token.begin < constant.begin) continue;
    if (token.is("{")) ++depth;
    if (token.is("}") && --depth < 0) break;
    if (token.kind == TokenKind::name && token.text == constant.macro.name) places.push_back(token.begin);
  }
  std::string result = source;
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    result.replace(*place, constant.macro.name.size(), name);
  return result;
}

}  // namespace

const DefinedMacro* SourceMacros::find(std::string_view name) const {
  for (const std::vector<DefinedMacro>* all : {&defined, &constants}) {
    const auto found = std::ranges::find(*all, name, &DefinedMacro::name);
    if (found != all->end()) return &*found;
  }
  return nullptr;
}

SourceMacros macros_of(const std::string& source) {
  SourceMacros macros;
  std::set<std::string, std::less<>> all;
  std::vector<std::string> guards;  // of each open conditional; "" for one that is no #ifndef
  for (const Line& line : directives_of(source)) {
    if (line.size() < 2) continue;
    const std::string& word = line[1].text;
    if (word == "ifndef" || word == "ifdef" || word == "if") {
      const bool negated = word == "if" && line.size() >= 5 && line[2].is("!") && line[3].is("defined");
      std::string guard = word == "ifndef" && line.size() > 2 ? line[2].text : "";
      for (std::size_t i = 4; negated && i < line.size() && guard.empty(); ++i) {
        if (line[i].kind == TokenKind::name) guard = line[i].text;
      }
      guards.push_back(guard);
    }
    if (word == "endif" && !guards.empty()) guards.pop_back();
    if ((word == "ifdef" || word == "ifndef") && line.size() > 2) add_asked(line, 2, true, macros.asked);
    if (word == "if" || word == "elif") {
      for (std::size_t i = 2; i < line.size(); ++i) {
        const bool only = line[i - 1].is("defined") || (i > 2 && line[i - 2].is("defined"));
        add_asked(line, i, only, macros.asked);
      }
    }
    if (word != "define" || line.size() < 3) continue;
    const Token& name = line[2];
    all.insert(name.text);
    const bool function = line.size() > 3 && line[3].is("(") && line[3].begin == name.end();
    std::size_t value = 3;
    if (line.size() == 6 && line[3].is("(") && line[5].is(")") && !function) value = 4;
    if (function || line.size() <= value || !is_number(line[value]) || line.size() - value > value - 2)
      continue;
    const bool guarded = std::find(guards.begin(), guards.end(), name.text) != guards.end();
    if (macros.find(name.text) == nullptr)
      macros.defined.push_back({name.text, line[value].text, name.line, guarded});
  }
  std::erase_if(macros.asked, [&](const AskedMacro& m) { return all.contains(m.name); });
  for (const Constant& each : constants_of(source)) {
    if (macros.find(each.macro.name) == nullptr) macros.constants.push_back(each.macro);
  }
  return macros;
}

std::vector<std::string> needed_macros(const std::string& source, std::size_t offset) {
  std::vector<std::string> open;  // of each conditional around; "" for one that asks for nothing to define
  std::set<std::string, std::less<>> defined;
  for (const Line& line : directives_of(source)) {
    if (line.size() < 2 || line.front().begin >= offset) continue;
    const std::string& word = line[1].text;
    if (word == "define" && line.size() > 2) defined.insert(line[2].text);
    if (word == "endif" && !open.empty()) open.pop_back();
    if ((word == "else" || word == "elif") && !open.empty()) open.back().clear();
    if (!word.starts_with("if")) continue;
    std::size_t at = 2;
    if (word == "if" && line.size() > 3 && line[2].is("defined")) at = line[3].is("(") ? 4 : 3;
    const std::size_t rest = line.size() - at - (at == 4 ? 1 : 0);
    const bool plain = word != "ifndef" && at < line.size() && rest == 1 &&
                       line[at].kind == TokenKind::name && !not_ours(line[at].text);
    open.push_back(plain ? line[at].text : "");
  }
  std::vector<std::string> names;
  for (const std::string& name : open) {
    if (!name.empty() && !defined.contains(name)) names.push_back(name);
  }
  return names;
}

bool is_macro_name(std::string_view name) {
  return name.size() > 2 && !name.starts_with("__") &&
         std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

int line_of_name(const std::string& source, std::string_view name) {
  for (const Token& token : diagnose::tokens_of(source)) {
    if (token.kind == TokenKind::name && token.is(name)) return token.line;
  }
  return 0;
}

std::vector<std::string> names_of(const std::string& source) {
  std::vector<std::string> names;
  std::set<std::string, std::less<>> seen;
  for (const Token& token : diagnose::tokens_of(source)) {
    if (token.kind == TokenKind::name && seen.insert(token.text).second) names.push_back(token.text);
  }
  return names;
}

std::string without_definition(const std::string& source, std::string_view name) {
  for (const Line& line : directives_of(source)) {
    if (line.size() < 3 || !line[1].is("define") || !line[2].is(name)) continue;
    std::string result = source;
    return result.insert(line[0].begin, "// ");
  }
  for (const Constant& each : constants_of(source)) {
    if (each.macro.name != name) continue;
    if (const auto without = commented(source, each)) return *without;
  }
  return source;
}

std::vector<DefinedMacro> local_constants(const std::string& source, std::string_view name, int line) {
  const std::vector<Constant> all = constants_of(source, Where::function);
  const Body body = body_behind(source, line);
  const Constant* own = nullptr;
  for (const Constant& each : all) {
    if (each.macro.name != name) continue;
    if (own == nullptr || (!body.has(*own) && body.has(each))) own = &each;
  }
  std::vector<DefinedMacro> found;
  for (const Constant& each : all) {
    if (own == nullptr || each.macro.name != name || each.macro.value != own->macro.value) continue;
    found.insert(&each == own ? found.begin() : found.end(), each.macro);
  }
  return found;
}

std::string without_local_constants(const std::string& source, std::string_view name,
                                    const std::string& value) {
  std::string result = source;
  // The last first: places in front of it stay.
  const std::vector<Constant> all = constants_of(source, Where::function);
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    if (each->macro.name != name) continue;
    result = each->macro.value == value ? commented(result, *each).value_or(result)
                                        : renamed_in_scope(result, *each, std::string(name) + "_own");
  }
  return result;
}

}  // namespace evo::intake
