// Arrays of a thread that would lie in local memory: into registers, or into shared memory.
#include <algorithm>

#include <fmt/format.h>

#include "mutators/source_arrays.hpp"
#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_rewrite.hpp"
#include "mutators/source_sites.hpp"
#include "source/scope.hpp"

namespace evo::mutators {
namespace {

constexpr std::string_view number_of_thread =
    "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)";

/// Does an index of the array, within the loop, name the loop's counter?
bool counts_in(const source::Program& program, const ForLoop& loop, const std::string& array) {
  const source::Span span = program.nodes[loop.node].span;
  for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
    if (!program.tokens[i].is(array)) continue;
    for (std::size_t at = i + 1; at < span.end && program.tokens[at].is("[");) {
      const std::size_t close = source::closing(program.tokens, at);
      if (close >= span.end) break;
      if (any_of_names(loop.declared, source::names_in(program, {at + 1, close}))) return true;
      at = close + 1;
    }
  }
  return false;
}

}  // namespace

// An array is kept in registers only where every index is known when it is compiled: one loop that is left as
// it is keeps all of it in memory, so that unrolling one loop at a time gains nothing until the last.
std::vector<Change> ArrayRegisters::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const Array& array : arrays_of(source)) {
    if (array.shared || array.fixed) continue;
    Change change;
    for (const ForLoop& loop : for_loops(source)) {
      if (source::declaration_seen(program, loop.body, array.name) != array.node) continue;
      if (counts_in(program, loop, array.name))
        change.push_back({std::string(name()), source::anchor_of(program, loop.node), "pragma unroll"});
    }
    if (!change.empty()) result.push_back(std::move(change));
  }
  return result;
}

std::vector<Change> ArrayShared::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  if (source.threads == 0) return result;
  for (const Array& array : arrays_of(source)) {
    if (array.shared || array.fixed || !in_block(source, array.node) || array.lengths.size() != 1) continue;
    const source::Node& it = program.nodes[array.node];
    const std::string rest = program.flat({array.end, it.span.end}), length = program.flat(array.lengths[0]);
    const bool zeros = rest == "= {};" || rest == "={};" || rest == "= {0};" || rest == "= {0.0f};";
    if (rest != ";" && !zeros) continue;
    // Its name alone would be an address of other elements.
    const source::Span body = program.nodes[program.functions[it.function].body].span;
    std::size_t declared_at = it.span.begin;
    while (!program.tokens[declared_at].is(array.name)) ++declared_at;
    bool always = true;
    std::vector<std::size_t> ends;
    for (std::size_t i = body.begin; i < body.end && always; ++i) {
      if (!program.tokens[i].is(array.name) || i == declared_at) continue;
      const bool member = program.tokens[i - 1].is(".") || program.tokens[i - 1].is("->");
      always = program.tokens[i + 1].is("[") && !member && i >= it.span.end && !program.tokens[i - 1].is("&");
      if (always) ends.push_back(source::closing(program.tokens, i + 1));
    }
    if (!always || ends.empty()) continue;
    Change change = rewritten(source, name(), it.function, [&](std::size_t at) -> std::optional<std::string> {
      if (std::ranges::find(ends, at) == ends.end()) return std::nullopt;
      return fmt::format("][{}]", number_of_thread);
    });
    if (change.empty()) continue;
    std::string text =
        fmt::format("replace __shared__ {} {}[{}][{}];", array.type, array.name, length, source.threads);
    if (zeros)
      text += fmt::format(" for (int evo_each = 0; evo_each < ({}); ++evo_each) {}[evo_each][{}] = 0;",
                          length, array.name, number_of_thread);
    change.push_back({std::string(name()), source::anchor_of(program, array.node), std::move(text)});
    result.push_back(std::move(change));
  }
  return result;
}

}  // namespace evo::mutators
