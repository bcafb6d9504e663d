#include "evaluators/devices/cuda/textures.hpp"

#include <algorithm>
#include <utility>

namespace evo::evaluators::cuda {
namespace {

CUarray_format format_of(model::DType dtype) {
  switch (dtype) {
    case model::DType::f16:
      return CU_AD_FORMAT_HALF;
    case model::DType::i8:
      return CU_AD_FORMAT_SIGNED_INT8;
    case model::DType::u8:
      return CU_AD_FORMAT_UNSIGNED_INT8;
    case model::DType::i16:
      return CU_AD_FORMAT_SIGNED_INT16;
    case model::DType::u16:
      return CU_AD_FORMAT_UNSIGNED_INT16;
    case model::DType::i32:
      return CU_AD_FORMAT_SIGNED_INT32;
    case model::DType::u32:
      return CU_AD_FORMAT_UNSIGNED_INT32;
    default:
      return CU_AD_FORMAT_FLOAT;
  }
}

CUaddress_mode address_mode(model::TextureAddress address) {
  switch (address) {
    case model::TextureAddress::wrap:
      return CU_TR_ADDRESS_MODE_WRAP;
    case model::TextureAddress::mirror:
      return CU_TR_ADDRESS_MODE_MIRROR;
    case model::TextureAddress::border:
      return CU_TR_ADDRESS_MODE_BORDER;
    default:
      return CU_TR_ADDRESS_MODE_CLAMP;
  }
}

/// Slices of an array: its layers, or its depth.
std::size_t slices_of(const model::TextureExtent& extent) {
  return static_cast<std::size_t>(extent.layers > 0 ? extent.layers : extent.size[2]);
}

}  // namespace

tl::expected<TextureObject, CUresult> TextureObject::make(const DriverPointer& driver,
                                                          const devices::TextureBinding& binding) {
  TextureObject made;
  made.binding_ = binding;
  if (const CUresult result = made.make_array(driver); result != CUDA_SUCCESS) return tl::unexpected(result);
  if (const CUresult result = made.make_object(driver); result != CUDA_SUCCESS) return tl::unexpected(result);
  return made;
}

CUresult TextureObject::make_array(const DriverPointer& driver) {
  if (binding_.model.memory == model::TextureMemory::linear) {
    CUdeviceptr address = 0;
    const CUresult result = driver->memory_allocate(&address, binding_.bytes());
    if (result == CUDA_SUCCESS) linear_ = Memory(driver, address);
    return result;
  }
  const model::TextureExtent& extent = binding_.extent;
  CUDA_ARRAY3D_DESCRIPTOR wanted{};
  wanted.Width = static_cast<std::size_t>(extent.size[0]);
  wanted.Height = extent.dimensions > 1 ? static_cast<std::size_t>(extent.size[1]) : 0;
  wanted.Depth = extent.layers > 0 || extent.dimensions > 2 ? slices_of(extent) : 0;
  wanted.Format = format_of(binding_.dtype);
  wanted.NumChannels = static_cast<unsigned>(binding_.model.channels);
  wanted.Flags = (extent.layers > 0 ? CUDA_ARRAY3D_LAYERED : 0U) |
                 (binding_.model.surface ? CUDA_ARRAY3D_SURFACE_LDST : 0U);
  CUarray array = nullptr;
  const CUresult result = driver->array_create(&array, &wanted);
  if (result == CUDA_SUCCESS) array_ = ArrayHandle(driver, array);
  return result;
}

CUresult TextureObject::make_object(const DriverPointer& driver) {
  const model::TextureModel& model = binding_.model;
  CUDA_RESOURCE_DESC resource{};
  if (model.memory == model::TextureMemory::linear) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = linear_.get();
    resource.res.linear.format = format_of(binding_.dtype);
    resource.res.linear.numChannels = static_cast<unsigned>(model.channels);
    resource.res.linear.sizeInBytes = binding_.bytes();
  } else {
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array_.get();
  }
  if (model.surface) {
    CUsurfObject object = 0;
    const CUresult result = driver->surface_create(&object, &resource);
    if (result == CUDA_SUCCESS) surface_ = SurfaceHandle(driver, object);
    return result;
  }
  CUDA_TEXTURE_DESC texture{};
  std::fill(std::begin(texture.addressMode), std::end(texture.addressMode), address_mode(model.address));
  texture.filterMode =
      model.filter == model::TextureFilter::linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  const bool integers = !model::is_floating(binding_.dtype) && !model.normalized_float;
  texture.flags =
      (integers ? CU_TRSF_READ_AS_INTEGER : 0U) | (model.normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0U);
  CUtexObject object = 0;
  const CUresult result = driver->texture_create(&object, &resource, &texture, nullptr);
  if (result == CUDA_SUCCESS) texture_ = TextureHandle(driver, object);
  return result;
}

CUresult TextureObject::fill(const DriverApi& driver, CUdeviceptr base, CUstream stream) const {
  return copy(driver, base, stream, false);
}

CUresult TextureObject::bring_back(const DriverApi& driver, CUdeviceptr base, CUstream stream) const {
  return copy(driver, base, stream, true);
}

CUresult TextureObject::copy(const DriverApi& driver, CUdeviceptr base, CUstream stream, bool back) const {
  if (binding_.model.memory == model::TextureMemory::linear)
    return driver.copy_on_device(linear_.get(), base, binding_.bytes(), stream);
  const model::TextureExtent& extent = binding_.extent;
  CUDA_MEMCPY3D region{};
  region.WidthInBytes = static_cast<std::size_t>(extent.size[0]) * binding_.texel_bytes();
  region.Height = static_cast<std::size_t>(extent.size[1]);
  region.Depth = slices_of(extent);
  if (back) {
    region.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    region.srcArray = array_.get();
    region.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    region.dstDevice = base;
    region.dstPitch = region.WidthInBytes;
    region.dstHeight = region.Height;
  } else {
    region.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    region.srcDevice = base;
    region.srcPitch = region.WidthInBytes;
    region.srcHeight = region.Height;
    region.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    region.dstArray = array_.get();
  }
  return driver.copy_3d(&region, stream);
}

void TextureObject::abandon() {
  texture_.abandon();
  surface_.abandon();
  array_.abandon();
  linear_.abandon();
}

}  // namespace evo::evaluators::cuda
