#include "model/dtype.hpp"

#include "model/enum_names.hpp"

namespace evo::model {
namespace {

struct DTypeEntry {
  std::string_view name, c_type;
  std::int64_t size;
  DTypeRange range;
  bool floating = false;
};

constexpr double f32_max = 0x1.fffffep127, f64_max = 0x1.fffffffffffffp1023;
// In the order of the enumerators.
constexpr std::array dtype_entries{
    DTypeEntry{"f16", "__half", 2, {-65504, 65504}, true},
    DTypeEntry{"bf16", "__nv_bfloat16", 2, {-0x1.fep127, 0x1.fep127}, true},
    DTypeEntry{"f32", "float", 4, {-f32_max, f32_max}, true},
    DTypeEntry{"f64", "double", 8, {-f64_max, f64_max}, true},
    DTypeEntry{"i8", "signed char", 1, {-128, 127}},
    DTypeEntry{"u8", "unsigned char", 1, {0, 255}},
    DTypeEntry{"i32", "int", 4, {-0x1p31, 0x1p31 - 1}},
    DTypeEntry{"u32", "unsigned int", 4, {0, 0x1p32 - 1}},
    DTypeEntry{"i64", "long long", 8, {-0x1p63, 0x1p63}},
    DTypeEntry{"u64", "unsigned long long", 8, {0, 0x1p64}},
    DTypeEntry{"bool", "bool", 1, {0, 1}},
    DTypeEntry{"i16", "short", 2, {-32768, 32767}},
    DTypeEntry{"u16", "unsigned short", 2, {0, 65535}},
    DTypeEntry{"f8e4m3", "__nv_fp8_e4m3", 1, {-448, 448}, true},
    DTypeEntry{"f8e5m2", "__nv_fp8_e5m2", 1, {-57344, 57344}, true},
};

constexpr std::array<std::string_view, dtype_entries.size()> dtype_name_list = [] {
  std::array<std::string_view, dtype_entries.size()> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = dtype_entries[i].name;
  return all;
}();

const DTypeEntry& dtype_entry(DType dtype) {
  return dtype_entries.at(static_cast<std::size_t>(dtype));
}

}  // namespace

std::int64_t size_of(DType dtype) {
  return dtype_entry(dtype).size;
}
std::string_view name_of(DType dtype) {
  return dtype_entry(dtype).name;
}
std::optional<DType> dtype_from_name(std::string_view name) {
  return detail::enum_from_name<DType>(dtype_name_list, name);
}
std::span<const std::string_view> dtype_names() {
  return dtype_name_list;
}
bool is_floating(DType dtype) {
  return dtype_entry(dtype).floating;
}
std::string_view c_type_of(DType dtype) {
  return dtype_entry(dtype).c_type;
}
DTypeRange range_of(DType dtype) {
  return dtype_entry(dtype).range;
}

}  // namespace evo::model
