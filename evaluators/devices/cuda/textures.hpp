// Texture and surface objects of a buffer. A GPU keeps texels in arrays of its own order, so that there are
// two copies: the buffer is what the host writes, fills and reads, the array what kernels see. Every write
// goes on to the array, and before a read what a kernel wrote to a surface comes back; launches copy nothing.
#pragma once

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include "evaluators/devices/cuda/handles.hpp"
#include "evaluators/devices/kernel_arguments.hpp"

namespace evo::evaluators::cuda {

using ArrayHandle = Handle<CUarray, &DriverApi::array_destroy>;
using TextureHandle = Handle<CUtexObject, &DriverApi::texture_destroy>;
using SurfaceHandle = Handle<CUsurfObject, &DriverApi::surface_destroy>;

class TextureObject {
 public:
  /// Its array is not filled. Error: what the driver says.
  [[nodiscard]] static tl::expected<TextureObject, CUresult> make(const DriverPointer& driver,
                                                                  const devices::TextureBinding& binding);

  /// What the kernel takes.
  [[nodiscard]] std::uint64_t handle() const {
    return binding_.model.surface ? surface_.get() : texture_.get();
  }
  [[nodiscard]] const devices::TextureBinding& binding() const { return binding_; }
  /// In the stream: from the buffer, whose texels are row-major at `base`; and back.
  [[nodiscard]] CUresult fill(const DriverApi& driver, CUdeviceptr base, CUstream stream) const;
  [[nodiscard]] CUresult bring_back(const DriverApi& driver, CUdeviceptr base, CUstream stream) const;
  void abandon();

 private:
  [[nodiscard]] CUresult make_array(const DriverPointer& driver);
  [[nodiscard]] CUresult make_object(const DriverPointer& driver);
  [[nodiscard]] CUresult copy(const DriverApi& driver, CUdeviceptr base, CUstream stream, bool back) const;

  devices::TextureBinding binding_;
  // The object is destroyed before what it reads.
  ArrayHandle array_;
  Memory linear_;  ///< memory: linear
  TextureHandle texture_;
  SurfaceHandle surface_;
};

}  // namespace evo::evaluators::cuda
