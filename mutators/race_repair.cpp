#include "mutators/race_repair.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "mutators/source_sites.hpp"

namespace evo::mutators {
namespace {

using source::anchor_of;
using source::NodeKind;
using source::none;

std::string detail_of(const model::Evidence& evidence, std::string_view key) {
  for (const auto& [name, value] : evidence.details) {
    if (name == key) return value;
  }
  return {};
}

/// "block (0,0,0) thread (5,0,0)" -> the thread's coordinates, or the block's
std::vector<int> numbers_of(const std::string& place, bool block) {
  std::vector<int> result;
  const std::size_t at = block ? place.find('(') : place.rfind('(');
  if (at == std::string::npos) return result;
  for (std::size_t i = at + 1; i < place.size();) {
    int value = 0;
    const auto [end, code] = std::from_chars(place.data() + i, place.data() + place.size(), value);
    if (code != std::errc()) break;
    result.push_back(value);
    if (*end == ')') break;
    i = static_cast<std::size_t>(end - place.data()) + 1;
  }
  return result;
}

bool two_blocks(const model::Evidence& evidence) {
  const auto a = numbers_of(detail_of(evidence, "thread"), true);
  const auto b = numbers_of(detail_of(evidence, "other_thread"), true);
  return a.size() == 3 && b.size() == 3 && a != b;
}

bool one_warp(const model::Evidence& evidence) {
  const auto a = numbers_of(detail_of(evidence, "thread"), false);
  const auto b = numbers_of(detail_of(evidence, "other_thread"), false);
  if (a.size() != 3 || b.size() != 3) return false;
  // Where a block has several rows its warps are not known from here.
  return a[1] == 0 && b[1] == 0 && a[2] == 0 && b[2] == 0 && a[0] / 32 == b[0] / 32;
}

std::vector<std::size_t> way_to(const source::Program& program, std::size_t node) {
  std::vector<std::size_t> way;
  for (; node != none; node = program.nodes[node].parent) way.push_back(node);
  std::reverse(way.begin(), way.end());
  return way;
}

class Places {
 public:
  Places(const EditedSource& source, const source::Edits& made) : source_(source), made_(made) {}

  std::vector<source::Edits> take() { return std::move(found_); }

  /// `made` without each of its edits that took a barrier away.
  void revert() {
    for (std::size_t i = made_.size(); i-- > 0;) {
      if (!made_[i].operation.starts_with("barrier_") && made_[i].operation != "async_wait") continue;
      // Where one proposal made several, they go together.
      source::Edits rest = made_;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (made_[i].operation != "barrier_insert") propose(std::move(rest));
    }
  }

  void between(const Race& race) {
    for (const std::size_t a : nodes_at(race.line)) {
      for (const std::size_t b : nodes_at(race.other_line)) {
        if (race.blocks) {
          fences(std::min(a, b), std::max(a, b));
        } else if (a != b) {
          pair(std::min(a, b), std::max(a, b), race.same_warp);
        } else {
          alone(a, race.same_warp);
        }
      }
    }
  }

 private:
  void propose(source::Edits edits) {
    if (std::find(found_.begin(), found_.end(), edits) == found_.end()) found_.push_back(std::move(edits));
  }

  struct Place {
    std::size_t node = none;
    bool before = true;
  };

  /// In front of (behind) a statement of a block.
  void put(std::size_t node, bool before) {
    if (in_block(source_, node)) places_.push_back({node, before});
  }

  /// The weak barrier at the likeliest place, the full one at all places, then the weak one at the others.
  void propose_places(bool weak) {
    const auto insert = [&](const Place& place, const char* barrier) {
      source::Edits edits = made_;
      edits.push_back({std::string(race_repair_name), anchor_of(source_.program, place.node),
                       std::string(place.before ? "before " : "after ") + barrier});
      propose(std::move(edits));
    };
    if (weak && !places_.empty()) insert(places_.front(), "__syncwarp();");
    for (const Place& place : places_) insert(place, "__syncthreads();");
    for (const Place& place : places_) {
      if (weak) insert(place, "__syncwarp();");
    }
    places_.clear();
  }

  /// The innermost statements that begin at or before a line and end at or behind it.
  [[nodiscard]] std::vector<std::size_t> nodes_at(int line) const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < source_.program.nodes.size(); ++i) {
      const source::Node& node = source_.program.nodes[i];
      if (!source_.editable(node) || node.span.end <= node.span.begin || node.kind == NodeKind::block)
        continue;
      if (source_.program.line(source_.program.first(node)) > line ||
          source_.program.line(source_.program.last(node)) < line)
        continue;
      // A child takes its parent's place.
      std::erase_if(result, [&](std::size_t known) {
        const auto way = way_to(source_.program, i);
        return std::find(way.begin(), way.end(), known) != way.end();
      });
      result.push_back(i);
    }
    return result;
  }

  /// Of the innermost loops of a way, from step `from` on: the end of the body and its begin.
  void loops_around(const std::vector<std::size_t>& way, std::size_t from = 0) {
    for (std::size_t k = way.size(); k-- > from;) {
      const source::Node& node = source_.program.nodes[way[k]];
      if (node.kind != NodeKind::loop) continue;
      for (const std::size_t child : node.children) {
        const source::Node& body = source_.program.nodes[child];
        if (body.kind != NodeKind::block || body.children.empty()) continue;
        // Within the later access's own loop each turn begins behind it.
        if (from > 0) put(body.children.front(), true);
        put(body.children.back(), false);
        if (from == 0) put(body.children.front(), true);
      }
    }
  }

  /// The innermost statement of a block around a node: where text can be put.
  [[nodiscard]] std::size_t in_a_block(std::size_t node) const {
    while (node != none && !in_block(source_, node)) node = source_.program.nodes[node].parent;
    return node;
  }

  void fences(std::size_t a, std::size_t b) {
    const std::size_t first = in_a_block(a), second = in_a_block(b);
    if (first == none || second == none) return;
    const auto fence = [&](std::size_t node, const char* side) {
      return source::Edit{std::string(race_repair_name), anchor_of(source_.program, node),
                          std::string(side) + " __threadfence();"};
    };
    source::Edits behind = made_, before = made_;
    behind.push_back(fence(first, "after"));
    before.push_back(fence(second, "before"));
    source::Edits both = behind;
    both.push_back(before.back());
    propose(std::move(behind));
    propose(std::move(before));
    propose(std::move(both));
  }

  void alone(std::size_t node, bool weak) {
    loops_around(way_to(source_.program, node));
    put(node, true);
    put(node, false);
    propose_places(weak);
  }

  /// `a` stands before `b` in the text.
  void pair(std::size_t a, std::size_t b, bool weak) {
    const auto first = way_to(source_.program, a), second = way_to(source_.program, b);
    std::size_t common = 0;
    while (common < first.size() && common < second.size() && first[common] == second[common]) ++common;
    if (common == 0) {
      // In two functions: around both.
      alone(b, weak);
      alone(a, weak);
      return;
    }
    const std::vector<std::size_t> shared(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(common));
    const bool guarded = ordered(first, second, common);
    if (guarded) {
      // They race with each other's next turn, or with the next call's.
      loops_around(shared);
      if (common < second.size()) put(second[common], false);
      if (common < first.size()) put(first[common], true);
    }
    if (common < second.size()) put(second[common], true);
    loops_around(second, common);
    if (common < first.size()) put(first[common], false);
    if (!guarded) loops_around(shared);
    propose_places(weak);
  }

  /// A barrier that is still there stands between the two in the innermost block that both are in.
  [[nodiscard]] bool ordered(const std::vector<std::size_t>& first, const std::vector<std::size_t>& second,
                             std::size_t common) const {
    if (common >= first.size() || common >= second.size()) return false;
    for (std::size_t i = first[common] + 1; i < second[common]; ++i) {
      const source::Node& node = source_.program.nodes[i];
      if (node.parent != first[common - 1] || !is_barrier(source_, i)) continue;
      const std::string anchor = anchor_of(source_.program, i);
      const bool gone = std::any_of(made_.begin(), made_.end(), [&](const source::Edit& edit) {
        return edit.anchor == anchor && !edit.payload.starts_with("before") &&
               !edit.payload.starts_with("after");
      });
      if (!gone) return true;
    }
    return false;
  }

  const EditedSource& source_;
  const source::Edits& made_;
  std::vector<Place> places_;
  std::vector<source::Edits> found_;
};

}  // namespace

std::vector<Race> races_of(const std::vector<model::Evidence>& evidence, std::string_view file) {
  std::vector<Race> races;
  for (const model::Evidence& one : evidence) {
    if (!one.kind.starts_with("race_") && one.kind != "async_not_waited") continue;
    if (one.line == 0 || (!file.empty() && one.file != file)) continue;
    const std::string other_file = detail_of(one, "other_file");
    int other = std::atoi(detail_of(one, "other_line").c_str());
    if (other == 0 || (!file.empty() && other_file != file)) other = one.line;
    const bool blocks = two_blocks(one);
    races.push_back({one.line, other, !blocks && one_warp(one), blocks});
  }
  return races;
}

std::vector<source::Edits> race_repairs(const EditedSource& source, const source::Edits& made,
                                        const std::vector<Race>& races) {
  Places places(source, made);
  places.revert();
  for (const Race& race : races) places.between(race);
  return places.take();
}

}  // namespace evo::mutators
