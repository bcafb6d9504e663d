// Operators on how memory is accessed: hints of stores, wide accesses, and which thread takes which element.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_pointers.hpp"
#include "mutators/source_sites.hpp"
#include "source/scope.hpp"

namespace evo::mutators {
namespace {

/// The step of a loop's counter: 1 for ++, the text S of `i += S`, nothing for others.
std::optional<std::string> stride_of(const source::Program& program, const ForLoop& loop,
                                     const std::string& counter) {
  const source::Span step = loop.step;
  const auto token = [&](std::size_t at) -> const source::Token& { return program.tokens[step.begin + at]; };
  if (step.end - step.begin == 2 && (token(0).is("++") || token(1).is("++"))) return "1";
  if (step.end - step.begin < 3 || !token(0).is(counter) || !token(1).is("+=")) return std::nullopt;
  return program.flat({step.begin + 2, step.end});
}

/// What the counter begins with, of `int i = E`.
std::optional<source::Span> begin_of(const source::Program& program, const ForLoop& loop,
                                     const std::string& counter) {
  for (std::size_t i = loop.init.begin; i + 2 < loop.init.end; ++i) {
    if (program.tokens[i].is(",")) return std::nullopt;
    if (program.tokens[i].is(counter) && program.tokens[i + 1].is("="))
      return source::Span{i + 2, loop.init.end};
  }
  return std::nullopt;
}

/// An element of an array: NAME[..]..[index].
struct Element {
  std::string name;
  source::Span all, index;
};

std::optional<Element> element_at(const source::Program& program, std::size_t begin, std::size_t end) {
  if (program.tokens[begin].kind != source::TokenKind::name) return std::nullopt;
  Element element{program.tokens[begin].text, {begin, begin + 1}, {}};
  while (element.all.end < end && program.tokens[element.all.end].is("[")) {
    const std::size_t close = source::closing(program.tokens, element.all.end);
    if (close >= end) return std::nullopt;
    element.index = {element.all.end + 1, close};
    element.all.end = close + 1;
  }
  if (element.index.end == element.index.begin) return std::nullopt;
  return element;
}

/// The index is the counter, or a sum with it: neighbours in a row.
bool counts_along(const source::Program& program, source::Span index, const std::string& counter) {
  int uses = 0, depth = 0;
  bool summand = false;
  for (std::size_t i = index.begin; i < index.end; ++i) {
    const source::Token& token = program.tokens[i];
    if (token.is("(") || token.is("[")) ++depth;
    if (token.is(")") || token.is("]")) --depth;
    if (!token.is(counter)) {
      if (depth == 0 && (token.is("?") || token.is("<<") || token.is(">>") || token.is("^") || token.is("&")))
        return false;
      continue;
    }
    ++uses;
    const bool begins = i == index.begin || program.tokens[i - 1].is("+");
    const bool ends = i + 1 == index.end || program.tokens[i + 1].is("+") || program.tokens[i + 1].is("-");
    summand = depth == 0 && begins && ends;
  }
  return uses == 1 && summand;
}

int bytes_of(const std::string& words) {
  static constexpr std::array<std::pair<std::string_view, int>, 13> sizes{{{"float", 4},
                                                                           {"int", 4},
                                                                           {"unsigned", 4},
                                                                           {"unsigned int", 4},
                                                                           {"uint32_t", 4},
                                                                           {"int32_t", 4},
                                                                           {"__half", 2},
                                                                           {"half", 2},
                                                                           {"__nv_bfloat16", 2},
                                                                           {"double", 8},
                                                                           {"float2", 8},
                                                                           {"char", 1},
                                                                           {"unsigned char", 1}}};
  for (const auto& [name, size] : sizes) {
    if (words == name) return size;
  }
  return 0;
}

/// The element type of a name as a statement sees it: of a parameter, or of a declaration in the function.
std::string element_type(const EditedSource& source, std::size_t node, const std::string& name) {
  const source::Program& program = source.program;
  const std::size_t declared = source::declaration_seen(program, node, name);
  if (declared == source::none) {
    for (const Pointer& pointer : pointers_of(source, program.functions[program.nodes[node].function])) {
      if (pointer.name == name) return pointer.element;
    }
    return {};
  }
  std::string words;
  const source::Span span = program.nodes[declared].span;
  for (std::size_t i = span.begin; i < span.end && program.tokens[i].kind == source::TokenKind::name; ++i) {
    const std::string& word = program.tokens[i].text;
    if (word == name) break;
    if (word == "const" || word == "__shared__" || word == "extern" || word == "static") continue;
    words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

/// How many values threadIdx.x, or a number of a thread in its grid, has.
std::string count_of_threads(const EditedSource& source, std::size_t node, const std::string& index) {
  if (index == "threadIdx.x") return "blockDim.x";
  const std::size_t declared = source::declaration_seen(source.program, node, index);
  if (declared == source::none) return {};
  const source::Span span = source.program.nodes[declared].span;
  const std::string text = source.program.flat(span);
  if (text.find("threadIdx.x") == std::string::npos) return {};
  if (text.find("blockIdx.x") != std::string::npos) return "(gridDim.x * blockDim.x)";
  return text.ends_with("= threadIdx.x;") ? "blockDim.x" : std::string();
}

/// `T * C` as (T, C) where T numbers threads.
struct Chunk {
  std::string thread, length;
};

std::optional<Chunk> chunk_of(const source::Program& program, source::Span span) {
  for (std::size_t i = span.begin + 1; i + 1 < span.end; ++i) {
    if (!program.tokens[i].is("*")) continue;
    Chunk chunk{program.flat({span.begin, i}), program.flat({i + 1, span.end})};
    if (chunk.thread.find_first_of("+-*/(? ") != std::string::npos) return std::nullopt;
    return chunk;
  }
  return std::nullopt;
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

std::vector<Change> StoreHint::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = program.nodes[node];
    if (it.kind != source::NodeKind::expression || !program.functions[it.function].kernel) continue;
    const auto element = element_at(program, it.span.begin, it.span.end);
    if (!element || !program.tokens[element->all.end].is("=")) continue;
    const auto pointers = pointers_of(source, program.functions[it.function]);
    const bool global = std::ranges::any_of(pointers, [&](const Pointer& pointer) {
      return pointer.name == element->name && !pointer.constant && bytes_of(pointer.element) > 0;
    });
    if (!global || source::declaration_seen(program, node, element->name) != source::none) continue;
    const std::string value = program.flat({element->all.end + 1, it.span.end - 1});
    for (const char* hint : {"__stcg", "__stcs", "__stwt"})
      result.push_back(
          one_edit(name(), source::anchor_of(program, node),
                   fmt::format("replace {}(&{}, {});", hint, program.flat(element->all), value)));
  }
  return result;
}

// Whether the addresses are aligned and the count divides is for the gates: a wide access that is neither is
// refused as misaligned or out of bounds.
std::vector<Change> VectorAccess::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const ForLoop& loop : for_loops(source)) {
    if (loop.declared.size() != 1 || loop.statements.size() != 1) continue;
    const std::string& counter = *loop.declared.begin();
    const std::size_t statement = loop.statements.front();
    const source::Span span = program.nodes[statement].span;
    if (program.nodes[statement].kind != source::NodeKind::expression || !program.nodes[loop.node].clean)
      continue;
    const auto to = element_at(program, span.begin, span.end);
    if (!to || !program.tokens[to->all.end].is("=")) continue;
    const auto from = element_at(program, to->all.end + 1, span.end);
    if (!from || from->all.end != span.end - 1) continue;
    if (!counts_along(program, to->index, counter) || !counts_along(program, from->index, counter)) continue;
    const std::string type = element_type(source, statement, to->name);
    const int bytes = bytes_of(type);
    if (bytes == 0 || type != element_type(source, statement, from->name)) continue;
    const auto stride = stride_of(program, loop, counter);
    const auto begin = begin_of(program, loop, counter);
    if (!stride || !begin) continue;
    for (const auto& [wide, size] : {std::pair{"uint2", 8}, std::pair{"uint4", 16}}) {
      const int width = size / bytes;
      if (width < 2) continue;
      // Threads that take turns take turns of `width` elements.
      const std::string first =
          *stride == "1" ? program.flat(*begin) : fmt::format("({}) * {}", program.flat(*begin), width);
      const std::string step =
          *stride == "1" ? std::to_string(width) : fmt::format("({}) * {}", *stride, width);
      result.push_back(one_edit(
          name(), source::anchor_of(program, loop.node),
          fmt::format("replace for ({} {}; {}; {} += {}) *reinterpret_cast<{}*>(&{}) = "
                      "*reinterpret_cast<const {}*>(&{});",
                      program.flat({loop.init.begin, begin->begin}), first, program.flat(loop.condition),
                      counter, step, wide, program.flat(to->all), wide, program.flat(from->all))));
    }
  }
  return result;
}

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
    Change change;
    bool x = false, y = false;
    const auto swapped = [&](source::Span span) {
      std::string text;
      bool any = false;
      for (std::size_t i = span.begin; i < span.end; ++i) {
        const source::Token& token = program.tokens[i];
        if (i > span.begin && token.begin > program.tokens[i - 1].end()) text += ' ';
        const bool of_index =
            i >= span.begin + 2 && program.tokens[i - 1].is(".") && program.tokens[i - 2].is("threadIdx");
        if (of_index && (token.is("x") || token.is("y"))) {
          any = true;
          (token.is("x") ? x : y) = true;
          text += token.is("x") ? "y" : "x";
        } else {
          text += token.text;
        }
      }
      return any ? text : std::string();
    };
    for (const std::size_t node : nodes_of(source)) {
      const source::Node& it = program.nodes[node];
      if (it.function != f) continue;
      const bool simple = it.kind == source::NodeKind::declaration || it.kind == source::NodeKind::expression;
      const bool headed = it.head.end > it.head.begin;
      if (!simple && !headed) continue;
      const std::string text = swapped(simple ? it.span : it.head);
      if (!text.empty())
        change.push_back(
            {std::string(name()), source::anchor_of(program, node), (simple ? "replace " : "head ") + text});
    }
    if (x && y) result.push_back(std::move(change));
  }
  return result;
}

std::vector<Change> ValueReuse::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  const auto& tokens = program.tokens;
  std::vector<Change> result;
  const std::vector<std::size_t> all = nodes_of(source);
  for (const std::size_t known : all) {
    const source::Node& it = program.nodes[known];
    const auto declared = source::declared_by(program, known);
    if (declared.size() != 1) continue;
    std::size_t sign = it.span.begin;
    while (sign < it.span.end && !tokens[sign].is("=")) ++sign;
    if (sign + 2 >= it.span.end || !tokens[sign - 1].is(*declared.begin())) continue;
    // One call or one element: what stands around it cannot divide it.
    const source::Span value{sign + 1, it.span.end - 1};
    if (tokens[value.begin].kind != source::TokenKind::name || value.end < value.begin + 4) continue;
    if (!tokens[value.begin + 1].is("[") && !tokens[value.begin + 1].is("(")) continue;
    if (source::closing(tokens, value.begin + 1) != value.end - 1) continue;
    const auto names = source::names_in(program, value);
    for (const std::size_t node : all) {
      const source::Node& use = program.nodes[node];
      if (use.function != it.function || use.span.begin < it.span.end) continue;
      if (use.kind != source::NodeKind::declaration && use.kind != source::NodeKind::expression) continue;
      if (source::declaration_seen(program, node, *declared.begin()) != known) continue;
      auto gone = changed_in(source, {it.span.end, use.span.begin});
      if (gone.contains(*declared.begin()) || any_of_names(gone, names)) continue;
      const std::size_t length = value.end - value.begin;
      for (std::size_t i = use.span.begin + 1; i + length < use.span.end; ++i) {
        const bool same =
            std::equal(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                       tokens.begin() + static_cast<std::ptrdiff_t>(i + length),
                       tokens.begin() + static_cast<std::ptrdiff_t>(value.begin),
                       [](const source::Token& a, const source::Token& b) { return a.text == b.text; });
        if (!same || is_target(source, use.span, i, i + length) || tokens[i - 1].is("::") ||
            tokens[i + length].is("[") || tokens[i + length].is("->"))
          continue;
        const bool meant = std::ranges::all_of(names, [&](const std::string& word) {
          return source::declaration_seen(program, node, word) ==
                 source::declaration_seen(program, known, word);
        });
        if (!meant) break;
        result.push_back(one_edit(name(), source::anchor_of(program, node),
                                  "replace " + program.flat({use.span.begin, i}) + " " + *declared.begin() +
                                      " " + program.flat({i + length, use.span.end})));
      }
    }
  }
  return result;
}

}  // namespace evo::mutators
