#include "evaluators/devices/virtual/ptx/opcode.hpp"

#include <algorithm>

#include "evaluators/devices/virtual/ptx/matrix_opcode.hpp"
#include "evaluators/devices/virtual/ptx/mbarrier_opcode.hpp"
#include "evaluators/devices/virtual/ptx/modifiers.hpp"
#include "evaluators/devices/virtual/ptx/texture_opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

using enum ModifierKind;
using TypeSet = std::uint32_t;

template <class... T>
constexpr TypeSet set_of(T... types) {
  return (TypeSet{0} | ... | (TypeSet{1} << static_cast<unsigned>(types)));
}

constexpr TypeSet no_type = 0;
constexpr TypeSet pred = set_of(Type::pred);
constexpr TypeSet bits8 = set_of(Type::b8), bits16 = set_of(Type::b16), bits32 = set_of(Type::b32);
constexpr TypeSet bits64 = set_of(Type::b64);
constexpr TypeSet bits = bits16 | bits32 | bits64;
constexpr TypeSet int8 = set_of(Type::u8, Type::s8), int16 = set_of(Type::u16, Type::s16);
constexpr TypeSet int32 = set_of(Type::u32, Type::s32), int64 = set_of(Type::u64, Type::s64);
constexpr TypeSet ints = int16 | int32 | int64;
constexpr TypeSet signed_ints = set_of(Type::s16, Type::s32, Type::s64);
constexpr TypeSet f32 = set_of(Type::f32), f64 = set_of(Type::f64);
constexpr TypeSet halves = set_of(Type::f16, Type::bf16), pairs = set_of(Type::f16x2, Type::bf16x2);
constexpr TypeSet fp8_pairs = set_of(Type::e4m3x2, Type::e5m2x2), f16x2 = set_of(Type::f16x2);
constexpr TypeSet floats = halves | pairs | f32 | f64;
constexpr TypeSet memory_types = bits8 | int8 | bits | ints | f32 | f64;

constexpr ModifierKinds none{};

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

const Rule rules[] = {
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

bool is_float(Type type) {
  return type != Type::none && (floats >> static_cast<unsigned>(type) & 1) != 0;
}
bool is_int(Type type) {
  return type != Type::none && (ints >> static_cast<unsigned>(type) & 1) != 0;
}
bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
}

bool is_fp8_pair(Type type) {
  return type == Type::e4m3x2 || type == Type::e5m2x2;
}

/// cvt.rn.satfinite{.relu} from f32 (two) or f16x2, and cvt.rn{.relu}.f16x2 back.
bool consistent_fp8(const Instruction& i, ModifierKinds present) {
  const bool narrows = is_fp8_pair(i.type);
  const bool types = narrows ? i.type2 == Type::f32 || i.type2 == Type::f16x2
                             : i.type == Type::f16x2 && is_fp8_pair(i.type2);
  return types && i.rounding == Rounding::rn && present.has(satfinite) == narrows && !present.has(ftz) &&
         !present.has(sat);
}

Type widened(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    case Type::s32:
      return Type::s64;
    default:
      return Type::none;
  }
}

Type type_of_letter(char letter, const Instruction& instruction) {
  const bool is_wide = instruction.mul_mode == MulMode::wide;
  switch (letter) {
    case 'S':
      return instruction.type2;
    case 'W':
      return widened(instruction.type);
    case 'C':
      return is_wide ? widened(instruction.type) : instruction.type;
    case 'D':
      return instruction.type == Type::s32 || instruction.type2 == Type::s32 ? Type::s32 : Type::u32;
    case 'U':
      return Type::u32;
    case 'A':
      return Type::u64;
    case 'P':
      return Type::pred;
    default:
      return instruction.type;
  }
}

void read_operands(std::string_view operands, Form& form) {
  bool sources = false;
  bool optional = false;
  for (const char letter : operands) {
    if (letter == '=') {
      sources = true;
    } else if (letter == '|') {
      form.second_dst_optional = true;
    } else if (letter == '?') {
      optional = true;
    } else if (sources) {
      form.src[form.src_max++] = type_of_letter(letter, form.prototype);
      if (!optional) ++form.src_min;
    } else {
      form.dst[form.dst_count++] = type_of_letter(letter, form.prototype);
    }
  }
}

/// Rules that hold between modifiers and types.
bool consistent(const Instruction& i, ModifierKinds present, std::string_view words) {
  const bool exact_or_approximate = present.has(rounding) != (present.has(approx) || present.has(full));
  switch (i.op) {
    case Opcode::mul:
    case Opcode::mad:
      if (is_float(i.type))
        return i.mul_mode == MulMode::none && !(i.op == Opcode::mad && !present.has(rounding));
      if (present.has(rounding) || present.has(ftz)) return false;
      if (present.has(wide)) return !present.has(mul_mode) && widened(i.type) != Type::none && !i.carry_out;
      return present.has(mul_mode);
    case Opcode::div:
      if (is_int(i.type)) return !present.has(rounding) && !present.has(approx) && !present.has(full);
      return exact_or_approximate && !(present.has(approx) && present.has(full));
    case Opcode::rcp:
    case Opcode::sqrt:
      return exact_or_approximate;
    case Opcode::cvt: {
      const bool rounds =
          present.has(rounding) + present.has(integer_rounding) + present.has(round_away) <= 1;
      if (is_fp8_pair(i.type) || is_fp8_pair(i.type2)) return rounds && consistent_fp8(i, present);
      if (present.has(satfinite) || is_pair(i.type2)) return false;
      if (is_pair(i.type)) return rounds && present.has(rounding) && i.type2 == Type::f32;
      if (i.type == Type::tf32) return rounds && i.type2 == Type::f32;
      return rounds && !present.has(round_away);
    }
    case Opcode::atom:
    case Opcode::red: {
      const bool exchanges = i.atomic == AtomicOp::cas || i.atomic == AtomicOp::exch;
      if (i.op == Opcode::red && exchanges) return false;
      if (i.type == Type::b16) return i.atomic == AtomicOp::cas;
      return !is_float(i.type) || i.atomic == AtomicOp::add ||
             ((is_pair(i.type) || size_of(i.type) == 2) &&
              (i.atomic == AtomicOp::min || i.atomic == AtomicOp::max));
    }
    case Opcode::cp_async:
      // .ca or .cg first, as the only cache operator; .cg knows no size but 16, which the lowering sees.
      return (words.starts_with(".async.ca.shared") || words.starts_with(".async.cg.shared")) &&
             words.find(".global") < words.find(".L2");
    case Opcode::cvta:
    case Opcode::isspacep:
      return i.space != Space::none;
    case Opcode::vote:
      return present.has(vote_all_any) != present.has(vote_more) &&
             (i.vote == VoteMode::ballot) == (i.type == Type::b32);
    case Opcode::bar: {
      const bool reduces = present.has(barrier_red);
      if (present.has(warp_sync)) return i.barrier == BarrierMode::sync && !reduces && i.type == Type::none;
      if (!reduces) return i.barrier != BarrierMode::none && i.type == Type::none;
      const bool counts = i.barrier == BarrierMode::red_popc;
      return i.type == (counts ? Type::u32 : Type::pred);
    }
    default:
      return true;
  }
}

/// What PTX spells differently but means the same, or leaves unsaid.
void normalise(std::string_view root, ModifierKinds present, Form& form) {
  Instruction& i = form.prototype;
  if (i.op == Opcode::mad && is_float(i.type)) i.op = Opcode::fma;
  if (i.full_range) i.approx = true;
  const bool packs = i.type2 == Type::f32 && (is_pair(i.type) || is_fp8_pair(i.type));
  if (i.op == Opcode::cvt && packs) form.src[form.src_max++] = Type::f32, ++form.src_min;
  if (i.op == Opcode::cvt) form.dst[0] = i.type;
  if (i.atomic == AtomicOp::cas) form.src_min = 2;
  if (i.op == Opcode::atom && i.atomic != AtomicOp::cas) form.src_max = 1;
  if (i.op == Opcode::bar) {
    if (root == "bar") i.uniform = true;
    if (present.has(barrier_red)) {
      i.op = Opcode::bar_red;
      form.dst_count = 1;
      form.dst[0] = i.type;
    }
    if (present.has(warp_sync)) {
      i.op = Opcode::bar_warp;
      i.barrier = BarrierMode::none;
      i.uniform = false;
      form.shape = Shape::plain;
      form.src_max = 1;
    }
  }
  const bool is_memory = form.shape == Shape::load || form.shape == Shape::store ||
                         form.shape == Shape::atomic || form.shape == Shape::reduce ||
                         form.shape == Shape::address;
  if (is_memory && i.space == Space::none) i.space = Space::generic;
}

Form decode_with(const Rule& rule, std::string_view words) {
  Form form;
  const Modifiers modifiers = parse_modifiers(words, rule.required | rule.optional);
  if (!modifiers.ok || (modifiers.present.bits & rule.required.bits) != rule.required.bits) return form;
  Instruction& i = form.prototype;
  i = modifiers.effect;
  i.op = rule.op;
  const auto allowed = [](TypeSet set, Type type) { return (set >> static_cast<unsigned>(type) & 1) != 0; };
  const bool optional_type = rule.shape == Shape::barrier && modifiers.type_count == 0;
  const unsigned wanted = optional_type ? 0 : (rule.types != no_type) + (rule.types2 != no_type);
  if (modifiers.type_count != wanted) return form;
  if (wanted > 0) {
    if (!allowed(rule.types, modifiers.types[0])) return form;
    i.type = i.type2 = modifiers.types[0];
  }
  if (wanted > 1) {
    if (!allowed(rule.types2, modifiers.types[1])) return form;
    i.type2 = modifiers.types[1];
  }
  if (!consistent(i, modifiers.present, words)) return form;
  form.shape = rule.shape;
  read_operands(rule.operands, form);
  normalise(rule.root, modifiers.present, form);
  form.known = true;
  return form;
}

}  // namespace

Form decode_opcode(std::string_view spelling) {
  const std::size_t dot = std::min(spelling.find('.'), spelling.size());
  const std::string_view root = spelling.substr(0, dot);
  for (const Rule& rule : rules) {
    if (rule.root != root) continue;
    if (const Form form = decode_with(rule, spelling.substr(dot)); form.known) return form;
  }
  if (const Form form = decode_mbarrier_opcode(spelling); form.known) return form;
  if (const Form form = decode_texture_opcode(spelling); form.known) return form;
  return decode_matrix_opcode(spelling);
}

std::string_view name_of(Opcode op) {
  switch (op) {
    case Opcode::unsupported:
      return "unsupported";
    case Opcode::pack:
      return "pack";
    case Opcode::unpack:
      return "unpack";
    case Opcode::bar_red:
      return "bar.red";
    case Opcode::bar_warp:
      return "bar.warp";
    case Opcode::ldmatrix:
      return "ldmatrix";
    case Opcode::stmatrix:
      return "stmatrix";
    case Opcode::movmatrix:
      return "movmatrix";
    case Opcode::mma:
      return "mma";
    case Opcode::wmma_load:
      return "wmma.load";
    case Opcode::wmma_mma:
      return "wmma.mma";
    case Opcode::wmma_store:
      return "wmma.store";
    case Opcode::cp_async:
      return "cp.async";
    case Opcode::mbarrier:
      return "mbarrier";
    case Opcode::tex:
      return "tex";
    case Opcode::surface:
      return "surface";
    case Opcode::cp_async_commit:
      return "cp.async.commit_group";
    case Opcode::cp_async_wait:
      return "cp.async.wait";
    case Opcode::call_vprintf:
      return "call vprintf";
    case Opcode::call_assertfail:
      return "call __assertfail";
    default:
      break;
  }
  for (const Rule& rule : rules) {
    if (rule.op == op) return rule.root;
  }
  return "?";
}

}  // namespace evo::evaluators::virtual_device::ptx
