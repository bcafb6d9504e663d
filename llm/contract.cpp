// What a reply may not edit: how the kernel is launched, and what evo defines.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "llm/reply.hpp"
#include "model/entry_name.hpp"
#include "source/line_edits.hpp"
#include "source/program.hpp"

namespace evo::llm {
namespace {

/// Declaration of a kernel, up to its body: without launch bounds and __restrict__, which are its own affair.
std::string declaration_of(const source::Program& program, const source::Function& function) {
  std::string text;
  const std::size_t end = program.nodes[function.body].span.begin;
  for (std::size_t i = function.begin; i < end; ++i) {
    const std::string& token = program.tokens[i].text;
    if (token == "__launch_bounds__") {
      i = source::closing(program.tokens, i + 1);
    } else if (token != "__restrict__") {
      text += token + " ";
    }
  }
  return text;
}

/// Declarations of all live kernels of this name.
std::vector<std::string> declarations(const source::Program& program, const std::string& name) {
  std::vector<std::string> list;
  for (const source::Function& function : program.functions) {
    if (function.kernel && function.name.substr(0, function.name.find('~')) == name)
      list.push_back(declaration_of(program, function));
  }
  return list;
}

struct Directive {
  std::string word, name;
  int line = 0;
};

std::vector<Directive> directives_of(const std::string& text) {
  const std::vector<source::Token> tokens = source::tokens_of(text);
  std::vector<Directive> list;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("#") || !tokens[i].first || !tokens[i + 1].directive) continue;
    Directive directive{tokens[i + 1].text, {}, tokens[i].line};
    if (i + 2 < tokens.size() && tokens[i + 2].directive && !tokens[i + 2].first)
      directive.name = tokens[i + 2].text;
    list.push_back(std::move(directive));
  }
  return list;
}

}  // namespace

std::optional<Refusal> contract_violation(const std::string& parent, const std::string& child,
                                          const std::vector<std::string>& entries) {
  const std::size_t head = source::text_begin(parent);
  std::set<std::string> ours;
  for (const Directive& directive : directives_of(parent.substr(0, head))) {
    if (directive.word == "define") ours.insert(directive.name);
  }
  const std::string text = child.substr(source::text_begin(child));
  std::set<std::pair<std::string, std::string>> before;
  for (const Directive& directive : directives_of(parent.substr(head)))
    before.emplace(directive.word, directive.name);
  for (const Directive& directive : directives_of(text)) {
    if (before.contains({directive.word, directive.name})) continue;
    const bool defines = directive.word == "define" || directive.word == "undef";
    if (defines && (ours.contains(directive.name) || directive.name.starts_with("__"))) {
      return Refusal{"macro_changed",
                     fmt::format("line {}: #{} {} changes what is given: genes and sizes come "
                                 "from evo",
                                 directive.line, directive.word, directive.name)};
    }
    if (directive.word == "line" || directive.word == "include") {
      return Refusal{"contract_changed",
                     fmt::format("line {}: a reply adds no #{}", directive.line, directive.word)};
    }
  }
  const source::Program was = source::read_program(parent), is = source::read_program(child);
  for (const std::string& entry : entries) {
    const std::string name = model::plain_kernel_name(entry);
    const auto old = declarations(was, name);
    if (old.empty()) continue;  // a macro makes it: the compile gate looks for the entry
    const auto now = declarations(is, name);
    if (now == old) continue;
    return Refusal{"contract_changed",
                   fmt::format("the kernel {} must keep its declaration:\n{}", name, old.front())};
  }
  return std::nullopt;
}

}  // namespace evo::llm
