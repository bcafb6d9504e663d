// Matrix instructions of f64 (m8n8k4). Lane l holds element (l / 4, l % 4) of A, (l % 4, l / 4) of B and the
// two (l / 4, 2 (l % 4)), (l / 4, 2 (l % 4) + 1) of an accumulator (PTX ISA, "Matrix Fragments for mma.m8n8k4
// with .f64"). So loads and stores are those of the lanes, and a multiplication is four shuffles of each
// operand and eight fused multiply-adds, in the order of k.
#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

using Kind = AstOperand::Kind;

Operand number(std::uint64_t bits) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.bits = bits;
  return operand;
}
Operand lane_number() {
  Operand operand;
  operand.kind = Operand::Kind::special;
  operand.index = static_cast<std::uint32_t>(SpecialRegister::laneid);
  return operand;
}

/// An instruction at the place of another.
Instruction another(const Instruction& at, Opcode op, Type type) {
  Instruction made;
  made.op = op;
  made.type = made.type2 = type;
  made.source = at.source;
  made.ptx_line = at.ptx_line;
  made.text = at.text;
  return made;
}

}  // namespace

Operand Lowering::temporary(Type type) {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.index = static_cast<std::uint32_t>(program_.registers.size());
  program_.registers.push_back(type);
  program_.register_names.emplace_back("element");
  return operand;
}

/// Emits d = op(sources) with a register of its own for d. A product is the low half, a sum of products
/// rounds to nearest even.
Operand Lowering::compute(const Instruction& at, Opcode op, Type type,
                          std::initializer_list<Operand> sources) {
  Instruction made = another(at, op, type);
  if (op == Opcode::mad) made.mul_mode = MulMode::lo;
  if (op == Opcode::fma) made.rounding = at.rounding == Rounding::none ? Rounding::rn : at.rounding;
  if (op == Opcode::cvt) made.type2 = Type::u32;
  made.dst[0] = temporary(type);
  made.dst_count = 1;
  for (const Operand& source : sources) made.src[made.src_count++] = source;
  emit(made);
  return made.dst[0];
}

/// The double whose halves `low` and `high` are, of another lane.
Operand Lowering::shuffle_f64(const Instruction& at, const Operand& low, const Operand& high,
                              const Operand& lane) {
  Instruction pack = another(at, Opcode::pack, Type::b64);
  pack.type2 = Type::b32;
  pack.src_count = 2;
  for (unsigned half = 0; half < 2; ++half) {
    Instruction shuffle = another(at, Opcode::shfl, Type::b32);
    shuffle.shuffle = ShuffleMode::idx;
    shuffle.dst[0] = pack.src[half] = temporary(Type::b32);
    shuffle.dst_count = 1;
    shuffle.src[0] = half == 0 ? low : high;
    shuffle.src[1] = lane;
    shuffle.src[2] = number(31);
    shuffle.src[3] = number(0xffffffffU);
    shuffle.src_count = 4;
    emit(shuffle);
  }
  pack.dst[0] = temporary(Type::f64);
  pack.dst_count = 1;
  emit(pack);
  return pack.dst[0];
}

/// {a, b}, or one register.
bool Lowering::bind_doubles(const Frame& frame, const AstOperand& group, bool is_destination,
                            std::vector<Operand>& out) const {
  const bool is_vector = group.kind == Kind::vector;
  const AstOperand* first = is_vector ? &frame.function->operands[group.first] : &group;
  for (std::uint32_t k = 0; k < (is_vector ? group.count : 1); ++k) {
    out.emplace_back();
    const bool bound = is_destination ? bind_destination(frame, first[k], Type::f64, out.back())
                                      : bind_source(frame, first[k], Type::f64, out.back());
    if (!bound) return false;
  }
  return true;
}

bool Lowering::multiply_f64(Frame& frame, const AstInstruction& source, const Instruction& out) {
  std::vector<Operand> d, a, b, c;
  if (source.operand_count != 4 || !bind_doubles(frame, operand(frame, source, 0), true, d) ||
      !bind_doubles(frame, operand(frame, source, 1), false, a) ||
      !bind_doubles(frame, operand(frame, source, 2), false, b) ||
      !bind_doubles(frame, operand(frame, source, 3), false, c)) {
    return false;
  }
  if (d.size() != 2 || a.size() != 1 || b.size() != 1 || c.size() != 2) return false;
  const auto halves_of = [&](const Operand& value) {
    Instruction unpack = another(out, Opcode::unpack, Type::b64);
    unpack.type2 = Type::b32;
    unpack.dst[0] = temporary(Type::b32);
    unpack.dst[1] = temporary(Type::b32);
    unpack.dst_count = 2;
    unpack.src[0] = value;
    unpack.src_count = 1;
    emit(unpack);
    return std::pair{unpack.dst[0], unpack.dst[1]};
  };
  const auto [a_low, a_high] = halves_of(a[0]);
  const auto [b_low, b_high] = halves_of(b[0]);
  const Operand row = compute(out, Opcode::and_, Type::b32, {lane_number(), number(28)});
  const Operand in_row = compute(out, Opcode::and_, Type::b32, {lane_number(), number(3)});
  for (unsigned k = 0; k < 4; ++k) {
    const Operand of_a = compute(out, Opcode::add, Type::u32, {row, number(k)});
    const Operand left = shuffle_f64(out, a_low, a_high, of_a);
    for (unsigned odd = 0; odd < 2; ++odd) {
      const Operand of_b = compute(out, Opcode::mad, Type::u32, {in_row, number(8), number(4 * odd + k)});
      const Operand right = shuffle_f64(out, b_low, b_high, of_b);
      c[odd] = compute(out, Opcode::fma, Type::f64, {left, right, c[odd]});
    }
  }
  for (unsigned odd = 0; odd < 2; ++odd) {
    Instruction move = another(out, Opcode::mov, Type::f64);
    move.dst[0] = d[odd];
    move.dst_count = 1;
    move.src[0] = c[odd];
    move.src_count = 1;
    emit(move);
  }
  return true;
}

bool Lowering::lower_matrix_f64(Frame& frame, const AstInstruction& source, Instruction& out) {
  if (out.guard.kind != Operand::Kind::none) return false;
  const Instruction form = out;
  out.op = Opcode::unsupported;  // for the caller: nothing is left to emit
  if (form.op == Opcode::mma || form.op == Opcode::wmma_mma) return multiply_f64(frame, source, form);
  const bool loads = form.op == Opcode::wmma_load;
  if (source.operand_count != 2 && source.operand_count != 3) return false;
  std::vector<Operand> elements;
  if (!bind_doubles(frame, operand(frame, source, loads ? 0 : 1), loads, elements)) return false;
  const MatrixForm& matrix = form.matrix;
  const bool accumulator = matrix.role == MatrixRole::accumulator;
  if (elements.size() != (accumulator ? 2 : 1)) return false;
  Instruction access = another(form, loads ? Opcode::ld : Opcode::st, Type::f64);
  access.space = form.space;
  if (!bind_address(frame, operand(frame, source, loads ? 1 : 0), access)) return false;
  // Neighbours in memory when there is no stride: 4 along a row of A, a column of B; else 8.
  const bool short_run = accumulator ? false : (matrix.role == MatrixRole::a) != matrix.column_major;
  Operand stride = number(short_run ? 4 : 8);
  if (source.operand_count == 3 && !bind_source(frame, operand(frame, source, 2), Type::u32, stride))
    return false;

  const Operand group = compute(form, Opcode::shr, Type::u32, {lane_number(), number(2)});
  Operand in_group = compute(form, Opcode::and_, Type::b32, {lane_number(), number(3)});
  if (accumulator) in_group = compute(form, Opcode::shl, Type::b32, {in_group, number(1)});
  const Operand row = matrix.role == MatrixRole::b ? in_group : group;
  const Operand column = matrix.role == MatrixRole::b ? group : in_group;
  const Operand run = matrix.column_major ? column : row;
  const Operand along = matrix.column_major ? row : column;
  const Operand base = access.base;
  for (unsigned k = 0; k < elements.size(); ++k) {
    const Operand this_run =
        k == 1 && matrix.column_major ? compute(form, Opcode::add, Type::u32, {run, number(1)}) : run;
    const Operand this_along =
        k == 1 && !matrix.column_major ? compute(form, Opcode::add, Type::u32, {along, number(1)}) : along;
    const Operand at = compute(form, Opcode::mad, Type::u32, {this_run, stride, this_along});
    const bool narrow = base.kind == Operand::Kind::reg && size_of(program_.registers[base.index]) == 4;
    const Type wide = narrow ? Type::u32 : Type::u64;
    Operand offset = narrow ? at : compute(form, Opcode::cvt, Type::u64, {at});
    offset = compute(form, Opcode::shl, narrow ? Type::b32 : Type::b64, {offset, number(3)});
    access.base = base.kind == Operand::Kind::reg ? compute(form, Opcode::add, wide, {base, offset}) : offset;
    (loads ? access.dst[0] : access.src[0]) = elements[k];
    (loads ? access.dst_count : access.src_count) = 1;
    emit(access);
  }
  return true;
}

}  // namespace evo::evaluators::virtual_device::ptx
