// What a fake GPU keeps: the things that handles stand for, and the device that they belong to.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tests/cuda/fake_gpu.hpp"

namespace evo::test {

// Named: FakeGpu::Device has members of these types.
namespace fake_parts {

inline FakeGpu* gpu = nullptr;

struct Call {
  FakeKernel* kernel = nullptr;
  FakeLaunch launch;
  std::function<void()> on_memory{};  ///< instead of a kernel: a copy or a fill
};
/// What a handle stands for. The fake owns them all: a context that was lost never destroys its own.
struct Object {
  Object() = default;
  Object(const Object&) = default;
  Object& operator=(const Object&) = default;
  virtual ~Object() = default;
};
struct MemoryData : Object {
  std::vector<std::byte> bytes;
};
struct GraphData : Object {
  std::vector<Call> calls;
};
struct EventData : Object {
  double at_us = 0;
  bool reached = true;  ///< false if recorded behind a kernel that hangs
};

template <class Handle, class T>
Handle handle_of(T* object) {
  return reinterpret_cast<Handle>(object);
}
template <class T, class Handle>
T* object_of(Handle handle) {
  return reinterpret_cast<T*>(handle);
}

}  // namespace fake_parts
using namespace fake_parts;

struct FakeGpu::Device {
  double now_us = 0;
  CUresult sticky = CUDA_SUCCESS;
  bool hangs = false;
  GraphData* capture = nullptr;
  std::map<Object*, std::unique_ptr<Object>> objects;
  std::map<CUdeviceptr, Object*> memory;

  template <class T>
  T* make(T value = {}) {
    auto object = std::make_unique<T>(std::move(value));
    T* const made = object.get();
    objects.emplace(made, std::move(object));
    return made;
  }

  /// What every call but a query returns first.
  [[nodiscard]] CUresult state() const {
    if (hangs) ++gpu->calls_after_loss;
    return sticky;
  }
  void run(const Call& call) {
    if (hangs || sticky != CUDA_SUCCESS) return;
    if (call.on_memory) return call.on_memory();
    if (call.kernel != &gpu->kernels["evo_guards"]) gpu->launches.push_back(call.launch);
    if (call.kernel->body) call.kernel->body(call.launch);
    now_us += call.kernel->microseconds;
    hangs = call.kernel->endless;
    sticky = call.kernel->fault;
  }
};

}  // namespace evo::test
