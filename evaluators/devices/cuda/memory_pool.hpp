// Allocations that are used again: taking memory from the driver and giving it back costs more than most
// launches, and a run needs the same sizes in every trial.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "evaluators/devices/cuda/handles.hpp"
#include "evaluators/devices/cuda/scattered_memory.hpp"
#include "evaluators/devices/device.hpp"

namespace evo::evaluators::cuda {

/// Device memory by size. Not thread-safe, like the context that owns it.
class MemoryPool {
 public:
  /// What is kept on a device with so much memory, of which other workers want some, too.
  [[nodiscard]] static std::uint64_t capacity_for(std::uint64_t device_bytes);
  explicit MemoryPool(std::uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}
  /// An allocation of exactly `bytes`, with what it last held.
  [[nodiscard]] std::optional<Memory> take(std::uint64_t bytes);
  /// Keeps `memory`, or frees it if the pool would hold more than its capacity.
  void give_back(std::uint64_t bytes, Memory memory);
  /// Scattered memory by its geometry; some megabytes each, so that all of it is kept.
  [[nodiscard]] std::optional<ScatteredMemory> take(const std::string& geometry);
  void give_back(const std::string& geometry, ScatteredMemory memory);
  /// Frees all that is kept.
  void clear();
  /// Forgets all that is kept, without a call to the driver: the context is lost.
  void abandon();

 private:
  std::uint64_t capacity_bytes_;
  std::multimap<std::uint64_t, Memory> kept_;
  std::multimap<std::string, ScatteredMemory> scattered_;
  std::uint64_t kept_bytes_ = 0;
};

/// Page-locked host memory in powers of two. Thread-safe; blocks that are out keep the pool alive, and are
/// given back from any thread. Past `capacity_bytes`, or without such memory, blocks are ordinary memory.
class PinnedPool : public std::enable_shared_from_this<PinnedPool> {
 public:
  explicit PinnedPool(DriverPointer driver) : driver_(std::move(driver)) {}
  ~PinnedPool();
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  [[nodiscard]] devices::HostBytes take(std::size_t bytes);
  /// The context is lost: nothing is freed any more.
  void abandon();

  static constexpr std::size_t capacity_bytes = std::size_t{1} << 30;

 private:
  void give_back(std::size_t block_bytes, std::byte* block);

  DriverPointer driver_;
  std::mutex mutex_;
  std::multimap<std::size_t, std::byte*> idle_;
  std::size_t allocated_ = 0;
  bool abandoned_ = false;
};

}  // namespace evo::evaluators::cuda
