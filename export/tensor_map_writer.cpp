#include "export/tensor_map_writer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::exporting {
namespace {

constexpr const char* includes = "#include <cuda.h>\n#include <cuda_runtime.h>\n\n#include \"evo_tma.cuh\"\n";

constexpr const char* encoder = R"(
/// Fills `map` through the driver (cuTensorMapEncodeTiled). Where a stride or the address is no multiple of 16 bytes
/// there is no such map: `map` is all zeros then, and the kernel copies in another way. False: the driver refuses.
/// Needs CUDA 12.5 or newer.
inline bool encode_tensor_map(TensorMap* map, CUtensorMapDataType type, const void* base, unsigned rank,
                              const unsigned long long* sizes, const unsigned long long* strides,
                              const unsigned* box, long long swizzle_bytes) {
  *map = TensorMap{};
  bool possible = reinterpret_cast<unsigned long long>(base) % 16 == 0;
  for (unsigned i = 0; i + 1 < rank; ++i) possible = possible && strides[i] % 16 == 0;
  for (unsigned i = 0; i < rank; ++i) possible = possible && sizes[i] > 0;
  if (!possible) return true;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess) {
    return false;
  }
  const cuuint64_t all_sizes[5] = {sizes[0], rank > 1 ? sizes[1] : 1, rank > 2 ? sizes[2] : 1,
                                   rank > 3 ? sizes[3] : 1, rank > 4 ? sizes[4] : 1};
  cuuint64_t all_strides[4] = {};
  for (unsigned i = 0; i + 1 < rank; ++i) all_strides[i] = strides[i];
  const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  const CUtensorMapSwizzle swizzle = swizzle_bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                     : swizzle_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : swizzle_bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                           : CU_TENSOR_MAP_SWIZZLE_NONE;
  static_assert(sizeof(TensorMap) == sizeof(CUtensorMap), "the kernel's parameter is a CUtensorMap");
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
             reinterpret_cast<CUtensorMap*>(map), type, rank, const_cast<void*>(base), all_sizes, all_strides, box,
             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
)";

std::string map_type(model::DType dtype) {
  switch (dtype) {
    case model::DType::f16:
      return "FLOAT16";
    case model::DType::bf16:
      return "BFLOAT16";
    case model::DType::f32:
      return "FLOAT32";
    case model::DType::f64:
      return "FLOAT64";
    case model::DType::i8:
    case model::DType::u8:
    case model::DType::boolean:
    case model::DType::f8e4m3:
    case model::DType::f8e5m2:
      return "UINT8";
    case model::DType::i16:
    case model::DType::u16:
      return "UINT16";
    case model::DType::i32:
      return "INT32";
    case model::DType::u32:
      return "UINT32";
    case model::DType::i64:
      return "INT64";
    case model::DType::u64:
      return "UINT64";
  }
  return "UINT8";
}

model::Expected<std::string> write_map(const ExportRequest& request, const Names& names,
                                       const model::TensorMapModel& map) {
  const auto& arguments = request.problem.arguments;
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const auto& each) { return each.name == map.argument; });
  if (found == arguments.end())
    return tl::make_unexpected(
        model::Error{fmt::format("tensor map {}: there is no array '{}'", map.name, map.argument)});
  const std::int64_t element = model::size_of(found->dtype);
  std::vector<std::string> sizes, strides, box;
  for (std::size_t i = 0; i < map.order.size(); ++i) {
    auto size = names.cpp(found->shape.at(map.order[i]));
    if (!size) return size;
    sizes.push_back(fmt::format("static_cast<unsigned long long>({})", *size));
    auto side = names.cpp(map.box.at(i));
    if (!side) return side;
    box.push_back(fmt::format("static_cast<unsigned>({})", *side));
    if (i == 0) continue;
    auto stride = names.cpp(found->strides.at(map.order[i]));
    if (!stride) return stride;
    strides.push_back(fmt::format("{}ULL * static_cast<unsigned long long>({})", element, *stride));
  }
  if (strides.empty()) strides.emplace_back("0");
  auto swizzle = names.cpp(map.swizzle);
  if (!swizzle) return swizzle;
  return fmt::format(R"(
/// The kernel's parameter {name}, a view of {array}.
inline bool make_{name}([[maybe_unused]] const Axes& axes, const void* {array}, TensorMap* map) {{
  const unsigned long long sizes[] = {{{sizes}}};
  const unsigned long long strides[] = {{{strides}}};  // bytes
  const unsigned box[] = {{{box}}};
  return encode_tensor_map(map, CU_TENSOR_MAP_DATA_TYPE_{type}, {array}, {rank}, sizes, strides, box, {swizzle});
}}
)",
                     fmt::arg("name", map.name), fmt::arg("array", map.argument),
                     fmt::arg("sizes", fmt::join(sizes, ",\n                                      ")),
                     fmt::arg("strides", fmt::join(strides, ",\n                                        ")),
                     fmt::arg("box", fmt::join(box, ", ")), fmt::arg("type", map_type(found->dtype)),
                     fmt::arg("rank", map.order.size()), fmt::arg("swizzle", *swizzle));
}

}  // namespace

model::Expected<std::string> write_tensor_maps(const ExportRequest& request, const Names& names) {
  const auto& maps = request.kernel_template.launch.tensor_maps;
  if (maps.empty()) return std::string();
  std::string text = fmt::format("\n#ifdef __CUDACC__\n{}\nnamespace {} {{\n{}", includes,
                                 plan_namespace(stem_of(request)), encoder);
  for (const model::TensorMapModel& map : maps) {
    auto one = write_map(request, names, map);
    if (!one) return one;
    text += *one;
  }
  return text + "\n}\n#endif\n";
}

}  // namespace evo::exporting
