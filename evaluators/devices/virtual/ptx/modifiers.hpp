// The modifiers of an opcode, sorted by what they say.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Kinds of modifier. An opcode allows some of them; the same word can be of several kinds (.lo, .and, .add).
enum class ModifierKind : std::uint8_t {
  rounding,          ///< .rn .rz .rm .rp
  integer_rounding,  ///< .rni .rzi .rmi .rpi
  round_away,        ///< .rna
  compare,
  bool_op,
  mul_mode,  ///< .lo .hi
  wide,      ///< .wide
  shuffle,
  vote_all_any,  ///< .all .any
  vote_more,     ///< .uni .ballot
  atomic,        ///< operation of atom, red
  reduction,     ///< operation of redux
  barrier_op,    ///< .sync .arrive
  barrier_red,   ///< .red, followed by .popc .and .or
  test,
  space,
  constant_space,  ///< .const
  param_space,
  vector,
  cache,         ///< .ca .cg .cs .lu .cv .wb .wt, eviction and prefetch hints: no effect on values
  cache_level,   ///< .L1 .L2, of prefetch
  non_coherent,  ///< .nc
  memory_order,  ///< .relaxed .acquire .release .acq_rel .weak .volatile
  fence_order,   ///< .sc .acq_rel
  scope,         ///< .cta .gpu .sys
  fence_scope,   ///< .cta .gl .sys, of membar
  ftz,
  sat,
  approx,
  full,
  relu,
  satfinite,
  nan,
  noftz,
  sync,
  warp_sync,  ///< bar.warp.sync
  aligned,
  cta,  ///< bar.cta
  uniform,
  carry_out,  ///< .cc
  to,
  direction,  ///< .l .r
  shf_mode,   ///< .wrap .clamp
  shift_amount,
  index,         ///< brx.idx
  async,         ///< .async
  copy_target,   ///< .shared .shared::cta, of cp.async
  copy_source,   ///< .global, of cp.async
  cache_policy,  ///< .L2::cache_hint: one more operand
  commit_group,
  wait_group,
  wait_all,
  permute,  ///< mode of prmt; Instruction::immediate becomes its semantics::PermuteMode
  count,
};

/// A set of kinds.
struct ModifierKinds {
  std::uint64_t bits = 0;
  [[nodiscard]] constexpr bool has(ModifierKind kind) const {
    return (bits >> static_cast<unsigned>(kind) & 1) != 0;
  }
  friend constexpr ModifierKinds operator|(ModifierKinds a, ModifierKinds b) { return {a.bits | b.bits}; }
};
template <class... Kind>
[[nodiscard]] constexpr ModifierKinds kinds(Kind... kind) {
  return {(std::uint64_t{0} | ... | (std::uint64_t{1} << static_cast<unsigned>(kind)))};
}

struct Modifiers {
  bool ok = false;  ///< every modifier is known, allowed, and says nothing twice
  ModifierKinds present;
  std::array<Type, 3> types{};
  std::uint8_t type_count = 0;
  Instruction effect;  ///< fields set by the modifiers; types aside
};

/// `words` is ".global.v4.u32". Kinds outside `allowed` make the result not ok.
[[nodiscard]] Modifiers parse_modifiers(std::string_view words, ModifierKinds allowed);

}  // namespace evo::evaluators::virtual_device::ptx
