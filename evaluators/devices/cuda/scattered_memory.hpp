// Device memory in stretches that lie far apart: one range of addresses, of which only the stretches are
// backed. A kernel that touches what lies between them faults. So offsets beyond 32 bits can be tried on any
// GPU, with megabytes.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/devices/cuda/driver_api.hpp"
#include "evaluators/devices/device.hpp"

namespace evo::evaluators::cuda {

/// Owns the addresses and what backs them. Move-only.
class ScatteredMemory {
 public:
  /// Backs `parts` of a range of `bytes` bytes, each with `slack` bytes more behind it, in the driver's
  /// granules (2 MiB). The error is the driver's; nothing is kept then.
  [[nodiscard]] static tl::expected<ScatteredMemory, CUresult> make(
      const DriverPointer& driver, CUdevice device, std::uint64_t bytes,
      const std::vector<devices::BufferPart>& parts, std::uint64_t slack);
  ~ScatteredMemory() { reset(); }
  ScatteredMemory(ScatteredMemory&& other) noexcept;
  ScatteredMemory& operator=(ScatteredMemory&& other) noexcept;

  /// Aligned to a granule.
  [[nodiscard]] CUdeviceptr base() const { return base_; }
  /// Forgets without a call to the driver: the context is lost.
  void abandon() { base_ = 0; }

 private:
  ScatteredMemory(DriverPointer driver, CUdeviceptr base, std::uint64_t reserved)
      : driver_(std::move(driver)), base_(base), reserved_(reserved) {}
  void reset();
  [[nodiscard]] CUresult back(CUdevice device, const devices::BufferPart& granules);

  DriverPointer driver_;
  CUdeviceptr base_ = 0;
  std::uint64_t reserved_ = 0;
  std::vector<devices::BufferPart> mapped_;
};

}  // namespace evo::evaluators::cuda
