// Instructions other than arithmetic and jumps: packing, addresses, memory, barriers, warp operations.
#include <algorithm>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/semantics/convert.hpp"
#include "evaluators/devices/virtual/warp/decoder.hpp"
#include "evaluators/devices/virtual/warp/operand_types.hpp"

namespace evo::evaluators::virtual_device::warp {

/// The common pairs, whose registers are as wide as their parts. False: not one of them.
bool Decoder::lower_pair(const Instruction& i) {
  const bool packs = i.op == Opcode::pack;
  const unsigned whole = size_of(i.type);
  const Operand* parts = packs ? i.src : i.dst;
  if ((packs ? i.src_count : i.dst_count) != 2 || (whole != 4 && whole != 8)) return false;
  const Operand& other = packs ? i.dst[0] : i.src[0];
  if (other.kind == Operand::Kind::reg && register_bytes(other) != whole) return false;
  for (const Operand* part : {&parts[0], &parts[1]}) {
    if (part->kind == Operand::Kind::reg && register_bytes(*part) != whole / 2) return false;
  }
  const auto part_target = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::reg ? target(operand) : Slot{};
  };
  const unsigned whole_class = whole == 8 ? 8 : 4;
  if (packs) {
    const Slot low = source(parts[0], 4);
    const Slot high = source(parts[1], 4);
    const Slot out = part_target(other);
    push(begin(select_special_(whole == 8 ? SpecialStep::pack_words : SpecialStep::pack_halves)), &out, &low,
         &high, nullptr);
  } else {
    const Slot in = source(other, whole_class);
    const Slot low = part_target(parts[0]);
    const Slot high = part_target(parts[1]);
    push(begin(select_special_(whole == 8 ? SpecialStep::unpack_words : SpecialStep::unpack_halves)), &low,
         &in, &high, nullptr);
  }
  return true;
}

void Decoder::lower_pack(const Instruction& i) {
  if (lower_pair(i)) return;
  const bool packs = i.op == Opcode::pack;
  const unsigned parts = packs ? i.src_count : i.dst_count;
  const unsigned bits = 8 * size_of(i.type) / std::max(1U, parts);
  const unsigned part_class = bits == 64 ? 8 : 4;
  std::vector<Slot> sources;
  std::vector<Slot> targets;
  for (unsigned k = 0; k < i.src_count; ++k)
    sources.push_back(source(i.src[k], packs ? part_class : class_of(i.type)));
  for (unsigned k = 0; k < i.dst_count; ++k) {
    targets.push_back(target_as(i.dst[k], packs ? class_of(i.type) : part_class, 8 * size_of(i.type), false));
  }
  Op op = begin(packs ? &pack_step : &unpack_step);
  op.c = bits;
  op.extra = add_wide({}, targets, sources);
  code_.ops.push_back(op);
  resize_targets();
}

void Decoder::lower_address(const Instruction& i) {
  const unsigned width = class_of(i.type);
  if (i.op == Opcode::isspacep) {
    const Slot a = source(i.src[0], 8);
    const Slot out = target(i.dst[0]);
    Op op = begin(&isspacep_step);
    push(op, &out, &a, nullptr, nullptr);
    code_.ops.back().c = static_cast<std::uint32_t>(i.space);
    return;
  }
  const Slot a = source(i.src[0], width);
  const Slot out = target_as(i.dst[0], width, 8 * size_of(i.type), false);
  Op op = begin(&address_step);
  const auto window = static_cast<std::int64_t>(window_of(i.space));
  op.offset = i.to_space ? -window : window;
  op.c = width == 8 ? 3U : 0U;
  push(op, &out, &a, nullptr, nullptr);
  resize_targets();
}

void Decoder::lower_memory(const Instruction& i) {
  const Handler handler = select_memory_(i, code_.checked);
  if (handler == nullptr) return unsupported();
  const bool small = i.space != Space::global && i.space != Space::generic && i.space != Space::none;
  const unsigned element_class = class_of(i.type);
  const unsigned bits = 8 * size_of(i.type);
  const bool is_long = !small || (i.base.kind == Operand::Kind::reg && register_bytes(i.base) == 8);
  Op op = begin(handler);
  op.offset = i.offset;
  const Slot base = source(i.base, is_long ? 8 : 4);
  const bool strong = !small && (i.is_volatile || i.acquire || i.release || i.scope != Scope::none);
  const auto beside = [&](Handler what) {
    if (!strong) return;
    Op extra = begin(what);
    extra.offset = i.offset;
    extra.c = may_be_early(current_) ? 1 : 0;
    push(extra, nullptr, &base, nullptr, nullptr);
  };
  if (i.op == Opcode::st) {
    std::vector<Slot> values;
    for (unsigned k = 0; k < i.vector; ++k) values.push_back(source(i.src[k], element_class));
    if (i.release) code_.ops.push_back(begin(&settle_step));
    beside(i.release ? &settle_at_step : &late_store_step);
    if (i.vector > 1) op.extra = add_wide({}, {}, values);
    push(op, nullptr, &base, i.vector == 1 ? &values[0] : nullptr, nullptr);
    if (small && is_long) code_.ops.back().pc = 1;
    return;
  }
  std::vector<Slot> targets;
  for (unsigned k = 0; k < i.vector; ++k) targets.push_back(target_as(i.dst[k], element_class, bits, false));
  if (semantics::is_signed(i.type) && bits < 32) {
    // Into a register of 32 bits or more the sign goes all the way.
    const unsigned width = std::min(32U, 8 * register_bytes(i.dst[0]));
    op.c = width == 32 ? 0xffffffffU : (1U << width) - 1;
    for (Pending& pending : pending_) pending.sign = true, pending.bits = 32;
  } else if (semantics::is_signed(i.type) && bits == 32) {
    for (Pending& pending : pending_) pending.sign = true;
  }
  if (i.vector > 1) op.extra = add_wide({}, targets, {});
  beside(&hide_late_step);
  push(op, i.vector == 1 ? &targets[0] : nullptr, &base, nullptr, nullptr);
  if (small && is_long) code_.ops.back().pc = 1;
  beside(&show_late_step);
  if (i.acquire) code_.ops.push_back(begin(&acquire_step));
  resize_targets();
}

void Decoder::lower_atomic(const Instruction& i) {
  const unsigned element_class = class_of(i.type);
  std::vector<Slot> sources{source(i.base, 8)};
  if (i.base.kind == Operand::Kind::reg && register_bytes(i.base) != 8) sources[0] = source(i.base, 8);
  for (unsigned k = 0; k < i.src_count; ++k) sources.push_back(source(i.src[k], element_class));
  std::vector<Slot> targets;
  if (i.dst_count > 0) targets.push_back(target_as(i.dst[0], element_class, 8 * size_of(i.type), false));
  if (i.release) code_.ops.push_back(begin(&settle_step));
  if (i.space != Space::shared) {
    Op seen = begin(i.release || !code_.early_loads ? &settle_at_step : &late_store_step);
    seen.offset = i.offset;
    push(seen, nullptr, &sources[0], nullptr, nullptr);
  }
  Op op = begin(&atomic_step);
  op.offset = i.offset;
  op.extra = add_wide({}, targets, sources);
  code_.ops.push_back(op);
  if (i.acquire) code_.ops.push_back(begin(&acquire_step));
  resize_targets();
}

void Decoder::lower_texture(const Instruction& i) {
  std::vector<Slot> sources{source(i.src[0], 8)};
  for (unsigned k = 1; k < i.src_count; ++k) sources.push_back(source(i.src[k], 4));
  std::vector<Slot> targets;
  const bool fetches = i.op == Opcode::tex;
  if (fetches) {
    for (unsigned k = 0; k < i.dst_count; ++k) targets.push_back(target_as(i.dst[k], 4, 32, false));
  } else {
    targets = {target(i.dst[0]), target(i.dst[1])};
  }
  Op op = begin(fetches ? &texture_step : &surface_step);
  op.extra = add_wide({}, targets, sources);
  code_.ops.push_back(op);
  resize_targets();
}

void Decoder::lower_async_copy(const Instruction& i) {
  // Wide: destination, source, how many bytes of it, and whether to ignore it.
  const bool is_long = i.base.kind == Operand::Kind::reg && register_bytes(i.base) == 8;
  Operand bytes = i.src[1];
  if (bytes.kind == Operand::Kind::none) {
    bytes.kind = Operand::Kind::immediate;
    bytes.bits = size_of(i.type) * i.vector;
  }
  Op op = begin(&async_copy_step);
  op.offset = i.offset;
  const Slot to = source(i.base, is_long ? 8 : 4);
  const Slot from = source(i.src[0], 8);
  const Slot size = source(bytes, 4);
  const Slot ignored = source(i.src[2], 0);
  op.extra = add_wide({}, {}, {to, from, size, ignored});
  code_.ops.push_back(op);
}

void Decoder::lower_bulk_copy(const Instruction& i) {
  // Wide: the place in shared memory, then the sources as lower_bulk_copy() leaves them.
  const bool is_long = i.base.kind == Operand::Kind::reg && register_bytes(i.base) == 8;
  std::vector<Slot> sources{source(i.base, is_long ? 8 : 4), source(i.src[0], 8), source(i.src[1], 8),
                            source(i.src[2], 4)};
  for (unsigned k = 3; k < i.src_count; ++k) sources.push_back(source(i.src[k], 4));
  Op op = begin(&bulk_copy_step);
  op.offset = i.offset;
  op.extra = add_wide({}, {}, sources);
  code_.ops.push_back(op);
}

void Decoder::lower_barrier(const Instruction& i) {
  // Wide: barrier, threads, and the predicate of a reduction; c says how many were given.
  std::vector<Slot> sources{source(i.src[0], 4), source(i.src[1], 4)};
  std::vector<Slot> targets;
  if (i.op == Opcode::bar_red) {
    sources.push_back(source(i.src[2], 0));
    const bool counts = i.barrier == BarrierMode::red_popc;
    targets.push_back(i.dst[0].kind == Operand::Kind::reg
                          ? target(i.dst[0])
                          : Slot{0, static_cast<std::uint8_t>(counts ? 4 : 0), false});
  }
  Op op = begin(i.barrier == BarrierMode::arrive ? &barrier_arrive_step : &barrier_step);
  Wide wide;
  wide.avoidable = code_.checked && pass_by_.avoidable(current_);
  op.extra = add_wide(wide, targets, sources);
  op.c = i.src[1].kind == Operand::Kind::none ? 0 : 1;
  code_.ops.push_back(op);
}

void Decoder::lower_mbarrier(const Instruction& i) {
  // Wide: the object's address, and the operand; c says whether one was given.
  const bool state =
      (i.mbarrier == MbarrierMode::wait && !i.parity) || i.mbarrier == MbarrierMode::pending_count;
  const std::vector<Slot> sources{source(i.base, 8), source(i.src[0], state ? 8 : 4)};
  std::vector<Slot> targets;
  if (i.mbarrier == MbarrierMode::wait) {
    targets.push_back(i.dst[0].kind == Operand::Kind::reg ? target(i.dst[0]) : Slot{0, 0, false});
  } else if (i.dst_count > 0) {
    const bool counts = i.mbarrier == MbarrierMode::pending_count;
    targets.push_back(target_as(i.dst[0], counts ? 4 : 8, counts ? 32 : 64, false));
  }
  Op op = begin(&mbarrier_step);
  op.offset = i.offset;
  op.extra = add_wide({}, targets, sources);
  op.c = i.src_count == 0 ? 0 : 1;
  code_.ops.push_back(op);
  resize_targets();
}

void Decoder::lower_wide(const Instruction& i, Handler handler) {
  std::vector<Slot> sources;
  for (unsigned place = 0; place < i.src_count; ++place) {
    sources.push_back(source(i.src[place], class_of(source_type(i, place))));
  }
  std::vector<Slot> targets;
  for (unsigned k = 0; k < i.dst_count; ++k) {
    targets.push_back(i.dst[k].kind == Operand::Kind::reg ? target(i.dst[k]) : Slot{});
    if (i.dst[k].kind != Operand::Kind::reg &&
        (k == 1 || (i.op == Opcode::vote && i.vote != VoteMode::ballot))) {
      targets.back().lane_class = 0;
    }
  }
  Op op = begin(handler);
  Wide wide;
  wide.avoidable = code_.checked && pass_by_.avoidable(current_);
  op.extra = add_wide(wide, targets, sources);
  code_.ops.push_back(op);
}

}  // namespace evo::evaluators::virtual_device::warp
