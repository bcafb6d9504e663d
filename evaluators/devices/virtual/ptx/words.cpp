#include "evaluators/devices/virtual/ptx/words.hpp"

#include <array>
#include <utility>

namespace evo::evaluators::virtual_device::ptx {
namespace {

constexpr std::array<std::pair<std::string_view, Type>, 22> types{{
    {".pred", Type::pred},     {".b8", Type::b8},         {".u8", Type::u8},   {".s8", Type::s8},
    {".b16", Type::b16},       {".u16", Type::u16},       {".s16", Type::s16}, {".f16", Type::f16},
    {".bf16", Type::bf16},     {".f16x2", Type::f16x2},   {".b32", Type::b32}, {".u32", Type::u32},
    {".s32", Type::s32},       {".bf16x2", Type::bf16x2}, {".f32", Type::f32}, {".tf32", Type::tf32},
    {".b64", Type::b64},       {".u64", Type::u64},       {".s64", Type::s64}, {".f64", Type::f64},
    {".e4m3x2", Type::e4m3x2}, {".e5m2x2", Type::e5m2x2},
}};

using enum SpecialRegister;
constexpr std::array<std::pair<std::string_view, SpecialRegister>, 33> specials{{
    {"%tid.x", tid_x},
    {"%tid.y", tid_y},
    {"%tid.z", tid_z},
    {"%ntid.x", ntid_x},
    {"%ntid.y", ntid_y},
    {"%ntid.z", ntid_z},
    {"%ctaid.x", ctaid_x},
    {"%ctaid.y", ctaid_y},
    {"%ctaid.z", ctaid_z},
    {"%nctaid.x", nctaid_x},
    {"%nctaid.y", nctaid_y},
    {"%nctaid.z", nctaid_z},
    {"%laneid", laneid},
    {"%warpid", warpid},
    {"%nwarpid", nwarpid},
    {"%smid", smid},
    {"%nsmid", nsmid},
    {"%gridid", gridid},
    {"%clock", clock},
    {"%clock64", clock64},
    {"%clock_hi", clock_hi},
    {"%globaltimer", globaltimer},
    {"%globaltimer_lo", globaltimer_lo},
    {"%globaltimer_hi", globaltimer_hi},
    {"%lanemask_eq", lanemask_eq},
    {"%lanemask_le", lanemask_le},
    {"%lanemask_lt", lanemask_lt},
    {"%lanemask_ge", lanemask_ge},
    {"%lanemask_gt", lanemask_gt},
    {"%dynamic_smem_size", dynamic_smem_size},
    {"%total_smem_size", total_smem_size},
    {"%envreg1", envreg1},
    {"%envreg2", envreg2},
}};

}  // namespace

Type type_from_word(std::string_view word) {
  for (const auto& [name, type] : types) {
    if (name == word) return type;
  }
  return Type::none;
}

std::string_view name_of(Type type) {
  for (const auto& [name, value] : types) {
    if (value == type) return name.substr(1);
  }
  return "none";
}

std::optional<SpecialRegister> special_from_word(std::string_view word, std::string_view component) {
  for (const auto& [name, special] : specials) {
    if (name.size() == word.size() + component.size() && name.starts_with(word) &&
        name.ends_with(component)) {
      return special;
    }
  }
  return std::nullopt;
}

std::string_view name_of(SpecialRegister special) {
  for (const auto& [name, value] : specials) {
    if (value == special) return name;
  }
  return "%?";
}

}  // namespace evo::evaluators::virtual_device::ptx
