// Element types of kernel arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace evo::model {

enum class DType : std::uint8_t {
  f16,
  bf16,
  f32,
  f64,
  i8,
  u8,
  i32,
  u32,
  i64,
  u64,
  boolean,  ///< one byte, 0 or 1
  i16,
  u16,
  f8e4m3,  ///< 8-bit floats, as __nv_fp8_e4m3 and __nv_fp8_e5m2
  f8e5m2
};

[[nodiscard]] std::int64_t size_of(DType dtype);  ///< bytes of one element
[[nodiscard]] std::string_view name_of(DType dtype);
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);
/// All of them, in the order of the enumerators.
[[nodiscard]] std::span<const std::string_view> dtype_names();
[[nodiscard]] bool is_floating(DType dtype);
/// What CUDA C++ calls an element: "float", "__half" (of cuda_fp16.h), "signed char".
[[nodiscard]] std::string_view c_type_of(DType dtype);
/// Least and greatest number of an integer type (u64 and i64 as doubles); of `boolean` 0 and 1. Of a
/// floating-point type its finite range.
struct DTypeRange {
  double low = 0, high = 0;
};
[[nodiscard]] DTypeRange range_of(DType dtype);

}  // namespace evo::model
