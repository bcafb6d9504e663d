// Operands of textures and surfaces (PTX ISA, tex, suld, sust). A surface access becomes the search for its
// place and an ordinary load or store there, so that it is checked as those are.
#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;

namespace {

Instruction beside(const Instruction& access, Opcode op, Type type) {
  Instruction made;
  made.op = op;
  made.type = made.type2 = type;
  made.source = access.source;
  made.ptx_line = access.ptx_line;
  made.text = access.text;
  return made;
}

Operand zero() {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  return operand;
}

}  // namespace

/// `[handle, {layer, x, y}]`: a layer in front, and what fills a vector of three up to four behind.
bool Lowering::bind_place(const Frame& frame, const AstOperand& place, Instruction& out) const {
  if (place.kind != Kind::address || place.count != 2) return false;
  const AstOperand& handle = frame.function->operands[place.first];
  const AstOperand& coordinates = frame.function->operands[place.first + 1];
  const TextureForm& form = out.texture;
  const std::uint32_t needed = form.dimensions + (form.layered ? 1U : 0U);
  if (coordinates.kind != Kind::vector || coordinates.count < needed) return false;
  if (!bind_source(frame, handle, Type::b64, out.src[0])) return false;
  for (std::uint32_t i = 0; i < needed; ++i) {
    const Type type = i == 0 && form.layered ? Type::u32 : out.type2;
    if (!bind_source(frame, frame.function->operands[coordinates.first + i], type, out.src[i + 1]))
      return false;
  }
  out.src_count = static_cast<std::uint8_t>(needed + 1);
  return true;
}

bool Lowering::lower_texture(Frame& frame, const AstInstruction& source, Instruction& out) {
  const bool level = source.opcode.starts_with("tex.level");
  if (source.operand_count != (level ? 3U : 2U)) return false;
  Operand ignored;  // without a mipmap there is one level, whatever is asked for
  if (level && !bind_source(frame, operand(frame, source, 2), Type::f32, ignored)) return false;
  return bind_vector(frame, operand(frame, source, 0), out.type, true, out) &&
         bind_place(frame, operand(frame, source, 1), out);
}

bool Lowering::lower_surface(Frame& frame, const AstInstruction& source, Instruction& out) {
  const bool loads = source.opcode.starts_with("suld");
  if (source.operand_count != 2 || !bind_place(frame, operand(frame, source, loads ? 1 : 0), out))
    return false;
  Instruction access = beside(out, loads ? Opcode::ld : Opcode::st, out.type);
  access.space = Space::global;
  access.vector = out.vector;
  // One value stands in braces, too.
  AstOperand values = operand(frame, source, loads ? 0 : 1);
  if (values.kind == Kind::vector && values.count == 1) values = frame.function->operands[values.first];
  if (!bind_vector(frame, values, out.type, loads, access)) return false;
  access.base = temporary(Type::u64);
  access.guard = temporary(Type::pred);
  if (out.guard.kind != Operand::Kind::none) {
    // Where the access is not asked for, it has no place.
    Instruction none = beside(out, Opcode::mov, Type::pred);
    none.dst[0] = access.guard;
    none.src[0] = zero();
    none.dst_count = none.src_count = 1;
    emit(none);
  }
  Instruction place = out;
  place.dst[0] = access.base;
  place.dst[1] = access.guard;
  place.dst_count = 2;
  emit(place);
  for (unsigned i = 0; loads && out.texture.edge != SurfaceEdge::clamp && i < access.dst_count; ++i) {
    if (access.dst[i].kind != Operand::Kind::reg) continue;
    const unsigned bytes = size_of(program_.registers[access.dst[i].index]);
    Instruction clear = beside(out, Opcode::mov, bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : Type::b16);
    clear.guard = out.guard;
    clear.dst[0] = access.dst[i];
    clear.src[0] = zero();
    clear.dst_count = clear.src_count = 1;
    emit(clear);
  }
  out = access;
  return true;
}

}  // namespace evo::evaluators::virtual_device::ptx
