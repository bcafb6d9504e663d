#include "model/dtype.hpp"

#include "model/enum_names.hpp"

namespace evo::model {
namespace {

constexpr std::array<std::string_view, 10> dtype_names{"f16", "bf16", "f32", "f64", "i8",
                                                       "u8",  "i32",  "u32", "i64", "u64"};
constexpr std::array<std::int64_t, 10> dtype_sizes{2, 2, 4, 8, 1, 1, 4, 4, 8, 8};

}  // namespace

std::int64_t size_of(DType dtype) {
  return dtype_sizes.at(static_cast<std::size_t>(dtype));
}
std::string_view name_of(DType dtype) {
  return detail::enum_name(dtype_names, dtype);
}
std::optional<DType> dtype_from_name(std::string_view name) {
  return detail::enum_from_name<DType>(dtype_names, name);
}

}  // namespace evo::model
