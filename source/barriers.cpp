#include "source/barriers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace evo::source {
namespace {

constexpr std::array ordering_functions{
    "__syncthreads",       "__syncwarp",           "__threadfence",
    "__threadfence_block", "__threadfence_system", "__pipeline_wait_prior",
    "cp_async_wait",       "cp_async_wait_all",    "cp_async_wait_group"};
constexpr std::array ordering_methods{"sync", "arrive_and_wait", "consumer_wait",
                                      "wait", "wait_prior",      "cluster_sync"};
/// First words of PTX instructions.
constexpr std::array ordering_instructions{"bar.",       "barrier.",       "membar.",
                                           "fence.",     "cp.async.wait_", "cp.async.bulk.wait_",
                                           "wgmma.wait", "wgmma.fence"};

bool is_among(const auto& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view each) { return each == name; });
}

bool is_hook(std::string_view name) {
  if (!name.starts_with("EVO_")) return false;
  return name.find("SYNC") != std::string_view::npos || name.find("WAIT") != std::string_view::npos ||
         name.find("FENCE") != std::string_view::npos || name.find("BARRIER") != std::string_view::npos;
}

/// The instructions of an asm's text are all of the kind that only orders.
bool only_orders(std::string_view text) {
  const auto is_separator = [](char c) {
    return c == '"' || c == ';' || c == '{' || c == '}' || c == '\n' || c == '\t' || c == ' ';
  };
  bool any = false;
  while (!text.empty()) {
    while (!text.empty() && is_separator(text.front())) text.remove_prefix(1);
    // Escapes of the literal, such as \n\t.
    while (text.size() >= 2 && text.front() == '\\') {
      text.remove_prefix(2);
      while (!text.empty() && is_separator(text.front())) text.remove_prefix(1);
    }
    if (text.empty()) break;
    if (std::none_of(ordering_instructions.begin(), ordering_instructions.end(),
                     [&](std::string_view each) { return text.starts_with(each); }))
      return false;
    any = true;
    const auto end = text.find(';');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return any;
}

}  // namespace

bool is_barrier(const std::vector<Token>& tokens, Span span) {
  // What comes before the last '(' that closes at the statement's end is the callee.
  if (span.end - span.begin < 2 || !tokens[span.end - 1].is(")")) return false;
  std::size_t open = span.begin;
  while (open < span.end && !tokens[open].is("(")) ++open;
  while (open < span.end && closing(tokens, open) != span.end - 1) {
    // An earlier bracket, as in cg::this_thread_block().sync().
    open = closing(tokens, open) + 1;
    while (open < span.end && !tokens[open].is("(")) ++open;
  }
  if (open >= span.end || open == span.begin) return false;
  for (std::size_t i = span.begin; i < open; ++i) {
    if (tokens[i].is("=") || tokens[i].is("return")) return false;
  }
  // Behind the name may stand template arguments: cute::cp_async_wait<0>().
  std::size_t at = open - 1;
  if (tokens[at].is(">")) {
    while (at > span.begin && !tokens[at].is("<")) --at;
    if (at == span.begin) return false;
    --at;
  }
  const Token& name = tokens[at];
  const bool plain = at == span.begin;
  const bool is_asm = tokens[span.begin].is("asm") || tokens[span.begin].is("__asm__");
  if (is_asm) {
    std::string text;
    for (std::size_t i = open + 1; i < span.end && tokens[i].kind == TokenKind::text; ++i)
      text += tokens[i].text;
    return only_orders(text);
  }
  if (name.kind != TokenKind::name) return false;
  if (plain) return is_among(ordering_functions, name.text) || is_hook(name.text);
  const Token& before = tokens[at - 1];
  if (before.is("::"))
    return name.is("sync") || name.is("wait") || name.is("wait_prior") ||
           is_among(ordering_functions, name.text);
  return (before.is(".") || before.is("->")) && is_among(ordering_methods, name.text);
}

bool is_barrier(const std::vector<Token>& tokens, Span span, const std::set<std::string>& ordering) {
  if (is_barrier(tokens, span)) return true;
  // A macro without parameters: `SYNC;`.
  if (span.end == span.begin + 1) return ordering.contains(tokens[span.begin].text);
  return span.end >= span.begin + 3 && ordering.contains(tokens[span.begin].text) &&
         tokens[span.begin + 1].is("(") && closing(tokens, span.begin + 1) == span.end - 1;
}

bool is_barrier(const Program& program, Span span) {
  return is_barrier(program.tokens, span, program.ordering);
}

namespace {

bool is_asm(const Token& token) {
  return token.is("asm") || token.is("__asm__");
}

bool is_volatile(const Token& token) {
  return token.is("volatile") || token.is("__volatile__");
}

/// Is all that the tokens of a macro call what orders?
bool calls_only_order(const std::vector<Token>& tokens, Span span, const std::set<std::string>& known) {
  bool any = false;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const Token& token = tokens[i];
    for (const char* word : {"=", "[", "return", "++", "--", "+=", "*"}) {
      if (token.is(word)) return false;
    }
    if (token.kind != TokenKind::name) continue;
    const std::size_t open = is_asm(token) && i + 1 < span.end && is_volatile(tokens[i + 1]) ? i + 2 : i + 1;
    if (open >= span.end || !tokens[open].is("(")) {
      // The name alone of a macro without parameters that only orders.
      any = any || known.contains(token.text);
      continue;
    }
    if (token.is("if") || token.is("while")) continue;
    const std::size_t close = closing(tokens, open);
    if (close >= span.end) return false;
    // What stands before a dot or :: belongs to the call: block.sync(), cg::this_thread_block().sync().
    std::size_t begin = i;
    while (begin > span.begin + 1 &&
           (tokens[begin - 1].is(".") || tokens[begin - 1].is("::") || tokens[begin - 1].is("->")) &&
           tokens[begin - 2].kind == TokenKind::name)
      begin -= 2;
    const bool receiver = close + 1 < span.end && (tokens[close + 1].is(".") || tokens[close + 1].is("->"));
    if (receiver && token.is("this_thread_block")) continue;
    if (begin > span.begin && tokens[begin - 1].is(".")) begin = span.begin;
    if (!known.contains(token.text) && !is_barrier(tokens, {begin, close + 1})) return false;
    any = true;
    i = close;
  }
  return any;
}

}  // namespace

std::set<std::string> ordering_macros(const std::vector<Token>& tokens) {
  std::set<std::string> names;
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].directive || !tokens[i].first || !tokens[i + 1].is("define")) continue;
    std::size_t begin = i + 3, end = begin;
    while (end < tokens.size() && tokens[end].directive && !tokens[end].first) ++end;
    const bool parameters = tokens[begin].is("(") && tokens[begin].begin == tokens[i + 2].end();
    if (begin < end && parameters) begin = closing(tokens, begin) + 1;
    // #define SYNC __syncthreads, called as SYNC().
    const bool renames = end == begin + 1 && is_among(ordering_functions, tokens[begin].text);
    if (begin < end && (renames || calls_only_order(tokens, {begin, end}, names)))
      names.insert(tokens[i + 2].text);
  }
  return names;
}

void add_ordering_functions(Program& program) {
  for (const Function& function : program.functions) {
    const auto& children = program.nodes[function.body].children;
    const bool orders = std::all_of(children.begin(), children.end(), [&](std::size_t child) {
      const Node& node = program.nodes[child];
      return node.kind == NodeKind::expression && is_barrier(program, {node.span.begin, node.span.end - 1});
    });
    if (orders && !children.empty() && !function.kernel) program.ordering.insert(function.name);
  }
}

}  // namespace evo::source
