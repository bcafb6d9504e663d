// Kernels of our own that prepare or disturb a candidate's launch: they fill shared memory, and move memory
// beside it.
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "evaluators/devices/cuda/driver_api.hpp"
#include "evaluators/devices/cuda/guard.hpp"
#include "evaluators/devices/cuda/handles.hpp"

namespace evo::evaluators::cuda {

/// PTX for any GPU since sm_70; the driver compiles it when it is loaded.
///   evo_fill_shared(u32 pattern, u32 words)           words of dynamic shared memory
///   evo_move_memory(u64 base, u32 words, u64 nanoseconds)   reads and writes `words` words again and again
///   evo_guards(GuardZones zones[64], u64 sums)
///                         fills the zones of zones[blockIdx.y] as fill_guard(); with `sums`, 64 bits for
///                         each, it adds the number of bytes that are others instead
///   evo_digest(Stretch stretches[64], u64 key, u64 sums)   adds digest_of() of stretches[blockIdx.y] to its
///   sum
[[nodiscard]] std::string_view helper_ptx();

/// Bytes [0, front) and [back, back + back_bytes) from `base` on, for fill_guard() with that seed.
struct GuardZones {
  std::uint64_t base = 0, back = 0;
  std::uint32_t front = 0, back_bytes = 0, seed = 0, unused = 0;
};
/// Bytes on the device that begin anywhere.
struct Stretch {
  std::uint64_t base = 0, bytes = 0;
};

/// Loaded once a context; the calls put work into a stream and do not wait. Not thread-safe.
class HelperKernels {
 public:
  /// Throws model::Exception(environment) when the driver does not take the kernels.
  HelperKernels(DriverPointer driver, CUdevice device);

  /// As much shared memory as a block can have, in two blocks a multiprocessor: one resident at a time.
  [[nodiscard]] CUresult fill_shared(std::uint32_t pattern, CUstream stream);
  /// How many zones or stretches one launch takes; there may be any number.
  static constexpr std::size_t most_together = 64;
  [[nodiscard]] CUresult fill_guards(std::span<const GuardZones> all, CUstream stream);
  /// Sums that there is room for.
  static constexpr std::size_t most_sums = 4096;
  /// Where they stand, the first at 0; for a copy to the host.
  [[nodiscard]] CUdeviceptr sums();
  /// The first `count` are zero: what follows adds to them.
  [[nodiscard]] CUresult clear_sums(std::size_t count, CUstream stream);
  /// How many bytes of each are not what fill_guards() wrote, into the sums from `place` on.
  [[nodiscard]] CUresult check_guards(std::span<const GuardZones> all, std::size_t place, CUstream stream);
  /// digest_of() of each, into the sums from `place` on.
  [[nodiscard]] CUresult digest(std::span<const Stretch> all, std::uint64_t key, std::size_t place,
                                CUstream stream);
  /// Twice the L2. Throws model::Exception(environment), like move_memory(), when there is no memory for it.
  [[nodiscard]] CUresult flush_cache(CUstream stream);
  /// Reads devices::emptying_l2s times the L2: unlike a flush it leaves no line that has to be written back
  /// first. Memory for it is allocated at the first call; throws like flush_cache().
  [[nodiscard]] CUresult read_past_cache(CUstream stream);
  /// On load_stream(); half of the multiprocessors get a block.
  [[nodiscard]] CUresult move_memory(std::chrono::nanoseconds duration);
  [[nodiscard]] CUstream load_stream() const { return stream_.get(); }

  /// The context is lost: nothing is freed any more.
  void abandon();

 private:
  /// Memory that nobody else uses, allocated at the first call.
  [[nodiscard]] CUdeviceptr scratch();
  [[nodiscard]] CUresult guards(std::span<const GuardZones> all, std::uint64_t sums, CUstream stream);

  DriverPointer driver_;
  Module module_;
  Stream stream_;
  Memory scratch_, sums_, past_;
  CUfunction fill_ = nullptr, move_ = nullptr, guard_ = nullptr, digest_ = nullptr;
  std::uint64_t scratch_bytes_ = 0, past_bytes_ = 0;
  unsigned multiprocessors_ = 0, shared_bytes_ = 0;
  std::uint32_t flushes_ = 0;
};

}  // namespace evo::evaluators::cuda
