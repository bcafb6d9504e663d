// A driver table whose device is this process's memory and whose kernels are C++ functions: what CudaDevice
// asks of a driver, with its habits (asynchronous faults, a kernel that never ends, captured graphs), but no
// GPU.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "evaluators/devices/cuda/driver_api.hpp"

namespace evo::test {

struct FakeLaunch {
  std::array<unsigned, 3> grid{}, block{};
  unsigned dynamic_smem = 0;
  bool cooperative = false;
  std::vector<std::vector<std::byte>> arguments;

  template <class T>
  [[nodiscard]] T argument(std::size_t index) const {
    T value{};
    std::copy_n(arguments.at(index).data(), sizeof value, reinterpret_cast<std::byte*>(&value));
    return value;
  }
};

struct FakeKernel {
  std::vector<std::size_t> parameter_bytes;
  std::function<void(const FakeLaunch&)> body;
  CUresult fault = CUDA_SUCCESS;    ///< reported by the next call after the launch, and by all later ones
  CUresult refusal = CUDA_SUCCESS;  ///< returned by the launch itself
  bool endless = false;
  double microseconds = 10;
};

class FakeGpu {
 public:
  FakeGpu();
  ~FakeGpu();
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;

  /// One fake at a time: the driver's functions are plain C functions.
  [[nodiscard]] evaluators::cuda::DriverPointer driver() const;

  std::map<std::string, FakeKernel> kernels;                ///< from the start: evo's own helpers
  std::map<std::string, std::vector<std::byte>> variables;  ///< of every module
  int device_count = 1;
  unsigned smem_limit = 227 * 1024;
  unsigned most_cooperative_blocks = 132;
  CUresult load_result = CUDA_SUCCESS;
  std::uint64_t memory_left = std::uint64_t{1} << 32;

  struct Live {
    int allocations = 0, host_blocks = 0, modules = 0, events = 0, streams = 0, graphs = 0, contexts = 0;
    int ranges = 0, mappings = 0;
    int arrays = 0, objects = 0;
    friend bool operator==(const Live&, const Live&) = default;
  };
  Live live;
  int graph_launches = 0;
  int calls_after_loss = 0;  ///< calls other than queries once a kernel hangs: each would block for ever
  std::vector<FakeLaunch> launches;
  /// As they were asked for. A handle of a texture or surface is the address of its texels.
  std::vector<CUDA_ARRAY3D_DESCRIPTOR> arrays;
  std::vector<CUDA_TEXTURE_DESC> textures;

  struct Device;
  std::unique_ptr<Device> device;
};

}  // namespace evo::test
