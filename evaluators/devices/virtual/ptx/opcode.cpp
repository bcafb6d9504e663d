#include "evaluators/devices/virtual/ptx/opcode.hpp"

#include <algorithm>
#include <array>

#include "evaluators/devices/virtual/ptx/bulk_opcode.hpp"
#include "evaluators/devices/virtual/ptx/matrix_opcode.hpp"
#include "evaluators/devices/virtual/ptx/mbarrier_opcode.hpp"
#include "evaluators/devices/virtual/ptx/modifiers.hpp"
#include "evaluators/devices/virtual/ptx/opcode_rules.hpp"
#include "evaluators/devices/virtual/ptx/texture_opcode.hpp"
#include "evaluators/devices/virtual/ptx/video_opcode.hpp"
#include "evaluators/devices/virtual/ptx/warpgroup_opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

using enum ModifierKind;
using opcode_rules::Rule, opcode_rules::rules, opcode_rules::TypeSet;

bool is_float(Type type) {
  return type != Type::none && (opcode_rules::floats >> static_cast<unsigned>(type) & 1) != 0;
}
bool is_int(Type type) {
  return type != Type::none && (opcode_rules::ints >> static_cast<unsigned>(type) & 1) != 0;
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
  const unsigned wanted =
      optional_type ? 0 : (rule.types != opcode_rules::no_type) + (rule.types2 != opcode_rules::no_type);
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

/// createpolicy.fractional.L2::FIRST{.L2::SECOND}.b64: where a cache keeps data. No value hangs on it, so
/// that any number is the policy.
Form decode_policy_opcode(std::string_view spelling) {
  constexpr std::string_view begin = "createpolicy.fractional.L2::", end = ".b64";
  constexpr std::array<std::string_view, 4> first{"evict_last", "evict_normal", "evict_first",
                                                  "evict_unchanged"};
  constexpr std::array<std::string_view, 2> second{".L2::evict_first", ".L2::evict_unchanged"};
  Form form;
  if (!spelling.starts_with(begin) || !spelling.ends_with(end)) return form;
  std::string_view words = spelling.substr(begin.size(), spelling.size() - begin.size() - end.size());
  for (const std::string_view each : second) {
    if (words.ends_with(each)) {
      words.remove_suffix(each.size());
      break;
    }
  }
  if (std::find(first.begin(), first.end(), words) == first.end()) return form;
  form.known = true;
  form.shape = Shape::policy;
  form.prototype.op = Opcode::mov;
  form.prototype.type = Type::b64;
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
  if (const Form form = decode_bulk_opcode(spelling); form.known) return form;
  if (const Form form = decode_mbarrier_opcode(spelling); form.known) return form;
  if (const Form form = decode_warpgroup_opcode(spelling); form.known) return form;
  if (const Form form = decode_video_opcode(spelling); form.known) return form;
  if (const Form form = decode_texture_opcode(spelling); form.known) return form;
  if (const Form form = decode_policy_opcode(spelling); form.known) return form;
  return decode_matrix_opcode(spelling);
}

}  // namespace evo::evaluators::virtual_device::ptx
