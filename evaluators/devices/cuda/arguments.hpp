// Kernel arguments in the form cuLaunchKernel takes: one pointer per parameter, each to bytes of that size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::cuda {

/// Device memory that holds zeros before every launch.
struct ZeroedRange {
  std::uint64_t address = 0, bytes = 0;
};

/// Device memory that holds a copy of what stands elsewhere before every launch.
struct RestoredRange {
  std::uint64_t address = 0, from = 0, bytes = 0;
};

/// Owns the bytes; move keeps the pointers valid, so copies are forbidden.
class PackedArguments {
 public:
  /// `address_of` gives a buffer's base. `parameter_bytes` are the sizes that the kernel declares: the driver
  /// reads that many bytes behind each pointer, so a kernel with other parameters than the problem's must be
  /// refused here. The error says which parameter differs and how.
  [[nodiscard]] static tl::expected<PackedArguments, std::string> pack(
      std::span<const devices::KernelArgument> arguments, std::span<const std::size_t> parameter_bytes,
      const std::function<std::uint64_t(devices::BufferId)>& address_of);

  PackedArguments(PackedArguments&&) noexcept = default;
  PackedArguments& operator=(PackedArguments&&) noexcept = default;
  PackedArguments(const PackedArguments&) = delete;
  PackedArguments& operator=(const PackedArguments&) = delete;

  [[nodiscard]] void** pointers() { return pointers_.data(); }
  [[nodiscard]] std::size_t size() const { return pointers_.size(); }
  void zero(std::uint64_t address, std::uint64_t bytes) { zeroed_.push_back({address, bytes}); }
  [[nodiscard]] const std::vector<ZeroedRange>& zeroed() const { return zeroed_; }
  void restore(const RestoredRange& range) { restored_.push_back(range); }
  [[nodiscard]] const std::vector<RestoredRange>& restored() const { return restored_; }

 private:
  PackedArguments() = default;
  std::vector<std::byte> bytes_;
  std::vector<void*> pointers_;
  std::vector<ZeroedRange> zeroed_;
  std::vector<RestoredRange> restored_;
};

}  // namespace evo::evaluators::cuda
