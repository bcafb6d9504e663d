// What any CUDA device must do, run against the fake driver on every machine and against the real one where
// there is a GPU (label gpu). The kernels are tiny and the same on both: as CUDA source and as C++ functions.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "evaluators/devices/cuda/cuda_device.hpp"

namespace evo::test {

/// One device with the suite's kernels:
/// add(float* a, float* b, float* c, int n), misaligned(float* a), illegal(float* a), endless(float* a),
/// overrun(float* a, int n): writes a[n], underrun(float* a): writes a[-1], busy(float* a, int rounds),
/// peek(unsigned* a): a[block * 32 + lane] is word `lane` of dynamic shared memory that it never wrote.
class SuiteDevice {
 public:
  virtual ~SuiteDevice() = default;
  /// A device of its own; null with a reason to skip in `why_not`.
  [[nodiscard]] virtual std::unique_ptr<evaluators::devices::Device> open() = 0;
  [[nodiscard]] virtual model::Artifact artifact(const std::string& entry) = 0;
  std::string why_not;
};
using SuiteFactory = std::unique_ptr<SuiteDevice> (*)();

class CudaDeviceSuite : public testing::TestWithParam<SuiteFactory> {
 protected:
  void SetUp() override;
  [[nodiscard]] evaluators::devices::ModuleId load(const std::string& entry);
  [[nodiscard]] evaluators::devices::BufferId buffer(std::uint64_t bytes, std::uint32_t misalignment = 0);
  void expect_fault(const std::string& entry, const std::string& reason);
  [[nodiscard]] evaluators::devices::Device& device() { return *device_; }

  std::unique_ptr<SuiteDevice> source_;
  std::unique_ptr<evaluators::devices::Device> device_;
};

/// The bytes of a scalar argument.
template <class T>
[[nodiscard]] evaluators::devices::KernelArgument scalar(T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  return std::vector<std::byte>(bytes, bytes + sizeof value);
}

}  // namespace evo::test
