// A barrier in two halves: threads say that they have come, do other work, and only then wait for the rest.
#include <algorithm>

#include <fmt/format.h>

#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"

namespace evo::mutators {
namespace {

using source::NodeKind;

/// So many statements stand between the halves at most.
constexpr int most_between = 3;

/// The path in an anchor, as a part of a name: "k/26.0.11#f2f43d12" -> "26_0_11".
std::string name_of_place(const std::string& anchor) {
  const std::size_t slash = anchor.find('/');
  std::string name = anchor.substr(slash + 1, anchor.rfind('#') - slash - 1);
  std::ranges::replace(name, '.', '_');
  return name;
}

/// A thread that has returned would never arrive.
bool returns_before(const EditedSource& source, const source::Function& function, std::size_t barrier) {
  const auto& tokens = source.program.tokens;
  const std::size_t end = source.program.nodes[barrier].span.begin;
  for (std::size_t i = source.program.nodes[function.body].span.begin; i < end; ++i) {
    if (tokens[i].is("return")) return true;
  }
  return false;
}

}  // namespace

std::vector<Change> BarrierSplit::changes(const EditedSource& source) const {
  std::vector<Change> result;
  const source::Program& program = source.program;
  for (const std::size_t node : barriers_of(source)) {
    const source::Node& it = program.nodes[node];
    const source::Function& function = program.functions[it.function];
    const auto& body = program.nodes[function.body].children;
    // A function may be called more often than once, and its barrier would be made anew each time.
    if (!is_block_barrier(source, node) || !function.kernel || !in_block(source, node)) continue;
    if (body.empty() || body.front() == node || returns_before(source, function, node)) continue;
    const std::string anchor = source::anchor_of(program, node), place = name_of_place(anchor);
    const std::string at = fmt::format("\"r\"((unsigned)__cvta_generic_to_shared(&evo_split_{}))", place);
    const std::string begin = fmt::format(
        "__shared__ unsigned long long evo_split_{0}; if (threadIdx.x + threadIdx.y + threadIdx.z == 0) asm "
        "volatile(\"mbarrier.init.shared.b64 [%0], %1;\" :: {1}, \"r\"(blockDim.x * blockDim.y * blockDim.z) "
        ": "
        "\"memory\"); __syncthreads();",
        place, at);
    const std::string arrive = fmt::format(
        "unsigned long long evo_state_{0}; asm volatile(\"mbarrier.arrive.shared.b64 %0, [%1];\" : "
        "\"=l\"(evo_state_{0}) : {1} : \"memory\");",
        place, at);
    const std::string wait = fmt::format(
        "{{ unsigned evo_done; do asm volatile(\"{{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; "
        "selp.u32 %0, 1, 0, p; }}\" : \"=r\"(evo_done) : {1}, \"l\"(evo_state_{0}) : \"memory\"); while "
        "(!evo_done); }}",
        place, at);
    for (int steps = 1; steps <= most_between; ++steps) {
      const auto last = sibling(source, node, steps);
      if (!last || is_barrier(source, *last)) break;
      const NodeKind kind = program.nodes[*last].kind;
      if (kind == NodeKind::jump || kind == NodeKind::label) break;
      result.push_back({{std::string(name()), source::anchor_of(program, body.front()), "before " + begin},
                        {std::string(name()), anchor, "replace " + arrive},
                        {std::string(name()), source::anchor_of(program, *last), "after " + wait}});
    }
  }
  return result;
}

}  // namespace evo::mutators
