// Matrix instructions to steps.
#include <algorithm>
#include <utility>

#include "evaluators/devices/virtual/semantics/fragment_table.hpp"
#include "evaluators/devices/virtual/semantics/matrix_form.hpp"
#include "evaluators/devices/virtual/warp/decoder.hpp"
#include "evaluators/devices/virtual/warp/matrix.hpp"

namespace evo::evaluators::virtual_device::warp {

std::uint32_t Decoder::fragment_table(const MatrixForm& form) {
  const auto known = std::find_if(code_.fragments.begin(), code_.fragments.end(),
                                  [&](const semantics::FragmentTable& table) { return table.form == form; });
  const auto index = static_cast<std::uint32_t>(known - code_.fragments.begin());
  if (known == code_.fragments.end()) code_.fragments.push_back(semantics::make_fragment_table(form));
  return index;
}

void Decoder::lower_matrix(const Instruction& i) {
  MatrixStep step;
  const auto add = [&](FragmentSlots& fragment, std::span<const Operand> operands, bool is_destination) {
    for (const Operand& operand : operands) {
      const bool sink = is_destination && operand.kind != Operand::Kind::reg;
      const Slot slot = sink ? Slot{} : is_destination ? target(operand) : source(operand, 4);
      fragment.slot[fragment.count] = slot.offset;
      fragment.poison[fragment.count] = poison_of(slot);
      ++fragment.count;
    }
  };
  const std::span<const Operand> sources = program_.matrix_sources(i);
  add(step.d, program_.matrix_destinations(i), true);
  if (i.op == Opcode::mma || i.op == Opcode::wmma_mma) {
    const MatrixForm& form = i.matrix;
    const unsigned of_a = semantics::fragment_registers(form.shape, MatrixRole::a, form.a);
    const unsigned of_b = semantics::fragment_registers(form.shape, MatrixRole::b, form.b);
    add(step.a, sources.first(of_a), false);
    add(step.b, sources.subspan(of_a, of_b), false);
    add(step.c, sources.subspan(of_a + of_b), false);
    step.multiply = multiply_for_(i);
    if (step.multiply == nullptr) return unsupported();
  } else {
    add(step.a, sources, false);
  }
  if (i.op == Opcode::wmma_load || i.op == Opcode::wmma_store) step.table = fragment_table(i.matrix);
  const auto handler = [&]() -> Handler {
    switch (i.op) {
      case Opcode::movmatrix:
        return &movmatrix_step;
      case Opcode::ldmatrix:
        return &ldmatrix_step;
      case Opcode::stmatrix:
        return &stmatrix_step;
      case Opcode::wmma_load:
        return &fragment_load_step;
      case Opcode::wmma_store:
        return &fragment_store_step;
      default:
        return &multiply_step;
    }
  };
  const auto index = static_cast<std::uint32_t>(code_.matrix.size());
  code_.matrix.push_back(step);
  if (step.multiply != nullptr || i.op == Opcode::movmatrix) {
    Op op = begin(handler());
    op.extra = index;
    code_.ops.push_back(op);
    return;
  }
  const bool is_long =
      i.space != Space::shared || (i.base.kind == Operand::Kind::reg && register_bytes(i.base) == 8);
  const Slot base = source(i.base, is_long ? 8 : 4);
  const Slot stride = i.src_count > 0 ? source(i.src[0], 4) : Slot{};
  Op op = begin(handler());
  op.extra = index;
  op.offset = i.offset;
  push(op, nullptr, &base, i.src_count > 0 ? &stride : nullptr, nullptr);
  code_.ops.back().c = i.src_count > 0 ? 1 : 0;
  code_.ops.back().pc = is_long ? 1 : 0;
}

void Decoder::lower_warpgroup(const Instruction& i) {
  WarpgroupStep step;
  step.multiply = semantics::WarpgroupMultiply(i, multiply_for_);
  for (const Operand& operand : program_.matrix_destinations(i)) {
    const Slot slot = target(operand);
    step.d.push_back(slot.offset);
    step.d_poison.push_back(poison_of(slot));
  }
  if (i.warpgroup.a_in_registers) {
    const auto a = program_.matrix_sources(i).last(semantics::tiles_of_a);
    for (unsigned t = 0; t < semantics::tiles_of_a; ++t) step.a[t] = source(a[t], 4).offset;
  }
  const Slot a = source(i.src[0], 8);
  const Slot b = source(i.src[1], 8);
  const Slot adds = source(i.src[2], 0);
  Op op = begin(&wgmma_step);
  op.extra = static_cast<std::uint32_t>(code_.warpgroups.size());
  code_.warpgroups.push_back(std::move(step));
  push(op, nullptr, &a, &b, &adds);
}

}  // namespace evo::evaluators::virtual_device::warp
