#include "evaluators/devices/virtual/exact/knowledge.hpp"

#include <algorithm>

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Both ascending by thread: the later clock of each.
std::vector<BlockKnowledge::Entry> merged(const std::vector<BlockKnowledge::Entry>& a,
                                          const std::vector<BlockKnowledge::Entry>& b) {
  std::vector<BlockKnowledge::Entry> result;
  result.reserve(std::max(a.size(), b.size()));
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    if (right == b.end() || (left != a.end() && left->thread < right->thread)) {
      result.push_back(*left++);
    } else if (left == a.end() || right->thread < left->thread) {
      result.push_back(*right++);
    } else {
      result.push_back({left->thread, std::max(left->clock, right->clock)});
      ++left;
      ++right;
    }
  }
  return result;
}

BlockKnowledge merged(const BlockKnowledge& a, const BlockKnowledge& b) {
  if (a.epoch != b.epoch) return a.epoch > b.epoch ? a : b;
  return {a.block, a.epoch, merged(a.threads, b.threads)};
}

}  // namespace

SharedKnowledge united(const SharedKnowledge& a, const SharedKnowledge& b) {
  if (a == nullptr || a == b) return b;
  if (b == nullptr) return a;
  auto result = std::make_shared<Knowledge>();
  result->reserve(std::max(a->size(), b->size()));
  auto left = a->begin();
  auto right = b->begin();
  while (left != a->end() || right != b->end()) {
    if (right == b->end() || (left != a->end() && left->block < right->block)) {
      result->push_back(*left++);
    } else if (left == a->end() || right->block < left->block) {
      result->push_back(*right++);
    } else {
      result->push_back(merged(*left++, *right++));
    }
  }
  return result;
}

void MeetingKnowledge::unite(const MeetingKnowledge& other) {
  foreign = united(foreign, other.foreign);
  fences_block = united(fences_block, other.fences_block);
  fences_device = united(fences_device, other.fences_device);
  seen_fences_block = united(seen_fences_block, other.seen_fences_block);
  seen_fences_device = united(seen_fences_device, other.seen_fences_device);
}

const BlockKnowledge* of_block(const SharedKnowledge& knowledge, std::uint64_t block) {
  if (knowledge == nullptr) return nullptr;
  const auto found = std::lower_bound(
      knowledge->begin(), knowledge->end(), block,
      [](const BlockKnowledge& entry, std::uint64_t wanted) { return entry.block < wanted; });
  return found != knowledge->end() && found->block == block ? &*found : nullptr;
}

bool covers(const BlockKnowledge& knowledge, std::uint32_t epoch, std::uint32_t thread, std::uint32_t clock) {
  if (knowledge.epoch != epoch) return knowledge.epoch > epoch;
  const auto found = std::lower_bound(
      knowledge.threads.begin(), knowledge.threads.end(), thread,
      [](const BlockKnowledge::Entry& entry, std::uint32_t wanted) { return entry.thread < wanted; });
  return found != knowledge.threads.end() && found->thread == thread && found->clock >= clock;
}

}  // namespace evo::evaluators::virtual_device::exact
