// The table of spellings that opcode.cpp decodes by: what types, operands and modifiers an instruction takes.
// Private to opcode.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/ptx/modifiers.hpp"
#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx::opcode_rules {

using TypeSet = std::uint32_t;

template <class... T>
constexpr TypeSet set_of(T... types) {
  return (TypeSet{0} | ... | (TypeSet{1} << static_cast<unsigned>(types)));
}

inline constexpr TypeSet no_type = 0;
inline constexpr TypeSet pred = set_of(Type::pred);
inline constexpr TypeSet bits8 = set_of(Type::b8), bits16 = set_of(Type::b16), bits32 = set_of(Type::b32);
inline constexpr TypeSet bits64 = set_of(Type::b64);
inline constexpr TypeSet bits = bits16 | bits32 | bits64;
inline constexpr TypeSet int8 = set_of(Type::u8, Type::s8), int16 = set_of(Type::u16, Type::s16);
inline constexpr TypeSet int32 = set_of(Type::u32, Type::s32), int64 = set_of(Type::u64, Type::s64);
inline constexpr TypeSet ints = int16 | int32 | int64;
inline constexpr TypeSet signed_ints = set_of(Type::s16, Type::s32, Type::s64);
inline constexpr TypeSet f32 = set_of(Type::f32), f64 = set_of(Type::f64);
inline constexpr TypeSet halves = set_of(Type::f16, Type::bf16), pairs = set_of(Type::f16x2, Type::bf16x2);
inline constexpr TypeSet fp8_pairs = set_of(Type::e4m3x2, Type::e5m2x2), f16x2 = set_of(Type::f16x2);
inline constexpr TypeSet floats = halves | pairs | f32 | f64;
inline constexpr TypeSet memory_types = bits8 | int8 | bits | ints | f32 | f64;

inline constexpr ModifierKinds none{};

/// Operands: destinations '=' sources. T the type, S the second type, W twice as wide as T, C as T or (with
/// .wide) W, D the sum of a dot product, U u32, A a 64-bit address, P a predicate; '|' an optional second
/// destination,
/// '?' before optional sources.
struct Rule {
  std::string_view root;
  Opcode op;
  TypeSet types;
  TypeSet types2;
  std::string_view operands;
  ModifierKinds required;
  ModifierKinds optional;
  Shape shape = Shape::plain;
};

using enum ModifierKind;

inline const Rule rules[] = {
    {"add", Opcode::add, ints | floats, no_type, "T=TT", none, kinds(rounding, ftz, sat, carry_out)},
    {"addc", Opcode::addc, int32 | int64, no_type, "T=TT", none, kinds(carry_out)},
    {"sub", Opcode::sub, ints | floats, no_type, "T=TT", none, kinds(rounding, ftz, sat, carry_out)},
    {"subc", Opcode::subc, int32 | int64, no_type, "T=TT", none, kinds(carry_out)},
    {"mul", Opcode::mul, ints | floats, no_type, "C=TT", none, kinds(rounding, ftz, sat, mul_mode, wide)},
    {"mad", Opcode::mad, ints | f32 | f64, no_type, "C=TTC", none,
     kinds(rounding, ftz, sat, mul_mode, wide, carry_out)},
    {"madc", Opcode::madc, int32 | int64, no_type, "T=TTT", kinds(mul_mode), kinds(carry_out)},
    {"mul24", Opcode::mul24, int32, no_type, "T=TT", kinds(mul_mode), none},
    {"mad24", Opcode::mad24, int32, no_type, "T=TTT", kinds(mul_mode), kinds(sat)},
    {"sad", Opcode::sad, ints, no_type, "T=TTT", none, none},
    {"div", Opcode::div, ints | f32 | f64, no_type, "T=TT", none, kinds(rounding, approx, full, ftz)},
    {"rem", Opcode::rem, ints, no_type, "T=TT", none, none},
    {"abs", Opcode::abs, signed_ints | floats, no_type, "T=T", none, kinds(ftz)},
    {"neg", Opcode::neg, signed_ints | floats, no_type, "T=T", none, kinds(ftz)},
    {"min", Opcode::min, ints | floats, no_type, "T=TT", none, kinds(ftz, nan)},
    {"max", Opcode::max, ints | floats, no_type, "T=TT", none, kinds(ftz, nan)},
    {"fma", Opcode::fma, floats, no_type, "T=TTT", kinds(rounding), kinds(ftz, sat, relu)},
    {"rcp", Opcode::rcp, f32 | f64, no_type, "T=T", none, kinds(rounding, approx, ftz)},
    {"sqrt", Opcode::sqrt, f32 | f64, no_type, "T=T", none, kinds(rounding, approx, ftz)},
    {"rsqrt", Opcode::rsqrt, f32 | f64, no_type, "T=T", kinds(approx), kinds(ftz)},
    {"sin", Opcode::sin, f32, no_type, "T=T", kinds(approx), kinds(ftz)},
    {"cos", Opcode::cos, f32, no_type, "T=T", kinds(approx), kinds(ftz)},
    {"lg2", Opcode::lg2, f32, no_type, "T=T", kinds(approx), kinds(ftz)},
    {"ex2", Opcode::ex2, f32 | halves | pairs, no_type, "T=T", kinds(approx), kinds(ftz)},
    {"tanh", Opcode::tanh, f32 | halves | pairs, no_type, "T=T", kinds(approx), none},
    {"copysign", Opcode::copysign, f32 | f64, no_type, "T=TT", none, none},
    {"testp", Opcode::testp, f32 | f64, no_type, "P=T", kinds(test), none},
    {"popc", Opcode::popc, bits32 | bits64, no_type, "U=T", none, none},
    {"clz", Opcode::clz, bits32 | bits64, no_type, "U=T", none, none},
    {"bfind", Opcode::bfind, int32 | int64, no_type, "U=T", none, kinds(shift_amount)},
    {"brev", Opcode::brev, bits32 | bits64, no_type, "T=T", none, none},
    {"bfe", Opcode::bfe, int32 | int64, no_type, "T=TUU", none, none},
    {"bfi", Opcode::bfi, bits32 | bits64, no_type, "T=TTUU", none, none},
    {"fns", Opcode::fns, bits32, no_type, "T=UUU", none, none},
    {"dp4a", Opcode::dp4a, int32, int32, "D=TSD", none, none},
    {"dp2a", Opcode::dp2a, int32, int32, "D=TSD", kinds(mul_mode), none},
    {"prmt", Opcode::prmt, bits32, no_type, "T=TTT", none, kinds(permute)},
    {"lop3", Opcode::lop3, bits32, no_type, "T=TTTU", none, none},
    {"shf", Opcode::shf, bits32, no_type, "T=TTU", kinds(direction, shf_mode), none},
    {"shl", Opcode::shl, bits, no_type, "T=TU", none, none},
    {"shr", Opcode::shr, bits | ints, no_type, "T=TU", none, none},
    {"and", Opcode::and_, pred | bits, no_type, "T=TT", none, none},
    {"or", Opcode::or_, pred | bits, no_type, "T=TT", none, none},
    {"xor", Opcode::xor_, pred | bits, no_type, "T=TT", none, none},
    {"not", Opcode::not_, pred | bits, no_type, "T=T", none, none},
    {"cnot", Opcode::cnot, bits, no_type, "T=T", none, none},
    {"selp", Opcode::selp, bits | ints | f32 | f64, no_type, "T=TTP", none, none},
    {"slct", Opcode::slct, bits | ints | f32 | f64, set_of(Type::s32) | f32, "T=TTS", none, kinds(ftz)},
    {"set", Opcode::set, int16 | int32 | halves | pairs | f32, bits | ints | floats, "T=SS?P", kinds(compare),
     kinds(bool_op, ftz)},
    {"setp", Opcode::setp, bits | ints | floats, no_type, "P|P=TT?P", kinds(compare), kinds(bool_op, ftz)},
    {"mov", Opcode::mov, pred | bits | ints | f32 | f64, no_type, "T=T", none, none, Shape::move},
    {"cvt", Opcode::cvt, int8 | ints | floats | fp8_pairs | set_of(Type::tf32),
     int8 | ints | halves | f16x2 | fp8_pairs | f32 | f64, "T=S", none,
     kinds(rounding, integer_rounding, round_away, ftz, sat, satfinite, relu)},
    {"cvta", Opcode::cvta, set_of(Type::u32, Type::u64), no_type, "T=T", none,
     kinds(to, space, constant_space, param_space), Shape::move},
    {"isspacep", Opcode::isspacep, no_type, no_type, "P=A", none, kinds(space, constant_space, param_space)},
    {"ld", Opcode::ld, memory_types, no_type, "T=", none,
     kinds(space, constant_space, param_space, vector, cache, non_coherent, memory_order, scope),
     Shape::load},
    {"ldu", Opcode::ld, memory_types, no_type, "T=", none, kinds(space, vector), Shape::load},
    {"st", Opcode::st, memory_types, no_type, "=T", none,
     kinds(space, param_space, vector, cache, memory_order, scope), Shape::store},
    {"atom", Opcode::atom, bits | int32 | int64 | f32 | f64 | halves | pairs, no_type, "T=T?T", kinds(atomic),
     kinds(space, memory_order, scope, noftz), Shape::atomic},
    {"red", Opcode::red, bits32 | bits64 | int32 | int64 | f32 | f64 | halves | pairs, no_type, "=T",
     kinds(atomic), kinds(space, memory_order, scope, noftz), Shape::reduce},
    {"prefetch", Opcode::prefetch, no_type, no_type, "=", none, kinds(space, cache_level, cache),
     Shape::address},
    {"prefetchu", Opcode::prefetch, no_type, no_type, "=", kinds(cache_level), none, Shape::address},
    {"cp", Opcode::cp_async, no_type, no_type, "=", kinds(async, copy_target, copy_source, cache),
     kinds(cache_policy), Shape::async_copy},
    {"cp", Opcode::cp_async_commit, no_type, no_type, "=", kinds(async, commit_group), none},
    {"cp", Opcode::cp_async_wait, no_type, no_type, "=U", kinds(async, wait_group), none},
    {"cp", Opcode::cp_async_wait, no_type, no_type, "=", kinds(async, wait_all), none},
    {"membar", Opcode::membar, no_type, no_type, "=", kinds(fence_scope), none},
    {"fence", Opcode::membar, no_type, no_type, "=", kinds(scope), kinds(fence_order)},
    {"bra", Opcode::bra, no_type, no_type, "=", none, kinds(uniform), Shape::branch},
    {"brx", Opcode::brx, no_type, no_type, "=U", kinds(index), kinds(uniform), Shape::table},
    {"ret", Opcode::ret, no_type, no_type, "=", none, kinds(uniform)},
    {"exit", Opcode::exit, no_type, no_type, "=", none, none},
    {"trap", Opcode::trap, no_type, no_type, "=", none, none},
    {"nanosleep", Opcode::nanosleep, set_of(Type::u32), no_type, "=T", none, none},
    {"call", Opcode::unsupported, no_type, no_type, "=", none, kinds(uniform), Shape::call},
    {"bar", Opcode::bar, pred | set_of(Type::u32), no_type, "=U?U", kinds(barrier_op),
     kinds(barrier_red, cta, warp_sync), Shape::barrier},
    {"barrier", Opcode::bar, pred | set_of(Type::u32), no_type, "=U?U", kinds(barrier_op),
     kinds(barrier_red, cta, aligned), Shape::barrier},
    {"shfl", Opcode::shfl, bits32, no_type, "T|P=TUUU", kinds(sync, shuffle), none},
    {"vote", Opcode::vote, pred | bits32, no_type, "T=PU", kinds(sync), kinds(vote_all_any, vote_more)},
    {"match", Opcode::match, bits32 | bits64, no_type, "U|P=TU", kinds(sync, vote_all_any), none},
    {"activemask", Opcode::activemask, bits32, no_type, "T=", none, none},
    {"redux", Opcode::redux, int32 | bits32, no_type, "T=TU", kinds(sync, reduction), none},
    {"elect", Opcode::elect, no_type, no_type, "U|P=U", kinds(sync), none},
};

}  // namespace evo::evaluators::virtual_device::ptx::opcode_rules
