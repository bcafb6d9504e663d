// Loops that compute with neighbours in a row load and store several of them at once.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "mutators/source_arrays.hpp"
#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_pointers.hpp"
#include "mutators/source_rewrite.hpp"
#include "mutators/source_sites.hpp"
#include "mutators/source_types.hpp"
#include "source/scope.hpp"

namespace evo::mutators {
namespace {

/// An array that the loop walks along.
struct Walked {
  std::string type, element;  ///< of what; "x[n + i]"
  int bytes = 0;
  const Array* shared = nullptr;  ///< its declaration, of a shared array
  bool read = false, written = false;
  std::vector<source::Span> places{};
};

/// What the loop walks along, each array in one way.
std::map<std::string, Walked> walked_by(const EditedSource& source, const std::vector<Array>& arrays,
                                        const ForLoop& loop, const std::string& counter) {
  const source::Program& program = source.program;
  const source::Span span = program.nodes[loop.body].span;
  std::map<std::string, Walked> walked;
  std::set<std::string> otherwise, inside;
  for (std::size_t node = 0; node < program.nodes.size(); ++node) {
    const source::Node& it = program.nodes[node];
    if (it.span.begin >= span.begin && it.span.end <= span.end)
      inside.merge(source::declared_by(program, node));
  }
  for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
    const source::Token& token = program.tokens[i];
    if (token.kind != source::TokenKind::name || !program.tokens[i + 1].is("[")) {
      continue;
    }
    const std::size_t close = source::closing(program.tokens, i + 1);
    if (close >= span.end) continue;
    const std::size_t declared = source::declaration_seen(program, loop.body, token.text);
    const auto array = std::ranges::find(arrays, declared, &Array::node);
    // The thread's own stays where it is, mostly in registers.
    if (declared != source::none && array != arrays.end() && !array->shared) continue;
    const bool target = is_target(source, span, i, close + 1);
    const bool only = target && program.tokens[close + 1].is("=");
    const std::string type = element_type(source, loop.body, token.text);
    const std::string element = program.flat({i, close + 1});
    const bool along = counts_along(program, {i + 2, close}, counter) && bytes_of(type) > 0 &&
                       !program.tokens[close + 1].is("[") && !program.tokens[i - 1].is("&") &&
                       !any_of_names(inside, source::names_in(program, {i, close}));
    auto known = walked.find(token.text);
    if (!along || (known != walked.end() && known->second.element != element)) {
      otherwise.insert(token.text);
      continue;
    }
    Walked& one = walked
                      .try_emplace(token.text, Walked{type, element, bytes_of(type),
                                                      array == arrays.end() ? nullptr : &*array})
                      .first->second;
    one.written = one.written || target;
    // Its first access reads, or it is a part of what is written.
    one.read = one.read || !only;
    one.places.push_back({i, close + 1});
  }
  // Rounds may need of each other what is reached in two ways: that is left as it is.
  for (const std::string& name : otherwise) walked.erase(name);
  return walked;
}

/// The loop that takes `width` elements at a time where it may, and else one by one. {wide} is the body over
/// rows.
constexpr const char* several_at_a_time =
    "replace for ({init} {first}; {test}; {counter} += {step}) {{ const auto evo_at = {counter}; "
    "if (({test_of_last}){aligned}) {{ {loads}_Pragma(\"unroll\") for (int evo_each = 0; evo_each < {width}; "
    "++evo_each) {{ const auto {counter} = evo_at + evo_each; {wide} }}{stores} }} "
    "else for (int evo_each = 0; evo_each < {width}; ++evo_each) {{ const auto {counter} = evo_at + "
    "evo_each; "
    "if ({test}) {body} }} }}";

/// One of them is written only if every round does so: a branch would leave the rest unwritten.
bool writes_always(const source::Program& program, const ForLoop& loop) {
  return std::ranges::all_of(loop.statements, [&](std::size_t statement) {
    const source::NodeKind kind = program.nodes[statement].kind;
    return kind == source::NodeKind::expression || kind == source::NodeKind::declaration;
  });
}

}  // namespace

// The wide way is taken where the addresses are aligned and all elements are the loop's; the rest goes one by
// one.
std::vector<Change> VectorLoop::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  const std::vector<Array> arrays = arrays_of(source);
  std::vector<Change> result;
  for (const ForLoop& loop : for_loops(source)) {
    const source::Node& it = program.nodes[loop.node];
    if (loop.declared.size() != 1 || !it.clean || jumps(source, it.span)) continue;
    const std::string& counter = *loop.declared.begin();
    const auto stride = stride_of(program, loop, counter);
    const auto begin = begin_of(program, loop, counter);
    if (!stride || !begin || changed_in(source, program.nodes[loop.body].span).contains(counter)) continue;
    auto walked = walked_by(source, arrays, loop, counter);
    if (walked.empty()) continue;
    const bool always = writes_always(program, loop);
    for (auto& [name, one] : walked) one.read = one.read || !always;
    const int bytes =
        std::ranges::max_element(walked, {}, [](const auto& one) { return one.second.bytes; })->second.bytes;
    for (const int size : {8, 16}) {
      const int width = size / bytes;
      if (width < 2) continue;
      std::string aligned, loads, stores;
      Change aligning;
      std::map<std::size_t, std::string> words;
      std::set<std::size_t> gone;
      for (const auto& [name, one] : walked) {
        const int wide = width * one.bytes;
        const std::string row = "evo_row_" + name;
        if (one.shared != nullptr) {
          const source::Span all = program.nodes[one.shared->node].span;
          aligning.push_back({std::string(this->name()), source::anchor_of(program, one.shared->node),
                              fmt::format("replace __align__({}) {}", wide, program.flat(all))});
        } else {
          aligned += fmt::format(" && (unsigned long long)&{} % {} == 0", one.element, wide);
        }
        const char* type = wide == 16  ? "uint4"
                           : wide == 8 ? "uint2"
                           : wide == 4 ? "unsigned"
                                       : "unsigned short";
        loads += fmt::format("alignas({}) {} {}[{}]; ", wide, one.type, row, width);
        if (one.read)
          loads += fmt::format("*reinterpret_cast<{0}*>({1}) = *reinterpret_cast<const {0}*>(&{2}); ", type,
                               row, one.element);
        if (one.written)
          stores += fmt::format(" *reinterpret_cast<{0}*>(&{2}) = *reinterpret_cast<const {0}*>({1});", type,
                                row, one.element);
        for (const source::Span place : one.places) {
          words[place.begin] = row + "[evo_each]";
          for (std::size_t i = place.begin + 1; i < place.end; ++i) gone.insert(i);
        }
      }
      const auto word = [&](std::size_t at) -> std::optional<std::string> {
        if (gone.contains(at)) return std::string();
        const auto known = words.find(at);
        return known == words.end() ? std::nullopt : std::optional(known->second);
      };
      const auto last = [&](std::size_t at) -> std::optional<std::string> {
        if (!program.tokens[at].is(counter)) return std::nullopt;
        return fmt::format("({} + {})", counter, width - 1);
      };
      const source::Span body = program.nodes[loop.body].span;
      const bool turns = *stride != "1";
      Change change = one_edit(
          this->name(), source::anchor_of(program, loop.node),
          fmt::format(
              several_at_a_time, fmt::arg("init", program.flat({loop.init.begin, begin->begin})),
              fmt::arg("first",
                       turns ? fmt::format("({}) * {}", program.flat(*begin), width) : program.flat(*begin)),
              fmt::arg("test", program.flat(loop.condition)), fmt::arg("counter", counter),
              fmt::arg("step", turns ? fmt::format("({}) * {}", *stride, width) : std::to_string(width)),
              fmt::arg("test_of_last", flat_with(program, loop.condition, last)),
              fmt::arg("aligned", aligned), fmt::arg("loads", loads), fmt::arg("width", width),
              fmt::arg("wide", flat_with(program, body, word)), fmt::arg("stores", stores),
              fmt::arg("body", program.flat(body))));
      change.insert(change.end(), aligning.begin(), aligning.end());
      result.push_back(std::move(change));
    }
  }
  return result;
}

}  // namespace evo::mutators
