// Element types of kernel arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evo::model {

enum class DType : std::uint8_t { f16, bf16, f32, f64, i8, u8, i32, u32, i64, u64 };

[[nodiscard]] std::int64_t size_of(DType dtype);  ///< bytes of one element
[[nodiscard]] std::string_view name_of(DType dtype);
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);

}  // namespace evo::model
