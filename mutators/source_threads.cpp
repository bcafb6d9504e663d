// Operators on which thread takes which element.
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_rewrite.hpp"
#include "mutators/source_sites.hpp"
#include "source/scope.hpp"

namespace evo::mutators {
namespace {

/// How many values threadIdx.x, or a number of a thread in its grid, has; `index` is a name or an expression.
std::string count_of_threads(const EditedSource& source, std::size_t node, const std::string& index) {
  if (index == "threadIdx.x") return "blockDim.x";
  std::string text = index;
  if (index.find("threadIdx.x") == std::string::npos) {
    const std::size_t declared = source::declaration_seen(source.program, node, index);
    if (declared == source::none) return {};
    text = source.program.flat(source.program.nodes[declared].span);
  }
  if (text.find("threadIdx.x") == std::string::npos) return {};
  if (text.find("blockIdx.x") != std::string::npos) return "(gridDim.x * blockDim.x)";
  return text.ends_with("= threadIdx.x;") ? "blockDim.x" : std::string();
}

/// `T * C` as (T, C) where T numbers threads.
struct Chunk {
  std::string thread, length;
};

std::optional<Chunk> chunk_of(const source::Program& program, source::Span span) {
  if (span.end <= span.begin + 2) return std::nullopt;
  // T is a word, with members, or stands in brackets.
  std::size_t end = span.begin + 1;
  const bool bracket = program.tokens[span.begin].is("(");
  if (bracket) end = source::closing(program.tokens, span.begin) + 1;
  while (!bracket && end + 1 < span.end && program.tokens[end].is(".")) end += 2;
  if (end + 1 >= span.end || !program.tokens[end].is("*")) return std::nullopt;
  Chunk chunk{program.flat({span.begin, end}), program.flat({end + 1, span.end})};
  if (chunk.length.find_first_of("+-,?") != std::string::npos) return std::nullopt;
  return chunk;
}

/// The same where a name stands for it: `const int first = T * C;`
std::optional<Chunk> chunk_behind(const EditedSource& source, std::size_t node, const std::string& name) {
  const source::Program& program = source.program;
  const std::size_t declared = source::declaration_seen(program, node, name);
  if (declared == source::none || program.nodes[declared].kind != source::NodeKind::declaration)
    return std::nullopt;
  const source::Span span = program.nodes[declared].span;
  for (std::size_t i = span.begin; i + 2 < span.end; ++i) {
    if (program.tokens[i].is(",")) return std::nullopt;
    if (program.tokens[i].is(name) && program.tokens[i + 1].is("="))
      return chunk_of(program, {i + 2, span.end - 1});
  }
  return std::nullopt;
}

std::string replaced_all(std::string text, const std::string& from, const std::string& to, int& count) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const bool inside = (at > 0 && is_word(text[at - 1]) && is_word(from.front())) ||
                        (at + from.size() < text.size() && is_word(text[at + from.size()]));
    if (inside) {
      at += from.size();
      continue;
    }
    text.replace(at, from.size(), to);
    ++count;
  }
  return text;
}

}  // namespace

// A thread that takes C elements in a row makes its warp touch 32 places at once; taking turns, they touch
// one.
std::vector<Change> LoopStride::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const ForLoop& loop : for_loops(source)) {
    if (loop.declared.size() != 1 || !program.nodes[loop.node].clean) continue;
    const std::string& counter = *loop.declared.begin();
    const auto begin = begin_of(program, loop, counter);
    if (!begin || stride_of(program, loop, counter) != std::optional<std::string>("1")) continue;
    const std::string body = program.flat(program.nodes[loop.body].span);
    const std::string from = program.flat(*begin), condition = program.flat(loop.condition);
    const auto replace = [&](const std::string& init, const std::string& test, const std::string& step,
                             const std::string& text) {
      result.push_back(
          one_edit(name(), source::anchor_of(program, loop.node),
                   fmt::format("replace for ({} {}; {}; {}) {}",
                               program.flat({loop.init.begin, begin->begin}), init, test, step, text)));
    };
    const auto names = source::names_in(program, program.nodes[loop.node].span);
    // for (i = T * C; i < T * C + C; ++i): the counter walks through the chunk.
    auto chunk = chunk_of(program, *begin);
    if (!chunk) chunk = chunk_behind(source, loop.node, from);
    if (chunk) {
      const std::string threads = count_of_threads(source, loop.node, chunk->thread);
      if (threads.empty()) continue;
      const std::string all = threads + " * " + chunk->length;
      int count = 0;
      std::string test = condition;
      for (const std::string& end :
           {from + " + " + chunk->length, "(" + chunk->thread + " + 1) * " + chunk->length})
        test = replaced_all(test, end, all, count);
      if (count == 1) replace(chunk->thread, test, fmt::format("{} += {}", counter, threads), body);
      continue;
    }
    // for (k = 0; k < C; ++k) with T * C + k, or a name for T * C, plus k.
    if (from != "0") continue;
    const std::string less = counter + " < ";
    if (!condition.starts_with(less)) continue;
    const std::string length = condition.substr(less.size());
    for (const std::string& name_of : names) {
      std::string thread = name_of == "threadIdx" ? "threadIdx.x" : name_of;
      std::string start = thread + " * " + length;
      if (const auto behind = chunk_behind(source, loop.node, name_of); behind && behind->length == length) {
        thread = behind->thread;
        start = name_of;
      }
      const std::string threads = count_of_threads(source, loop.node, thread);
      if (threads.empty()) continue;
      const std::string turn = fmt::format("{} * {} + {}", counter, threads, thread);
      int count = 0;
      std::string text = replaced_all(body, start + " + " + counter, turn, count);
      text = replaced_all(std::move(text), counter + " + " + start, turn, count);
      if (count > 0) replace("0", condition, program.flat(loop.step), text);
    }
  }
  return result;
}

std::vector<Change> ThreadAxes::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    if (!source.reached[f] || !program.functions[f].kernel) continue;
    bool x = false, y = false;
    Change change = rewritten(source, name(), f, [&](std::size_t at) -> std::optional<std::string> {
      if (at < 2 || !program.tokens[at - 1].is(".") || !program.tokens[at - 2].is("threadIdx"))
        return std::nullopt;
      x = x || program.tokens[at].is("x");
      y = y || program.tokens[at].is("y");
      if (program.tokens[at].is("x")) return "y";
      return program.tokens[at].is("y") ? std::optional<std::string>("x") : std::nullopt;
    });
    if (x && y && !change.empty()) result.push_back(std::move(change));
  }
  return result;
}

}  // namespace evo::mutators
