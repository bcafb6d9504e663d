#include "intake/macro_kernels.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "source/tokens.hpp"

namespace evo::intake {
namespace {

using source::Token;
using source::TokenKind;

struct Macro {
  std::vector<std::string> parameters;
  std::string body;  ///< on one line
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The text without comments, and with lines that go on joined.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n' && text[i] != '\\') ++i;
      --i;
    } else if (text.compare(i, 2, "/*") == 0) {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
      line += ' ';
    } else if (text[i] == '\\' || text[i] == '\n' || text[i] == '\r') {
      line += ' ';
    } else {
      line += text[i];
    }
  }
  return line;
}

/// #define NAME(A, B) body: all of them.
void read_macros(const std::string& source, std::map<std::string, Macro>& macros) {
  for (std::size_t begin = 0; begin < source.size();) {
    std::size_t end = source.find('\n', begin);
    while (end != std::string::npos) {
      const std::size_t last = source.find_last_not_of(" \t\r", end - 1);
      if (last == std::string::npos || last < begin || source[last] != '\\') break;
      end = source.find('\n', end + 1);
    }
    end = std::min(end, source.size());
    const std::string text = source.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t hash = text.find_first_not_of(" \t");
    if (hash == std::string::npos || text[hash] != '#') continue;
    const std::size_t word = text.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || text.compare(word, 7, "define ") != 0) continue;
    const std::size_t name = text.find_first_not_of(" \t", word + 7);
    const std::size_t open = text.find('(', word);
    const std::size_t close = open == std::string::npos ? open : text.find(')', open);
    if (close == std::string::npos || text.find_first_of(" \t", name) < open) continue;
    Macro macro;
    std::string parameter;
    for (const char c : on_one_line(text.substr(open + 1, close - open - 1)) + ",") {
      if (c != ',') {
        parameter += c;
        continue;
      }
      if (!trimmed(parameter).empty()) macro.parameters.push_back(trimmed(parameter));
      parameter.clear();
    }
    macro.body = on_one_line(text.substr(close + 1));
    macros[text.substr(name, open - name)] = std::move(macro);
  }
}

bool has_word(const std::string& text, std::string_view word) {
  return std::ranges::any_of(source::tokens_of(text), [&](const Token& token) { return token.text == word; });
}

/// Those whose body has the word, or calls one that has.
void keep_saying(std::map<std::string, Macro>& macros, std::string_view word) {
  std::map<std::string, Macro> kept;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [name, macro] : macros) {
      if (kept.contains(name)) continue;
      const bool calls = std::ranges::any_of(
          kept, [&body = macro.body](const auto& each) { return has_word(body, each.first); });
      if (!calls && !has_word(macro.body, word)) continue;
      kept.emplace(name, macro);
      more = true;
    }
  }
  macros = std::move(kept);
}

/// What stands between the parentheses at `open`, by its commas; `end` is behind them.
std::vector<std::string> arguments_at(const std::string& text, std::size_t open, std::size_t& end) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (end = open; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '(' && depth++ == 0) continue;
    if (c == ')' && --depth == 0) break;
    if (c == ',' && depth == 1) {
      arguments.emplace_back();
    } else {
      arguments.back() += c;
    }
  }
  ++end;
  for (std::string& argument : arguments) argument = trimmed(on_one_line(argument));
  return arguments;
}

std::string expanded(const Macro& macro, const std::vector<std::string>& arguments) {
  std::string result;
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t i = 0; i < macro.body.size();) {
    if (macro.body.compare(i, 2, "##") == 0) {
      // Joins what stands on both sides.
      while (!result.empty() && result.back() == ' ') result.pop_back();
      i = std::min(macro.body.find_first_not_of(" \t", i + 2), macro.body.size());
      continue;
    }
    std::size_t end = i;
    while (end < macro.body.size() && letter(macro.body[end])) ++end;
    if (end == i) {
      result += macro.body[i++];
      continue;
    }
    const std::string word = macro.body.substr(i, end - i);
    const auto found = std::ranges::find(macro.parameters, word);
    const auto at = static_cast<std::size_t>(found - macro.parameters.begin());
    if (word == "__VA_ARGS__" && !macro.parameters.empty() && macro.parameters.back() == "...") {
      for (std::size_t k = macro.parameters.size() - 1; k < arguments.size(); ++k)
        result += (k + 1 == macro.parameters.size() ? "" : ", ") + arguments[k];
    } else {
      result += found != macro.parameters.end() && at < arguments.size() ? arguments[at] : word;
    }
    i = end;
  }
  return result;
}

std::string with_calls_expanded(std::string text, const std::map<std::string, Macro>& macros) {
  if (macros.empty()) return text;
  constexpr int most_rounds = 4;  // a macro may call another one
  for (int round = 0; round < most_rounds; ++round) {
    std::string next;
    std::size_t done = 0;
    for (const Token& token : source::tokens_of(text)) {
      const auto macro = macros.find(token.text);
      if (token.directive || token.kind != TokenKind::name || macro == macros.end() || token.begin < done)
        continue;
      const std::size_t open = text.find_first_not_of(" \t\r\n", token.end());
      if (open == std::string::npos || text[open] != '(') continue;
      std::size_t end = 0;
      const std::vector<std::string> arguments = arguments_at(text, open, end);
      next += text.substr(done, token.begin - done) + expanded(macro->second, arguments);
      // Lines stay where they were.
      for (std::size_t i = token.begin; i < std::min(end, text.size()); ++i)
        next += text[i] == '\n' ? "\n" : "";
      done = std::min(end, text.size());
    }
    if (done == 0) break;
    text = next + text.substr(done);
  }
  return text;
}

}  // namespace

std::string with_macro_kernels(const std::string& source) {
  std::map<std::string, Macro> macros;
  read_macros(source, macros);
  std::erase_if(macros,
                [](const auto& each) { return each.second.body.find("__global__") == std::string::npos; });
  return with_calls_expanded(source, macros);
}

std::string with_macros_saying(std::string_view word, const std::string& text,
                               const std::vector<std::string>& definitions) {
  std::map<std::string, Macro> macros;
  for (const std::string& each : definitions) read_macros(each, macros);
  keep_saying(macros, word);
  return with_calls_expanded(text, macros);
}

}  // namespace evo::intake
