// Operators on barriers: they always compile, so that the race gate is what judges them.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"

namespace evo::mutators {
namespace {

using source::anchor_of;
using source::NodeKind;

constexpr std::string_view block_barrier = "__syncthreads";
constexpr const char* full_barrier = "__syncthreads();";

/// From the weaker to the stronger, in families.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> strengths{
    {{"__syncwarp", "__syncthreads"},
     {"__threadfence_block", "__threadfence"},
     {"__threadfence", "__threadfence_system"}}};

/// Children of the block that is a loop's body.
const std::vector<std::size_t>* body_of(const EditedSource& source, std::size_t loop) {
  for (const std::size_t child : source.program.nodes[loop].children) {
    const source::Node& node = source.program.nodes[child];
    if (node.kind == NodeKind::block && !node.children.empty()) return &node.children;
  }
  return nullptr;
}

bool is_loop(const EditedSource& source, std::size_t node) {
  return source.program.nodes[node].kind == NodeKind::loop;
}

}  // namespace

std::vector<Change> BarrierDelete::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t node : barriers_of(source))
    result.push_back(one_edit(name(), anchor_of(source.program, node), "delete"));
  return result;
}

std::vector<Change> BarrierInsert::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    if (!in_block(source, node) || is_barrier(source, node)) continue;
    // Two in a row are one.
    const auto before = sibling(source, node, -1);
    if (before && is_barrier(source, *before)) continue;
    result.push_back(
        one_edit(name(), anchor_of(source.program, node), std::string("before ") + full_barrier));
  }
  return result;
}

std::vector<Change> BarrierMove::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t node : barriers_of(source)) {
    for (const int steps : {1, -1, 2, -2, 3, -3}) {
      const auto target = sibling(source, node, steps);
      // Past an empty statement or next to another barrier nothing changes.
      if (!target || is_barrier(source, *target)) continue;
      const NodeKind kind = source.program.nodes[*target].kind;
      if (kind == NodeKind::empty || kind == NodeKind::label || kind == NodeKind::jump) continue;
      result.push_back(one_edit(
          name(), anchor_of(source.program, node),
          std::string(steps > 0 ? "move after " : "move before ") + anchor_of(source.program, *target)));
    }
  }
  return result;
}

std::vector<Change> BarrierLoop::changes(const EditedSource& source) const {
  std::vector<Change> result;
  const auto move = [&](std::size_t node, const char* side, std::size_t target) {
    result.push_back(one_edit(name(), anchor_of(source.program, node),
                              std::string("move ") + side + " " + anchor_of(source.program, target)));
  };
  for (const std::size_t node : barriers_of(source)) {
    if (!in_block(source, node)) continue;
    const std::size_t loop = source.program.nodes[source.program.nodes[node].parent].parent;
    if (loop != source::none && is_loop(source, loop) && in_block(source, loop)) {
      move(node, "before", loop);
      move(node, "after", loop);
    }
    for (const int steps : {1, -1}) {
      const auto beside = sibling(source, node, steps);
      if (!beside || !is_loop(source, *beside)) continue;
      if (const auto* body = body_of(source, *beside)) {
        move(node, "before", body->front());
        move(node, "after", body->back());
      }
    }
  }
  return result;
}

std::vector<Change> BarrierMerge::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t node : barriers_of(source)) {
    for (int steps = 2; steps <= 4; ++steps) {
      const auto other = sibling(source, node, steps);
      if (!other) break;
      if (!is_barrier(source, *other)) continue;
      for (int at = 1; at < steps; ++at) {
        const std::size_t between = *sibling(source, node, at);
        Change both = one_edit(name(), anchor_of(source.program, *other), "delete");
        both.push_back({std::string(name()), anchor_of(source.program, node),
                        "move after " + anchor_of(source.program, between)});
        result.push_back(std::move(both));
      }
      break;
    }
  }
  return result;
}

namespace {

/// Every call of `from` in a statement that orders, as `to`.
void add_renamed(const EditedSource& source, std::string_view operation, std::string_view from,
                 std::string_view to, std::vector<Change>& result) {
  for (const std::size_t node : barriers_of(source)) {
    const source::Span span = source.program.nodes[node].span;
    // A barrier of the block may be written in other ways.
    const bool block = from == block_barrier && is_block_barrier(source, node);
    if (!block && !source.program.tokens[span.begin].is(from)) continue;
    result.push_back(
        one_edit(operation, anchor_of(source.program, node), "replace " + std::string(to) + "();"));
  }
}

}  // namespace

namespace {

/// From the wider to the narrower scope of what a statement says itself.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> scopes{
    {{"thread_scope_system", "thread_scope_device"},
     {"thread_scope_device", "thread_scope_block"},
     {"memory_order_acq_rel", "memory_order_relaxed"},
     {"memory_order_acquire", "memory_order_relaxed"},
     {"memory_order_release", "memory_order_relaxed"}}};
/// Of the functions, by their ends; without one the scope is the device.
constexpr std::string_view of_block = "_block", of_system = "_system";

bool is_atomic(std::string_view word) {
  static constexpr std::array<std::string_view, 11> functions{
      "atomicAdd", "atomicSub", "atomicExch", "atomicMin", "atomicMax", "atomicInc",
      "atomicDec", "atomicCAS", "atomicAnd",  "atomicOr",  "atomicXor"};
  return std::any_of(functions.begin(), functions.end(), [&](std::string_view function) {
    const std::string_view rest = word.starts_with(function) ? word.substr(function.size()) : "?";
    return rest.empty() || rest == of_block || rest == of_system;
  });
}

bool is_single(const EditedSource& source, std::size_t node) {
  const NodeKind kind = source.program.nodes[node].kind;
  return kind == NodeKind::expression || kind == NodeKind::declaration;
}

/// Atomics and orders of memory with another scope, one word at a time.
void add_scopes(const EditedSource& source, std::string_view operation, bool wider,
                std::vector<Change>& result) {
  for (const std::size_t node : nodes_of(source)) {
    if (!is_single(source, node)) continue;
    const source::Span span = source.program.nodes[node].span;
    const auto change = [&](std::size_t at, const std::string& word) {
      result.push_back(one_edit(operation, anchor_of(source.program, node),
                                "replace " + with_token(source, span, at, word)));
    };
    for (std::size_t i = span.begin; i < span.end; ++i) {
      const std::string& word = source.program.tokens[i].text;
      for (const auto& [wide, narrow] : scopes) {
        if (word == (wider ? narrow : wide)) change(i, std::string(wider ? wide : narrow));
      }
      if (!is_atomic(word)) continue;
      const bool block = word.ends_with(of_block), system = word.ends_with(of_system);
      if (wider ? system : block) continue;
      const std::string_view end = wider ? of_system : of_block;
      change(i, block || system ? word.substr(0, word.rfind('_')) : word + std::string(end));
    }
  }
}

/// A barrier of whole warps that stand beside each other: what lies between a warp's and a block's. Barrier 0
/// is the block's, so that there are 15 for groups.
void add_groups(const EditedSource& source, std::string_view operation, std::vector<Change>& result) {
  for (const std::size_t node : barriers_of(source)) {
    if (!is_block_barrier(source, node)) continue;
    for (int group = 64; group < source.threads; group *= 2) {
      if (source.threads % group != 0 || source.threads / group > 15) continue;
      result.push_back(one_edit(
          operation, anchor_of(source.program, node),
          fmt::format("replace asm volatile(\"bar.sync %0, %1;\" :: \"r\"(1 + (threadIdx.x + blockDim.x * "
                      "(threadIdx.y + blockDim.y * threadIdx.z)) / {0}), \"n\"({0}) : \"memory\");",
                      group)));
    }
  }
}

}  // namespace

std::vector<Change> BarrierWeaken::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const auto& [weaker, stronger] : strengths) add_renamed(source, name(), stronger, weaker, result);
  add_groups(source, name(), result);
  add_scopes(source, name(), false, result);
  return result;
}

std::vector<Change> BarrierStrengthen::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const auto& [weaker, stronger] : strengths) add_renamed(source, name(), weaker, stronger, result);
  add_scopes(source, name(), true, result);
  return result;
}

std::vector<Change> FenceInsert::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    if (!is_single(source, node) || !in_block(source, node)) continue;
    const source::Span span = source.program.nodes[node].span;
    bool speaks = false;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      const source::Token& token = source.program.tokens[i];
      // Methods of atomics; a function may have such a name, too.
      const bool method =
          i > span.begin && (source.program.tokens[i - 1].is(".") || source.program.tokens[i - 1].is("->"));
      speaks = speaks || is_atomic(token.text) || token.is("volatile") ||
               (method && (token.text.starts_with("fetch_") || token.text.starts_with("compare_exchange_") ||
                           token.is("store") || token.is("load") || token.is("exchange")));
    }
    if (!speaks || source.program.tokens[span.begin].is("asm")) continue;
    for (const char* side : {"before", "after"})
      result.push_back(
          one_edit(name(), anchor_of(source.program, node), std::string(side) + " __threadfence();"));
  }
  return result;
}

}  // namespace evo::mutators
