// Operators on groups of asynchronous copies (cp.async): where a group is closed, and how many may be under
// way. In inline PTX, as __pipeline_*, as methods of cuda::pipeline, and behind functions of such names.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"

namespace evo::mutators {
namespace {

using source::anchor_of;
using source::NodeKind;

constexpr int most_under_way = 7;

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// What a statement that is one call calls, without template arguments: "pipe.producer_commit"; of an asm its
/// text.
struct Call {
  std::string callee, arguments;
};

std::optional<Call> call_of(const source::Program& program, std::size_t node) {
  const source::Node& it = program.nodes[node];
  if (it.kind != NodeKind::expression || it.span.end < it.span.begin + 4) return std::nullopt;
  std::size_t open = it.span.begin;
  while (open < it.span.end && !program.tokens[open].is("(")) {
    // Of an assignment the value is somebody's.
    if (program.tokens[open].is("=")) return std::nullopt;
    ++open;
  }
  if (open + 1 >= it.span.end || source::closing(program.tokens, open) + 2 != it.span.end)
    return std::nullopt;
  Call call;
  int angles = 0;
  for (std::size_t i = it.span.begin; i < open; ++i) {
    const source::Token& token = program.tokens[i];
    if (token.is("<")) ++angles;
    if (angles == 0 && !token.is("volatile") && !token.is("__volatile__")) call.callee += token.text;
    if (token.is(">")) --angles;
  }
  for (std::size_t i = open + 1; i + 2 < it.span.end; ++i) call.arguments += program.tokens[i].text;
  return call;
}

/// Closes a group of copies.
bool commits(const Call& call) {
  if (call.callee == "asm" || call.callee == "__asm__")
    return has(call.arguments, "cp.async.commit_group") && !has(call.arguments, "wait");
  return call.arguments.empty() && (has(call.callee, "commit") || has(call.callee, "cp_async_fence")) &&
         !has(call.callee, "wgmma") && !has(call.callee, "warpgroup");
}

/// Waits for groups.
bool waits(const Call& call) {
  if (call.callee == "asm" || call.callee == "__asm__") return has(call.arguments, "cp.async.wait_");
  return has(call.callee, "wait_prior") || has(call.callee, "consumer_wait") ||
         (call.arguments.empty() && has(call.callee, "wait") &&
          (has(call.callee, "async") || has(call.callee, "copies") || has(call.callee, "group")));
}

/// Functions of the text that do nothing else, as in `void close() { if (ASYNC) commit_copies(); }`.
std::set<std::string> functions_that(const source::Program& program, bool (*wanted)(const Call&)) {
  std::map<std::size_t, bool> only;
  for (std::size_t node = 0; node < program.nodes.size(); ++node) {
    const source::Node& it = program.nodes[node];
    if (it.kind == NodeKind::block || it.kind == NodeKind::branch || it.kind == NodeKind::empty) continue;
    const auto call = call_of(program, node);
    only.try_emplace(it.function, true).first->second &= call && wanted(*call);
  }
  std::set<std::string> names;
  for (const auto& [function, all] : only) {
    if (all && !program.functions[function].kernel) names.insert(program.functions[function].name);
  }
  return names;
}

std::vector<std::size_t> all_that(const EditedSource& source, bool (*wanted)(const Call&)) {
  std::vector<std::size_t> result;
  const std::set<std::string> functions = functions_that(source.program, wanted);
  for (const std::size_t node : nodes_of(source)) {
    const auto call = call_of(source.program, node);
    if (call && (wanted(*call) || functions.contains(call->callee))) result.push_back(node);
  }
  return result;
}

/// The wait with its number `by` more: of the text of an asm, of an operand, of an argument.
std::vector<source::Edit> stepped(const EditedSource& source, std::string_view operation, std::size_t node,
                                  int by) {
  const auto& tokens = source.program.tokens;
  const source::Span span = source.program.nodes[node].span;
  std::vector<source::Edit> result;
  const auto step = [&](std::size_t at, std::string_view before, std::string_view digits,
                        std::string_view after) {
    int count = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (code != std::errc() || end != digits.data() + digits.size()) return;
    const int next = count + by;
    if (next < 0 || next > most_under_way) return;
    const std::string text = std::string(before) + std::to_string(next) + std::string(after);
    result.push_back({std::string(operation), anchor_of(source.program, node),
                      "replace " + with_token(source, span, at, text)});
  };
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (tokens[i].kind == source::TokenKind::number) step(i, "", tokens[i].text, "");
    const std::string_view text = tokens[i].text;
    const std::size_t group = text.find("wait_group ");
    if (tokens[i].kind != source::TokenKind::text || group == std::string_view::npos) continue;
    const std::size_t begin = group + 11;
    const std::size_t end = text.find_first_not_of("0123456789", begin);
    if (end == std::string_view::npos || end == begin) continue;
    step(i, text.substr(0, begin), text.substr(begin, end - begin), text.substr(end));
  }
  return result;
}

/// All waits of the function with their number `by` more, where they have one.
void add_stepped(const EditedSource& source, std::string_view operation, std::size_t function, int by,
                 Change& change) {
  for (const std::size_t wait : all_that(source, waits)) {
    if (source.program.nodes[wait].function != function) continue;
    const auto edits = stepped(source, operation, wait, by);
    if (!edits.empty()) change.push_back(edits.front());
  }
}

bool is_place(const EditedSource& source, std::size_t node) {
  const NodeKind kind = source.program.nodes[node].kind;
  return kind != NodeKind::empty && kind != NodeKind::label && kind != NodeKind::jump;
}

}  // namespace

std::vector<Change> AsyncWait::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t wait : all_that(source, waits)) {
    for (const int by : {1, -1}) {
      for (source::Edit& edit : stepped(source, name(), wait, by)) result.push_back({std::move(edit)});
    }
  }
  return result;
}

std::vector<Change> AsyncGroup::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  const auto move = [&](std::size_t node, const std::string& how, std::size_t target) {
    result.push_back(one_edit(name(), anchor_of(program, node), how + anchor_of(program, target)));
  };
  // Waits that barrier_move does not see: behind a function of a header.
  std::vector<std::size_t> moved = all_that(source, commits);
  const std::vector<std::size_t> closing = moved;
  for (const std::size_t wait : all_that(source, waits)) {
    if (!is_barrier(source, wait)) moved.push_back(wait);
  }
  for (const std::size_t node : moved) {
    for (const int steps : {1, -1, 2, -2, 3, -3}) {
      const auto target = sibling(source, node, steps);
      if (target && is_place(source, *target))
        move(node, steps > 0 ? "move after " : "move before ", *target);
    }
    if (!in_block(source, node)) continue;
    const std::size_t loop = program.nodes[program.nodes[node].parent].parent;
    if (loop != source::none && program.nodes[loop].kind == NodeKind::loop && in_block(source, loop)) {
      move(node, "move before ", loop);
      move(node, "move after ", loop);
    }
    for (const int steps : {1, -1}) {
      const auto beside = sibling(source, node, steps);
      if (!beside || program.nodes[*beside].kind != NodeKind::loop || program.nodes[*beside].children.empty())
        continue;
      const source::Node& body = program.nodes[program.nodes[*beside].children.front()];
      if (body.kind == NodeKind::block && !body.children.empty())
        move(node, "move after ", body.children.back());
    }
  }
  for (const std::size_t commit : closing) {
    // Its copies join the next group: as many are under way with one group less.
    Change joined = one_edit(name(), anchor_of(program, commit), "delete");
    result.push_back(joined);
    add_stepped(source, name(), program.nodes[commit].function, -1, joined);
    if (joined.size() > 1) result.push_back(std::move(joined));
    for (const int steps : {-2, -3}) {
      const auto target = sibling(source, commit, steps);
      if (!target || !is_place(source, *target)) continue;
      Change divided =
          one_edit(name(), anchor_of(program, commit), "copy after " + anchor_of(program, *target));
      add_stepped(source, name(), program.nodes[commit].function, 1, divided);
      result.push_back(std::move(divided));
    }
  }
  return result;
}

}  // namespace evo::mutators
