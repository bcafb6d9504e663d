#include "intake/signature.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "diagnose/tokens.hpp"
#include "model/entry_name.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;

/// Words of a parameter that say nothing about its type.
bool is_decoration(const Token& token) {
  static const std::set<std::string, std::less<>> words{
      "__restrict__", "__restrict", "restrict", "volatile", "__grid_constant__",
      "register",     "struct",     "typename", "__global", "__shared"};
  return words.contains(token.text);
}

bool is_type_word(std::string_view word) {
  static const std::set<std::string, std::less<>> words{"unsigned", "signed", "int",    "long", "short",
                                                        "char",     "float",  "double", "bool", "const"};
  return words.contains(word);
}

/// The end of a bracket that opens at `open`, angle brackets included; tokens.size() where it has none.
std::size_t closing_bracket(const std::vector<Token>& tokens, std::size_t open) {
  if (!tokens[open].is("<")) return diagnose::closing(tokens, open);
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = diagnose::closing(tokens, i);
      continue;
    }
    if (tokens[i].is("<")) ++depth;
    if (tokens[i].is(">")) --depth;
    if (tokens[i].is(">>")) depth -= 2;
    if (depth <= 0) return i;
  }
  return tokens.size();
}

/// [begin, end) cut at commas outside of brackets.
std::vector<diagnose::Span> parts_of(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::vector<diagnose::Span> parts;
  std::size_t start = begin;
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{") || tokens[i].is("<")) {
      i = std::min(closing_bracket(tokens, i), end);
    } else if (tokens[i].is(",")) {
      parts.push_back({start, i});
      start = i + 1;
    }
  }
  if (start < end) parts.push_back({start, end});
  return parts;
}

std::string joined(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const bool word = !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) != 0 ||
                                        text.back() == '_' || text.back() == ',');
    if (word && tokens[i].kind != TokenKind::symbol) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

Parameter parameter_of(std::vector<Token> tokens) {
  Parameter result;
  std::erase_if(tokens, [](const Token& t) { return t.directive || is_decoration(t); });
  // A call before the type is a macro or an attribute: __align__(16).
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::name || !tokens[i + 1].is("(")) continue;
    const std::size_t close = closing_bracket(tokens, i + 1);
    if (close + 1 >= tokens.size()) break;
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(i);
    tokens.erase(first, tokens.begin() + static_cast<std::ptrdiff_t>(close) + 1);
    break;
  }
  const auto value = std::find_if(tokens.begin(), tokens.end(), [](const Token& t) { return t.is("="); });
  tokens.erase(value, tokens.end());
  if (tokens.empty()) return result;
  result.line = tokens.front().line;
  std::size_t name = tokens.size();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("<")) {
      i = closing_bracket(tokens, i);
      continue;
    }
    if (tokens[i].is("[")) {
      result.pointer = true;
      break;
    }
    const bool qualified = i > 0 && tokens[i - 1].is("::");
    if (tokens[i].kind == TokenKind::name && i > 0 && !qualified && !is_type_word(tokens[i].text)) name = i;
  }
  const std::size_t end = std::min(name, tokens.size());
  if (name < tokens.size()) {
    result.name = tokens[name].text;
    result.line = tokens[name].line;
  }
  std::size_t star = end;
  for (std::size_t i = 0; i < end; ++i) {
    if (tokens[i].is("*")) star = std::min(star, i);
  }
  result.pointer = result.pointer || star < end;
  for (std::size_t i = 0; i < star; ++i) result.constant = result.constant || tokens[i].is("const");
  // Behind the star, const is the parameter's own.
  std::vector<Token> kept;
  for (std::size_t i = 0; i < end; ++i) {
    if (!tokens[i].is("const")) kept.push_back(tokens[i]);
  }
  result.type = (result.constant && result.pointer ? "const " : "") + joined(kept, 0, kept.size());
  if (result.pointer && star == end) result.type += '*';
  return result;
}

class KernelReader {
 public:
  enum class Wanted : std::uint8_t { bodies, declarations };
  KernelReader(const std::string& source, Wanted wanted)
      : tokens_(diagnose::tokens_of(source)), wanted_(wanted) {
    // Directives stand in no declaration; a #define that says __global__ is none either.
    std::erase_if(tokens_, [](const Token& t) { return t.directive; });
  }

  std::vector<KernelText> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is("namespace")) {
        i = open_namespace(i);
      } else if (tokens_[i].is("{")) {
        scopes_.push_back("");
      } else if (tokens_[i].is("}")) {
        if (!scopes_.empty()) scopes_.pop_back();
      } else if (tokens_[i].is("template") && i + 1 < tokens_.size() && tokens_[i + 1].is("<")) {
        templates_.clear();
        const std::size_t close = closing_bracket(tokens_, i + 1);
        for (const auto& part : parts_of(tokens_, i + 2, close)) add_template(part);
        i = close;
      } else if (tokens_[i].is(";")) {
        templates_.clear();
        extern_c_ = false;
      } else if (tokens_[i].is("extern") && i + 1 < tokens_.size() && tokens_[i + 1].is("\"C\"")) {
        if (i + 2 < tokens_.size() && tokens_[i + 2].is("{")) {
          scopes_.push_back("\"C\"");
          i += 2;
        } else {
          extern_c_ = true;
        }
      } else if (tokens_[i].is("__global__")) {
        i = kernel(i);
      }
    }
    return kernels_;
  }

 private:
  std::size_t open_namespace(std::size_t at) {
    std::string name;
    std::size_t i = at + 1;
    while (i < tokens_.size() && !tokens_[i].is("{") && !tokens_[i].is(";") && !tokens_[i].is("="))
      name += tokens_[i++].text;
    if (i < tokens_.size() && tokens_[i].is("{")) scopes_.push_back(name);
    return i;
  }

  void add_template(const diagnose::Span& part) {
    TemplateParameter result;
    std::size_t end = part.begin;
    while (end < part.end && !tokens_[end].is("=")) ++end;
    result.type = tokens_[part.begin].is("typename") || tokens_[part.begin].is("class");
    for (std::size_t i = part.begin; i < end; ++i) {
      result.boolean = result.boolean || tokens_[i].is("bool");
      if (tokens_[i].kind == TokenKind::name) result.name = tokens_[i].text;
    }
    if (end + 1 < part.end) result.fallback = joined(tokens_, end + 1, part.end);
    templates_.push_back(std::move(result));
  }

  /// Reads from __global__ to the end of the body; where there is none, nothing is added.
  std::size_t kernel(std::size_t at) {
    KernelText result;
    result.extern_c = extern_c_ || std::find(scopes_.begin(), scopes_.end(), "\"C\"") != scopes_.end();
    result.templates = std::move(templates_);
    templates_.clear();
    extern_c_ = false;
    std::size_t name = tokens_.size();
    std::size_t i = at + 1;
    for (; i + 1 < tokens_.size() && !tokens_[i].is(";") && !tokens_[i].is("{"); ++i) {
      if (tokens_[i].kind != TokenKind::name || !tokens_[i + 1].is("(")) continue;
      const std::size_t close = diagnose::closing(tokens_, i + 1);
      if (tokens_[i].is("__launch_bounds__")) {
        const auto parts = parts_of(tokens_, i + 2, close);
        if (!parts.empty()) result.launch_bounds = joined(tokens_, parts[0].begin, parts[0].end);
      } else if (close + 1 < tokens_.size() && (tokens_[close + 1].is("{") || tokens_[close + 1].is(";"))) {
        name = i;
        break;
      }
      i = close;  // an attribute, or a macro
    }
    if (name >= tokens_.size()) return i;
    const std::size_t close = diagnose::closing(tokens_, name + 1);
    const bool body = tokens_[close + 1].is("{");
    const std::size_t last = body ? diagnose::closing(tokens_, close + 1) : close;
    if (last >= tokens_.size() || body != (wanted_ == Wanted::bodies)) return last;
    result.plain = tokens_[name].text;
    for (const std::string& scope : scopes_) {
      if (!scope.empty() && scope[0] != '"') result.name += scope + "::";
    }
    result.name += result.plain;
    result.line = tokens_[name].line;
    result.begin = tokens_[close + 1].begin;
    result.end = tokens_[body ? last : close + 1].end();
    for (const auto& part : parts_of(tokens_, name + 2, close)) {
      const auto first = tokens_.begin();
      Parameter parameter = parameter_of(
          {first + static_cast<std::ptrdiff_t>(part.begin), first + static_cast<std::ptrdiff_t>(part.end)});
      if (parameter.type != "void" || !parameter.name.empty())
        result.parameters.push_back(std::move(parameter));
    }
    kernels_.push_back(std::move(result));
    return last;
  }

  std::vector<Token> tokens_;
  Wanted wanted_;
  std::vector<std::string> scopes_;
  std::vector<TemplateParameter> templates_;
  bool extern_c_ = false;
  std::vector<KernelText> kernels_;
};

}  // namespace

std::vector<KernelText> kernels_of(const std::string& source) {
  return KernelReader(source, KernelReader::Wanted::bodies).run();
}

std::vector<KernelText> declared_kernels_of(const std::string& source) {
  return KernelReader(source, KernelReader::Wanted::declarations).run();
}

Parameter read_parameter(const std::string& text) {
  return parameter_of(diagnose::tokens_of(text));
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1));
}

std::vector<std::string> split_list(std::string_view text, bool types) {
  std::vector<std::string> parts;
  if (trimmed(text).empty()) return parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::string_view("([{").find(text[i]) != std::string_view::npos || (types && text[i] == '<')) ++depth;
    if (std::string_view(")]}").find(text[i]) != std::string_view::npos || (types && text[i] == '>')) --depth;
    if (text[i] != ',' || depth > 0) continue;
    parts.push_back(trimmed(text.substr(start, i - start)));
    start = i + 1;
  }
  parts.push_back(trimmed(text.substr(start)));
  return parts;
}

EntryName read_entry(std::string_view text) {
  EntryName entry;
  const auto [named, parameters] = model::without_parameters(text);
  text = named;
  if (parameters) entry.parameters = split_list(parameters->substr(1, parameters->size() - 2), true);
  entry.overload = parameters.has_value();
  const std::size_t open = text.find('<');
  entry.name = trimmed(text.substr(0, open));
  if (open == std::string_view::npos) return entry;
  const std::size_t close = text.rfind('>');
  if (close != std::string_view::npos && close > open)
    entry.arguments = split_list(text.substr(open + 1, close - open - 1), true);
  return entry;
}

}  // namespace evo::intake
