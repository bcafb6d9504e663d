// Owners of driver handles. A context that a fault or a hang has taken down blocks or fails on every call, so
// each owner can also abandon its handle: the process's end frees it.
#pragma once

#include <cuda.h>

#include <utility>

#include "evaluators/devices/cuda/driver_api.hpp"

namespace evo::evaluators::cuda {

/// Move-only; `Destroy` is the member of DriverApi that destroys the handle.
template <class T, auto Destroy>
class Handle {
 public:
  Handle() = default;
  Handle(DriverPointer driver, T value) : driver_(std::move(driver)), value_(value) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept
      : driver_(std::move(other.driver_)), value_(std::exchange(other.value_, T{})) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      driver_ = std::move(other.driver_);
      value_ = std::exchange(other.value_, T{});
    }
    return *this;
  }

  [[nodiscard]] T get() const { return value_; }
  void abandon() { value_ = T{}; }
  void reset() {
    if (value_ != T{}) ((*driver_).*Destroy)(value_);
    value_ = T{};
  }

 private:
  DriverPointer driver_;
  T value_{};
};

using Module = Handle<CUmodule, &DriverApi::module_unload>;
using Stream = Handle<CUstream, &DriverApi::stream_destroy>;
using Event = Handle<CUevent, &DriverApi::event_destroy>;
using Memory = Handle<CUdeviceptr, &DriverApi::memory_free>;
using Graph = Handle<CUgraph, &DriverApi::graph_destroy>;
using GraphExec = Handle<CUgraphExec, &DriverApi::graph_exec_destroy>;

}  // namespace evo::evaluators::cuda
