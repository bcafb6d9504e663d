#include "evaluators/devices/virtual/ptx/modifiers.hpp"

#include "evaluators/devices/virtual/ptx/words.hpp"
#include "evaluators/devices/virtual/semantics/integer.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

using enum ModifierKind;
using Effect = void (*)(Instruction&);

struct Word {
  std::string_view text;
  ModifierKind kind;
  Effect effect;
};

template <auto member, auto value>
void set(Instruction& instruction) {
  instruction.*member = value;
}
void nothing(Instruction&) {}
constexpr std::uint64_t mode_bits(semantics::PermuteMode mode) {
  return static_cast<std::uint64_t>(mode);
}
void acquire_release(Instruction& instruction) {
  instruction.acquire = instruction.release = true;
}

using I = Instruction;

constexpr Word modifier_words[] = {
    {".rn", rounding, set<&I::rounding, Rounding::rn>},
    {".rz", rounding, set<&I::rounding, Rounding::rz>},
    {".rm", rounding, set<&I::rounding, Rounding::rm>},
    {".rp", rounding, set<&I::rounding, Rounding::rp>},
    {".rna", round_away, set<&I::rounding, Rounding::rna>},
    {".rni", integer_rounding, set<&I::rounding, Rounding::rni>},
    {".rzi", integer_rounding, set<&I::rounding, Rounding::rzi>},
    {".rmi", integer_rounding, set<&I::rounding, Rounding::rmi>},
    {".rpi", integer_rounding, set<&I::rounding, Rounding::rpi>},
    {".eq", compare, set<&I::compare, Compare::eq>},
    {".ne", compare, set<&I::compare, Compare::ne>},
    {".lt", compare, set<&I::compare, Compare::lt>},
    {".le", compare, set<&I::compare, Compare::le>},
    {".gt", compare, set<&I::compare, Compare::gt>},
    {".ge", compare, set<&I::compare, Compare::ge>},
    {".lo", compare, set<&I::compare, Compare::lo>},
    {".ls", compare, set<&I::compare, Compare::ls>},
    {".hi", compare, set<&I::compare, Compare::hi>},
    {".hs", compare, set<&I::compare, Compare::hs>},
    {".equ", compare, set<&I::compare, Compare::equ>},
    {".neu", compare, set<&I::compare, Compare::neu>},
    {".ltu", compare, set<&I::compare, Compare::ltu>},
    {".leu", compare, set<&I::compare, Compare::leu>},
    {".gtu", compare, set<&I::compare, Compare::gtu>},
    {".geu", compare, set<&I::compare, Compare::geu>},
    {".num", compare, set<&I::compare, Compare::num>},
    {".nan", compare, set<&I::compare, Compare::nan>},
    {".and", bool_op, set<&I::bool_op, BoolOp::and_>},
    {".or", bool_op, set<&I::bool_op, BoolOp::or_>},
    {".xor", bool_op, set<&I::bool_op, BoolOp::xor_>},
    {".lo", mul_mode, set<&I::mul_mode, MulMode::lo>},
    {".hi", mul_mode, set<&I::mul_mode, MulMode::hi>},
    {".wide", wide, set<&I::mul_mode, MulMode::wide>},
    {".up", shuffle, set<&I::shuffle, ShuffleMode::up>},
    {".down", shuffle, set<&I::shuffle, ShuffleMode::down>},
    {".bfly", shuffle, set<&I::shuffle, ShuffleMode::bfly>},
    {".idx", shuffle, set<&I::shuffle, ShuffleMode::idx>},
    {".all", vote_all_any, set<&I::vote, VoteMode::all>},
    {".any", vote_all_any, set<&I::vote, VoteMode::any>},
    {".uni", vote_more, set<&I::vote, VoteMode::uni>},
    {".ballot", vote_more, set<&I::vote, VoteMode::ballot>},
    {".add", atomic, set<&I::atomic, AtomicOp::add>},
    {".min", atomic, set<&I::atomic, AtomicOp::min>},
    {".max", atomic, set<&I::atomic, AtomicOp::max>},
    {".and", atomic, set<&I::atomic, AtomicOp::and_>},
    {".or", atomic, set<&I::atomic, AtomicOp::or_>},
    {".xor", atomic, set<&I::atomic, AtomicOp::xor_>},
    {".exch", atomic, set<&I::atomic, AtomicOp::exch>},
    {".cas", atomic, set<&I::atomic, AtomicOp::cas>},
    {".inc", atomic, set<&I::atomic, AtomicOp::inc>},
    {".dec", atomic, set<&I::atomic, AtomicOp::dec>},
    {".add", reduction, set<&I::atomic, AtomicOp::add>},
    {".min", reduction, set<&I::atomic, AtomicOp::min>},
    {".max", reduction, set<&I::atomic, AtomicOp::max>},
    {".and", reduction, set<&I::atomic, AtomicOp::and_>},
    {".or", reduction, set<&I::atomic, AtomicOp::or_>},
    {".xor", reduction, set<&I::atomic, AtomicOp::xor_>},
    {".sync", barrier_op, set<&I::barrier, BarrierMode::sync>},
    {".arrive", barrier_op, set<&I::barrier, BarrierMode::arrive>},
    {".red", barrier_op, nothing},
    {".popc", barrier_red, set<&I::barrier, BarrierMode::red_popc>},
    {".and", barrier_red, set<&I::barrier, BarrierMode::red_and>},
    {".or", barrier_red, set<&I::barrier, BarrierMode::red_or>},
    {".finite", test, set<&I::test, TestClass::finite>},
    {".infinite", test, set<&I::test, TestClass::infinite>},
    {".number", test, set<&I::test, TestClass::number>},
    {".notanumber", test, set<&I::test, TestClass::notanumber>},
    {".normal", test, set<&I::test, TestClass::normal>},
    {".subnormal", test, set<&I::test, TestClass::subnormal>},
    {".global", space, set<&I::space, Space::global>},
    {".shared", space, set<&I::space, Space::shared>},
    {".shared::cta", space, set<&I::space, Space::shared>},
    {".local", space, set<&I::space, Space::local>},
    {".const", constant_space, set<&I::space, Space::constant>},
    {".param", param_space, set<&I::space, Space::param>},
    {".param::entry", param_space, set<&I::space, Space::param>},
    {".param::func", param_space, set<&I::space, Space::param>},
    {".v2", vector, set<&I::vector, std::uint8_t{2}>},
    {".v4", vector, set<&I::vector, std::uint8_t{4}>},
    {".ca", cache, nothing},
    {".cg", cache, nothing},
    {".cs", cache, nothing},
    {".lu", cache, nothing},
    {".cv", cache, nothing},
    {".wb", cache, nothing},
    {".wt", cache, nothing},
    {".L1::evict_normal", cache, nothing},
    {".L1::evict_unchanged", cache, nothing},
    {".L1::evict_first", cache, nothing},
    {".L1::evict_last", cache, nothing},
    {".L1::no_allocate", cache, nothing},
    {".L2::evict_normal", cache, nothing},
    {".L2::evict_first", cache, nothing},
    {".L2::evict_last", cache, nothing},
    {".L2::64B", cache, nothing},
    {".L2::128B", cache, nothing},
    {".L2::256B", cache, nothing},
    {".L1", cache_level, nothing},
    {".L2", cache_level, nothing},
    {".nc", non_coherent, set<&I::non_coherent, true>},
    {".weak", memory_order, nothing},
    {".relaxed", memory_order, nothing},
    {".volatile", memory_order, set<&I::is_volatile, true>},
    {".acquire", memory_order, set<&I::acquire, true>},
    {".release", memory_order, set<&I::release, true>},
    {".acq_rel", memory_order, acquire_release},
    {".sc", fence_order, set<&I::sequential, true>},
    {".acq_rel", fence_order, acquire_release},
    {".acquire", fence_order, set<&I::acquire, true>},
    {".release", fence_order, set<&I::release, true>},
    {".cta", scope, set<&I::scope, Scope::cta>},
    {".cluster", scope, set<&I::scope, Scope::cluster>},
    {".gpu", scope, set<&I::scope, Scope::gpu>},
    {".sys", scope, set<&I::scope, Scope::sys>},
    {".cta", fence_scope, set<&I::scope, Scope::cta>},
    {".gl", fence_scope, set<&I::scope, Scope::gpu>},
    {".sys", fence_scope, set<&I::scope, Scope::sys>},
    {".ftz", ftz, set<&I::ftz, true>},
    {".sat", sat, set<&I::saturate, true>},
    {".approx", approx, set<&I::approx, true>},
    {".full", full, set<&I::full_range, true>},
    {".satfinite", satfinite, set<&I::saturate, true>},
    {".relu", relu, set<&I::relu, true>},
    {".NaN", nan, set<&I::nan_propagating, true>},
    {".noftz", noftz, nothing},
    {".sync", sync, nothing},
    {".warp", warp_sync, nothing},
    {".aligned", aligned, set<&I::uniform, true>},
    {".cta", cta, nothing},
    {".uni", uniform, set<&I::uniform, true>},
    {".cc", carry_out, set<&I::carry_out, true>},
    {".to", to, set<&I::to_space, true>},
    {".l", direction, nothing},
    {".r", direction, set<&I::right, true>},
    {".wrap", shf_mode, set<&I::wrap, true>},
    {".clamp", shf_mode, nothing},
    {".shiftamt", shift_amount, set<&I::shift_amount, true>},
    {".idx", index, nothing},
    {".f4e", permute, set<&I::immediate, mode_bits(semantics::PermuteMode::f4e)>},
    {".b4e", permute, set<&I::immediate, mode_bits(semantics::PermuteMode::b4e)>},
    {".rc8", permute, set<&I::immediate, mode_bits(semantics::PermuteMode::rc8)>},
    {".ecl", permute, set<&I::immediate, mode_bits(semantics::PermuteMode::ecl)>},
    {".ecr", permute, set<&I::immediate, mode_bits(semantics::PermuteMode::ecr)>},
    {".rc16", permute, set<&I::immediate, mode_bits(semantics::PermuteMode::rc16)>},
    {".async", async, nothing},
    {".shared", copy_target, set<&I::space, Space::shared>},
    {".shared::cta", copy_target, set<&I::space, Space::shared>},
    {".global", copy_source, nothing},
    {".L2::cache_hint", cache_policy, nothing},
    {".commit_group", commit_group, nothing},
    {".wait_group", wait_group, nothing},
    {".wait_all", wait_all, nothing},
};

static_assert(static_cast<unsigned>(ModifierKind::count) <= 64);

}  // namespace

Modifiers parse_modifiers(std::string_view text, ModifierKinds allowed) {
  Modifiers result;
  while (!text.empty()) {
    std::size_t end = text.find('.', 1);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (const Type type = type_from_word(word); type != Type::none) {
      if (result.type_count == result.types.size()) return result;
      result.types[result.type_count++] = type;
      continue;
    }
    bool found = false;
    for (const Word& candidate : modifier_words) {
      if (candidate.text != word || !allowed.has(candidate.kind)) continue;
      // Cache hints may be several; of every other kind there is one.
      if (result.present.has(candidate.kind) && candidate.kind != cache) return result;
      candidate.effect(result.effect);
      result.present = result.present | kinds(candidate.kind);
      found = true;
      break;
    }
    if (!found) return result;
  }
  result.ok = true;
  return result;
}

}  // namespace evo::evaluators::virtual_device::ptx
