#include "evaluators/devices/virtual/late_stores.hpp"

#include <cstring>

namespace evo::evaluators::virtual_device {

bool LateStores::delay(std::uint64_t block, std::uint32_t thread, std::uint64_t address, unsigned width) {
  if (late_.erase(address) != 0 || width > widest || late_.size() >= most_late) return false;
  const Region* region = memory_.locate(address, width);
  if (region == nullptr) return false;
  Late late;
  late.block = block;
  late.thread = thread;
  late.width = width;
  std::memcpy(late.old.data(), region->data + (address - region->base), width);
  return late_.emplace(address, late).second;
}

void LateStores::settle(const ThreadsOfWarp& threads) {
  if (!late_.empty()) std::erase_if(late_, [&](const auto& entry) { return entry.second.known_by(threads); });
}

void LateStores::fence(const ThreadsOfWarp& threads) {
  for (auto& [address, late] : late_) {
    if (!late.known_by(threads)) continue;
    late.fenced = true;
    fenced_.insert(threads.block);
  }
}

void LateStores::tell(const ThreadsOfWarp& threads) {
  for (auto& [address, late] : late_) late.told |= late.known_by(threads);
}

void LateStores::show_fenced(std::uint64_t block) {
  if (fenced_.erase(block) == 0) return;
  std::erase_if(late_, [&](const auto& entry) { return entry.second.block == block && entry.second.fenced; });
}

bool LateStores::hide(std::uint64_t block, std::uint64_t address, unsigned width) {
  const auto found = late_.find(address);
  if (found == late_.end()) return false;
  if (found->second.block == block) {
    // Who has seen it passes it on.
    found->second.told = true;
    return false;
  }
  Late& late = found->second;
  const Region* region = memory_.locate(address, width);
  if (region == nullptr || late.width != width || ++late.misses > most_misses) {
    late_.erase(found);
    return false;
  }
  Hidden& hidden = hidden_.emplace_back();
  hidden.data = region->data + (address - region->base);
  hidden.width = width;
  std::memcpy(hidden.now.data(), hidden.data, width);
  std::memcpy(hidden.data, late.old.data(), width);
  return true;
}

void LateStores::show() {
  // Lanes may have read one place: the first of them holds what is there now.
  for (auto hidden = hidden_.rbegin(); hidden != hidden_.rend(); ++hidden)
    std::memcpy(hidden->data, hidden->now.data(), hidden->width);
  hidden_.clear();
}

}  // namespace evo::evaluators::virtual_device
