// Kernels of our own that prepare or disturb a candidate's launch: they fill shared memory, and move memory
// beside it.
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdint>
#include <string_view>

#include "evaluators/devices/cuda/driver_api.hpp"
#include "evaluators/devices/cuda/guard.hpp"
#include "evaluators/devices/cuda/handles.hpp"

namespace evo::evaluators::cuda {

/// PTX for any GPU since sm_70; the driver compiles it when it is loaded.
///   evo_fill_shared(u32 pattern, u32 words)           words of dynamic shared memory
///   evo_move_memory(u64 base, u32 words, u64 nanoseconds)   reads and writes `words` words again and again
///   evo_fill_guards(u64 base, u32 front, u64 back, u32 back_bytes, u32 seed)
///                         bytes [0, front) and [back, back + back_bytes) from `base` on, as fill_guard()
///   evo_digest(u64 base, u64 bytes, u64 key, u64 sum)   adds digest_of() to the 64 bits at `sum`
[[nodiscard]] std::string_view helper_ptx();

/// Loaded once a context; the calls put work into a stream and do not wait. Not thread-safe.
class HelperKernels {
 public:
  /// Throws model::Exception(environment) when the driver does not take the kernels.
  HelperKernels(DriverPointer driver, CUdevice device);

  /// As much shared memory as a block can have, in two blocks a multiprocessor: one resident at a time.
  [[nodiscard]] CUresult fill_shared(std::uint32_t pattern, CUstream stream);
  /// Both guard zones of a buffer whose allocation begins at `allocation`; each below 4 GiB.
  [[nodiscard]] CUresult fill_guards(CUdeviceptr allocation, const GuardedLayout& layout, std::uint32_t seed,
                                     CUstream stream);
  /// Sums that digest() makes at once.
  static constexpr std::size_t most_digests = 64;
  /// Where they stand, the first at 0; for a copy to the host.
  [[nodiscard]] CUdeviceptr digests();
  /// All zero: digest() adds to them.
  [[nodiscard]] CUresult clear_digests(CUstream stream);
  /// digest_of() of bytes that begin anywhere, into that place.
  [[nodiscard]] CUresult digest(CUdeviceptr base, std::uint64_t bytes, std::uint64_t key, std::size_t place,
                                CUstream stream);
  /// Twice the L2. Throws model::Exception(environment), like move_memory(), when there is no memory for it.
  [[nodiscard]] CUresult flush_cache(CUstream stream);
  /// On load_stream(); half of the multiprocessors get a block.
  [[nodiscard]] CUresult move_memory(std::chrono::nanoseconds duration);
  [[nodiscard]] CUstream load_stream() const { return stream_.get(); }

  /// The context is lost: nothing is freed any more.
  void abandon();

 private:
  /// Memory that nobody else uses, allocated at the first call.
  [[nodiscard]] CUdeviceptr scratch();

  DriverPointer driver_;
  Module module_;
  Stream stream_;
  Memory scratch_, digests_;
  CUfunction fill_ = nullptr, move_ = nullptr, guard_ = nullptr, digest_ = nullptr;
  std::uint64_t scratch_bytes_ = 0;
  unsigned multiprocessors_ = 0, shared_bytes_ = 0;
  std::uint32_t flushes_ = 0;
};

}  // namespace evo::evaluators::cuda
