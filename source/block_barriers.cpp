#include "source/block_barriers.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "source/scope.hpp"

namespace evo::source {
namespace {

/// "bar.sync 0;\n\t" with its quotes -> "bar.sync 0".
std::string instruction_of(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    if (text[i] != '"' && text[i] != ';') result += text[i] == '\t' ? ' ' : text[i];
  }
  const std::size_t first = result.find_first_not_of(' '), last = result.find_last_not_of(' ');
  return first == std::string::npos ? std::string() : result.substr(first, last - first + 1);
}

bool is_whole_block(std::string_view text) {
  // With a second operand it is a barrier of so many threads.
  const std::string instruction = instruction_of(text);
  static constexpr std::string_view words[] = {
      "bar.sync 0",         "bar.cta.sync 0",         "barrier.sync 0",
      "barrier.cta.sync 0", "barrier.sync.aligned 0", "barrier.cta.sync.aligned 0"};
  return std::ranges::find(words, instruction) != std::end(words);
}

/// The text of a macro without do { ... } while (0), braces and semicolons around it.
Span without_wrapping(const std::vector<Token>& tokens, Span span) {
  for (bool more = true; more && span.end > span.begin;) {
    more = false;
    const auto last = [&](std::size_t back) -> const Token& { return tokens[span.end - back]; };
    if (last(1).is(";")) {
      --span.end, more = true;
    } else if (tokens[span.begin].is("{") && last(1).is("}")) {
      ++span.begin, --span.end, more = true;
    } else if (span.end > span.begin + 5 && tokens[span.begin].is("do") && last(4).is("while") &&
               last(2).is("0")) {
      ++span.begin, span.end -= 4, more = true;
    }
  }
  return span;
}

/// Is the group of this name declared as the block's?
bool is_the_block(const Program& program, std::size_t node, const std::string& name) {
  const std::size_t declared = declaration_seen(program, node, name);
  if (declared == none) {
    // A parameter: const cg::thread_block& block.
    const Span head = program.functions[program.nodes[node].function].head;
    for (std::size_t i = head.begin + 1; i < head.end; ++i) {
      if (!program.tokens[i].is(name)) continue;
      std::size_t type = i - 1;
      while (type > head.begin && (program.tokens[type].is("&") || program.tokens[type].is("const"))) --type;
      return program.tokens[type].is("thread_block");
    }
    return false;
  }
  const Span span = program.nodes[declared].span;
  bool block = false;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    // A tile, a cluster or the grid is another group; a second name of the line is not looked at.
    const Token& token = program.tokens[i];
    if (token.text.starts_with("tiled_partition") || token.is("coalesced_threads") || token.is(","))
      return false;
    block = block || token.is("thread_block") || token.is("this_thread_block");
  }
  return block;
}

}  // namespace

bool is_block_barrier(const std::vector<Token>& tokens, Span span) {
  if (span.end < span.begin + 3 || !tokens[span.end - 1].is(")")) return false;
  const Token& first = tokens[span.begin];
  if (first.is("asm") || first.is("__asm__")) {
    const std::size_t open = tokens[span.begin + 1].is("(") ? span.begin + 1 : span.begin + 2;
    if (open + 1 >= span.end || !tokens[open].is("(")) return false;
    std::string text;
    std::size_t i = open + 1;
    for (; i < span.end && tokens[i].kind == TokenKind::text; ++i) text += tokens[i].text;
    return is_whole_block(text);
  }
  if (span.end == span.begin + 3) return first.is("__syncthreads") && tokens[span.begin + 1].is("(");
  std::size_t at = span.begin;
  while (at + 2 < span.end && tokens[at + 1].is("::")) at += 2;
  static constexpr std::string_view rest[] = {"this_thread_block", "(", ")", ".", "sync", "(", ")"};
  if (span.end - at != std::size(rest)) return false;
  for (std::size_t i = 0; i < std::size(rest); ++i) {
    if (!tokens[at + i].is(rest[i])) return false;
  }
  return true;
}

std::set<std::string> block_barrier_names(const Program& program) {
  std::map<std::string, bool> all;
  const std::vector<Token> tokens = tokens_of(program.text);
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].directive || !tokens[i].first || !tokens[i + 1].is("define")) continue;
    std::size_t begin = i + 3, end = begin;
    while (end < tokens.size() && tokens[end].directive && !tokens[end].first) ++end;
    if (begin < end && tokens[begin].is("(") && tokens[begin].begin == tokens[i + 2].end())
      begin = closing(tokens, begin) + 1;
    if (begin > end) continue;
    const bool renames = end == begin + 1 && tokens[begin].is("__syncthreads");
    const bool barrier = renames || is_block_barrier(tokens, without_wrapping(tokens, {begin, end}));
    all.try_emplace(tokens[i + 2].text, true).first->second &= barrier;
  }
  for (const Function& function : program.functions) {
    const auto& children = program.nodes[function.body].children;
    if (children.size() != 1 || function.kernel) continue;
    const Node& only = program.nodes[children.front()];
    const bool barrier = only.kind == NodeKind::expression && only.span.end > only.span.begin &&
                         is_block_barrier(program.tokens, {only.span.begin, only.span.end - 1});
    all.try_emplace(function.name, true).first->second &= barrier;
  }
  std::set<std::string> names;
  for (const auto& [name, barrier] : all) {
    if (barrier) names.insert(name);
  }
  return names;
}

bool is_block_barrier(const Program& program, std::size_t node, const std::set<std::string>& names) {
  const Node& it = program.nodes[node];
  Span span = it.span;
  if (it.kind != NodeKind::expression || span.end <= span.begin) return false;
  const auto& tokens = program.tokens;
  if (tokens[span.end - 1].is(";")) --span.end;
  if (span.end <= span.begin) return false;
  if (is_block_barrier(tokens, span)) return true;
  const std::size_t count = span.end - span.begin;
  if (names.contains(tokens[span.begin].text))
    return count == 1 || (tokens[span.begin + 1].is("(") && closing(tokens, span.begin + 1) + 1 == span.end);
  // block.sync()
  if (count == 5 && tokens[span.begin + 1].is(".") && tokens[span.begin + 2].is("sync"))
    return is_the_block(program, node, tokens[span.begin].text);
  // cg::sync(block)
  if (count == 6 && tokens[span.begin + 1].is("::") && tokens[span.begin + 2].is("sync"))
    return is_the_block(program, node, tokens[span.begin + 4].text);
  return false;
}

}  // namespace evo::source
