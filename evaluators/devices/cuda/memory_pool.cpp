#include "evaluators/devices/cuda/memory_pool.hpp"

#include <algorithm>
#include <bit>

namespace evo::evaluators::cuda {

std::uint64_t MemoryPool::capacity_for(std::uint64_t device_bytes) {
  return std::clamp(device_bytes / 16, std::uint64_t{256} << 20, std::uint64_t{4} << 30);
}

std::optional<Memory> MemoryPool::take(std::uint64_t bytes) {
  const auto found = kept_.find(bytes);
  if (found == kept_.end()) return std::nullopt;
  Memory memory = std::move(found->second);
  kept_.erase(found);
  kept_bytes_ -= bytes;
  return memory;
}

void MemoryPool::give_back(std::uint64_t bytes, Memory memory) {
  if (memory.get() == 0 || kept_bytes_ + bytes > capacity_bytes_) return;
  kept_bytes_ += bytes;
  kept_.emplace(bytes, std::move(memory));
}

std::optional<ScatteredMemory> MemoryPool::take(const std::string& geometry) {
  const auto found = scattered_.find(geometry);
  if (found == scattered_.end()) return std::nullopt;
  ScatteredMemory memory = std::move(found->second);
  scattered_.erase(found);
  return memory;
}

void MemoryPool::give_back(const std::string& geometry, ScatteredMemory memory) {
  scattered_.emplace(geometry, std::move(memory));
}

void MemoryPool::clear() {
  kept_.clear();
  scattered_.clear();
  kept_bytes_ = 0;
}

void MemoryPool::abandon() {
  for (auto& [bytes, memory] : kept_) memory.abandon();
  for (auto& [geometry, memory] : scattered_) memory.abandon();
  clear();
}

PinnedPool::~PinnedPool() {
  if (abandoned_) return;
  for (const auto& [bytes, block] : idle_) driver_->host_free(block);
}

devices::HostBytes PinnedPool::take(std::size_t bytes) {
  const std::size_t block_bytes = std::bit_ceil(std::max<std::size_t>(bytes, 4096));
  std::byte* block = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = idle_.find(block_bytes); found != idle_.end()) {
      block = found->second;
      idle_.erase(found);
    } else if (!abandoned_ && allocated_ + block_bytes <= capacity_bytes) {
      void* fresh = nullptr;
      if (driver_->host_allocate(&fresh, block_bytes, 0) == CUDA_SUCCESS) {
        block = static_cast<std::byte*>(fresh);
        allocated_ += block_bytes;
      }
    }
  }
  if (block == nullptr) {
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-c-arrays): uninitialised on purpose
    auto plain = std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(bytes, 1));
    return {std::shared_ptr<std::byte>(plain, plain.get()), bytes};
  }
  const auto release = [pool = shared_from_this(), block_bytes](std::byte* held) {
    pool->give_back(block_bytes, held);
  };
  return {std::shared_ptr<std::byte>(block, release), bytes};
}

void PinnedPool::give_back(std::size_t block_bytes, std::byte* block) {
  const std::scoped_lock lock(mutex_);
  idle_.emplace(block_bytes, block);
}

void PinnedPool::abandon() {
  const std::scoped_lock lock(mutex_);
  abandoned_ = true;
}

}  // namespace evo::evaluators::cuda
