#include "evaluators/devices/virtual/exact/undefined_bits.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

Word width_mask(Type type) {
  const unsigned bits = type == Type::pred ? 1 : 8 * size_of(type);
  return bits == 0 || bits >= 64 ? all_undefined : (Word{1} << bits) - 1;
}

Word whole(Word any) {
  return any != 0 ? all_undefined : 0;
}

/// false decides a conjunction, and true a disjunction.
Word of_join(BoolOp join, Word a, Word undefined_a, Word b, Word undefined_b) {
  switch (join) {
    case BoolOp::and_:
      return (undefined_a & undefined_b) | (undefined_a & b) | (undefined_b & a);
    case BoolOp::or_:
      return (undefined_a & undefined_b) | (undefined_a & ~b) | (undefined_b & ~a);
    default:
      return undefined_a | undefined_b;
  }
}

/// The step's own function, on the masks in place of the values of the first `masks` sources: for what only
/// moves bits.
Word moved(const Step& step, const Word* sources, const Word* undefined, unsigned masks) {
  for (unsigned i = masks; i < step.src_count; ++i) {
    if (undefined[i] != 0) return all_undefined;
  }
  Word moving[6];
  for (unsigned i = 0; i < 6; ++i) moving[i] = i < masks ? undefined[i] : sources[i];
  return step.function(*step.instruction, moving).value;
}

/// All ways to set the undefined bits of three operands alike.
Word of_lop3(const Step& step, const Word* sources, const Word* undefined) {
  Word can_be_set = 0;
  Word can_be_clear = 0;
  for (unsigned choice = 0; choice < 8; ++choice) {
    Word operands[6] = {};
    for (unsigned i = 0; i < 3; ++i) {
      operands[i] = (choice >> i & 1U) != 0 ? sources[i] | undefined[i] : sources[i] & ~undefined[i];
    }
    const Word result = step.function(*step.instruction, operands).value;
    can_be_set |= result;
    can_be_clear |= ~result;
  }
  return can_be_set & can_be_clear;
}

/// By halves of a 32-bit word.
Word of_halves(Word any) {
  return ((any & 0xffffU) != 0 ? Word{0xffffU} : 0) | ((any & 0xffff0000U) != 0 ? Word{0xffff0000U} : 0);
}

/// One of the predicates of a setp: the comparison, or its opposite, joined with a third predicate.
Word of_setp(const Step& step, const Word* sources, const Word* undefined, bool second) {
  const Instruction& i = *step.instruction;
  const Word comparison = (undefined[0] | undefined[1]) != 0 ? 1 : 0;
  if (i.bool_op == BoolOp::none || i.src_count < 3) return comparison;
  // With a third predicate that decides nothing, the function tells the comparison.
  Word asked[6] = {sources[0], sources[1], i.bool_op == BoolOp::and_ ? Word{1} : Word{0}};
  const semantics::ScalarResult alone = step.function(i, asked);
  const Word value = second ? Word{alone.flag} : alone.value & 1;
  return of_join(i.bool_op, value, comparison, sources[2] & 1, undefined[2] & 1) & 1;
}

bool is_integer(Type type) {
  return type >= Type::b8 && type <= Type::s16
             ? true
             : type == Type::b32 || type == Type::u32 || type == Type::s32 || type == Type::b64 ||
                   type == Type::u64 || type == Type::s64;
}

Word of_conversion(const Step& step, const Word* sources, const Word* undefined) {
  const Instruction& i = *step.instruction;
  if (i.src_count == 2 && (i.type == Type::f16x2 || i.type == Type::bf16x2)) {
    return (undefined[0] != 0 ? Word{0xffff0000U} : 0) | (undefined[1] != 0 ? Word{0xffffU} : 0);
  }
  const bool moves = i.src_count == 1 && is_integer(i.type) && is_integer(i.type2) && !i.saturate;
  return moves ? moved(step, sources, undefined, 1)
               : whole(undefined[0] | (i.src_count > 1 ? undefined[1] : 0));
}

}  // namespace

Word undefined_result(const Step& step, const Word* sources, const Word* undefined) {
  const Instruction& i = *step.instruction;
  Word any = 0;
  for (unsigned k = 0; k < step.src_count; ++k) any |= undefined[k];
  if (any == 0) return 0;
  const Word width = width_mask(i.type);
  switch (i.op) {
    case Opcode::mov:
    case Opcode::not_:
    case Opcode::xor_:
      return any & width;
    case Opcode::and_:
      return of_join(BoolOp::and_, sources[0], undefined[0], sources[1], undefined[1]) & width;
    case Opcode::or_:
      return of_join(BoolOp::or_, sources[0], undefined[0], sources[1], undefined[1]) & width;
    case Opcode::lop3:
      return of_lop3(step, sources, undefined) & width;
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::bfe:
    case Opcode::brev:
      return moved(step, sources, undefined, 1);
    case Opcode::shf:
    case Opcode::prmt:
    case Opcode::bfi:
      return moved(step, sources, undefined, 2);
    case Opcode::cvt:
      return of_conversion(step, sources, undefined);
    case Opcode::mul:
    case Opcode::mad:
      if (i.mul_mode != MulMode::lo) break;
      [[fallthrough]];
    case Opcode::add:
    case Opcode::sub:
      // A bit only changes itself and higher ones.
      if (is_integer(i.type) && !i.saturate && !i.carry_out) return (any | (~any + 1)) & width;
      break;
    case Opcode::setp:
      return of_setp(step, sources, undefined, false);
    default:
      break;
  }
  if (i.type == Type::f16x2 || i.type == Type::bf16x2) return of_halves(any);
  return all_undefined;
}

Word undefined_second(const Step& step, const Word* sources, const Word* undefined) {
  if (step.instruction->op == Opcode::setp) return of_setp(step, sources, undefined, true);
  return all_undefined;
}

}  // namespace evo::evaluators::virtual_device::exact
