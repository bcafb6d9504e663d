#include "evaluators/devices/cuda/tensor_maps.hpp"

#include <cstring>

#include <fmt/format.h>

namespace evo::evaluators::cuda {
namespace {

/// Copies move bits; signed and unsigned differ in nothing that a load sees.
CUtensorMapDataType data_type(model::DType dtype) {
  switch (dtype) {
    case model::DType::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case model::DType::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case model::DType::f32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case model::DType::f64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case model::DType::i8:
    case model::DType::u8:
    case model::DType::boolean:
    case model::DType::f8e4m3:
    case model::DType::f8e5m2:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case model::DType::i16:
    case model::DType::u16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case model::DType::i32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case model::DType::u32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case model::DType::i64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case model::DType::u64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

CUtensorMapSwizzle swizzle(std::uint32_t bytes) {
  switch (bytes) {
    case 32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    default:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

}  // namespace

tl::expected<std::vector<std::byte>, std::string> encode_tensor_map(const DriverApi& driver,
                                                                    const model::TensorMapPlan& map,
                                                                    CUdeviceptr base) {
  std::vector<std::byte> bytes(sizeof(CUtensorMap));
  if (!map.encodable || base % 16 != 0) return bytes;
  const std::vector<cuuint64_t> sizes(map.sizes.begin(), map.sizes.end());
  const std::vector<cuuint64_t> strides(map.strides.begin(), map.strides.end());
  const std::vector<cuuint32_t> box(map.box.begin(), map.box.end());
  const std::vector<cuuint32_t> steps(sizes.size(), 1);
  CUtensorMap encoded{};
  const CUresult result = driver.tensor_map_encode(
      &encoded, data_type(map.dtype), static_cast<cuuint32_t>(sizes.size()), reinterpret_cast<void*>(base),
      sizes.data(), strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
      swizzle(map.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    return tl::unexpected(
        fmt::format("tensor map {} cannot be made: {}", map.name, describe(driver, result)));
  std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return bytes;
}

}  // namespace evo::evaluators::cuda
