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

using Entry = BlockKnowledge::Entry;
using Blocks = std::vector<BlockKnowledge>;

/// Does `a` have, for all keys of `b`, as much or more? Both ascend by key.
template <class Item, class Key, class Covers>
bool all_covered(const std::vector<Item>& a, const std::vector<Item>& b, Key key, Covers covers) {
  if (a.size() < b.size()) return false;
  auto at = a.begin();
  for (const Item& item : b) {
    while (at != a.end() && key(*at) < key(item)) ++at;
    if (at == a.end() || key(*at) != key(item) || !covers(*at, item)) return false;
  }
  return true;
}

std::uint32_t thread_of(const Entry& entry) {
  return entry.thread;
}
std::uint64_t block_of(const BlockKnowledge& of) {
  return of.block;
}
std::uint64_t number_of(const KnowledgePage& page) {
  return page.number;
}

bool covers_all(const BlockKnowledge& a, const BlockKnowledge& b) {
  if (a.epoch != b.epoch) return a.epoch > b.epoch;
  if (a.threads == b.threads || b.threads == nullptr) return true;
  return a.threads != nullptr &&
         all_covered(*a.threads, *b.threads, thread_of,
                     [](const Entry& left, const Entry& right) { return left.clock >= right.clock; });
}

BlockKnowledge merged(const BlockKnowledge& a, const BlockKnowledge& b) {
  if (covers_all(a, b)) return a;
  if (covers_all(b, a)) return b;
  const auto both = [](const Entry& left, const Entry& right) {
    return Entry{left.thread, std::max(left.clock, right.clock)};
  };
  return {a.block, a.epoch,
          std::make_shared<const BlockKnowledge::Entries>(merge(*a.threads, *b.threads, thread_of, both))};
}

bool covers_page(const KnowledgePage& a, const KnowledgePage& b) {
  return a.blocks == b.blocks || all_covered(*a.blocks, *b.blocks, block_of, covers_all);
}

KnowledgePage merged(const KnowledgePage& a, const KnowledgePage& b) {
  if (covers_page(a, b)) return a;
  if (covers_page(b, a)) return b;
  const auto both = [](const BlockKnowledge& left, const BlockKnowledge& right) {
    return merged(left, right);
  };
  return {a.number, std::make_shared<const Blocks>(merge(*a.blocks, *b.blocks, block_of, both))};
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
  if (all_covered(*b, *a, number_of, covers_page)) return b;
  if (all_covered(*a, *b, number_of, covers_page)) return a;
  const auto both = [](const KnowledgePage& left, const KnowledgePage& right) { return merged(left, right); };
  return std::make_shared<const Knowledge>(merge(*a, *b, number_of, both));
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
  if (knowledge.threads == nullptr) return false;
  const auto found = std::ranges::lower_bound(*knowledge.threads, thread, {}, &Entry::thread);
  return found != knowledge.threads->end() && found->thread == thread && found->clock >= clock;
}

}  // namespace evo::evaluators::virtual_device::exact
