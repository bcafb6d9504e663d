#include "evaluators/devices/virtual/exact/knowledge.hpp"

#include <algorithm>
#include <utility>

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Both ascending by their keys, and so is the result; `both` makes one of two with the same key.
template <class Item, class Key, class Both>
std::vector<Item> merge(const std::vector<Item>& a, const std::vector<Item>& b, Key key, Both both) {
  std::vector<Item> result;
  result.reserve(std::max(a.size(), b.size()));
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    if (right == b.end() || (left != a.end() && key(*left) < key(*right))) {
      result.push_back(*left++);
    } else if (left == a.end() || key(*right) < key(*left)) {
      result.push_back(*right++);
    } else {
      result.push_back(both(*left++, *right++));
    }
  }
  return result;
}

BlockKnowledge merged(const BlockKnowledge& a, const BlockKnowledge& b) {
  if (a.epoch != b.epoch) return a.epoch > b.epoch ? a : b;
  using Entry = BlockKnowledge::Entry;
  return {a.block, a.epoch,
          merge(
              a.threads, b.threads, [](const Entry& entry) { return entry.thread; },
              [](const Entry& left, const Entry& right) {
                return Entry{left.thread, std::max(left.clock, right.clock)};
              })};
}

KnowledgePage merged(const KnowledgePage& a, const KnowledgePage& b) {
  if (a.blocks == b.blocks) return a;
  return {a.number,
          std::make_shared<const std::vector<BlockKnowledge>>(merge(
              *a.blocks, *b.blocks, [](const BlockKnowledge& of) { return of.block; },
              [](const BlockKnowledge& left, const BlockKnowledge& right) { return merged(left, right); }))};
}

}  // namespace

SharedKnowledge knowledge_of_one(BlockKnowledge block) {
  KnowledgePage page;
  page.number = block.block / blocks_of_page;
  page.blocks = std::make_shared<const std::vector<BlockKnowledge>>(1, std::move(block));
  return std::make_shared<const Knowledge>(1, std::move(page));
}

SharedKnowledge united(const SharedKnowledge& a, const SharedKnowledge& b) {
  if (a == nullptr || a == b) return b;
  if (b == nullptr) return a;
  return std::make_shared<const Knowledge>(merge(
      *a, *b, [](const KnowledgePage& page) { return page.number; },
      [](const KnowledgePage& left, const KnowledgePage& right) { return merged(left, right); }));
}

void MeetingKnowledge::unite(const MeetingKnowledge& other) {
  of_others = united(of_others, other.of_others);
  fences_block = united(fences_block, other.fences_block);
  fences_device = united(fences_device, other.fences_device);
  seen_fences_block = united(seen_fences_block, other.seen_fences_block);
  seen_fences_device = united(seen_fences_device, other.seen_fences_device);
}

const BlockKnowledge* of_block(const SharedKnowledge& knowledge, std::uint64_t block) {
  if (knowledge == nullptr) return nullptr;
  const std::uint64_t number = block / blocks_of_page;
  const auto page = std::ranges::lower_bound(*knowledge, number, {}, &KnowledgePage::number);
  if (page == knowledge->end() || page->number != number) return nullptr;
  const auto found = std::ranges::lower_bound(*page->blocks, block, {}, &BlockKnowledge::block);
  return found != page->blocks->end() && found->block == block ? &*found : nullptr;
}

bool covers(const BlockKnowledge& knowledge, std::uint32_t epoch, std::uint32_t thread, std::uint32_t clock) {
  if (knowledge.epoch != epoch) return knowledge.epoch > epoch;
  const auto found = std::lower_bound(
      knowledge.threads.begin(), knowledge.threads.end(), thread,
      [](const BlockKnowledge::Entry& entry, std::uint32_t wanted) { return entry.thread < wanted; });
  return found != knowledge.threads.end() && found->thread == thread && found->clock >= clock;
}

}  // namespace evo::evaluators::virtual_device::exact
