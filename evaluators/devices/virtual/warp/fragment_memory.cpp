// wmma.load and wmma.store: the rows (or columns) of a matrix go through a dense copy, from which or into
// which the registers of the lanes are gathered by a table.
#include <algorithm>

#include "evaluators/devices/virtual/warp/matrix.hpp"
#include "evaluators/devices/virtual/warp/memory_data.inl"
#include "evaluators/devices/virtual/warp/schedule.hpp"
#include "evaluators/devices/virtual/warp/warp_group.hpp"

namespace evo::evaluators::virtual_device::warp {

using namespace EVO_ISA;
using semantics::FragmentTable;

namespace {

constexpr unsigned max_fragment_bytes = 32 * 32;
constexpr unsigned register_bytes = 4;

/// Where the matrix lies.
struct Matrix {
  Space space = Space::shared;
  std::uint64_t base = 0, stride = 0;  ///< bytes; the base an offset in the space, or a global address
  Window window;
  const Region* region = nullptr;
  std::array<std::uint32_t, lanes> starts{};  ///< of the runs, in shared memory
  [[nodiscard]] std::uint64_t run(unsigned k) const { return base + k * stride; }
};

void report(Warp& warp, const Op* op, FaultKind kind, const Matrix& matrix, std::uint64_t address,
            unsigned width, bool write) {
  Fault fault;
  fault.kind = kind;
  fault.space = matrix.space;
  fault.write = write;
  fault.thread = BlockState::thread_of(warp, static_cast<std::uint32_t>(std::countr_zero(warp.mask)));
  fault.address = address;
  fault.width = width;
  fail(warp, op, fault);
}

/// All lanes have to give the same address and stride.
void check_uniform(Warp& warp, const Op* op, std::uint64_t base, std::uint32_t stride) {
  const auto* strides = reinterpret_cast<const Word*>(warp.registers + op->b);
  Addresses<std::uint64_t> addresses;
  if (op->pc != 0) {
    make_addresses(warp, op, addresses);
  } else {
    Addresses<std::uint32_t> narrow;
    make_addresses(warp, op, narrow);
    std::copy(std::begin(narrow.of), std::end(narrow.of), std::begin(addresses.of));
  }
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (addresses.of[lane] != base || (op->c != 0 && strides[lane] != stride)) {
      return suspect(warp, op, SuspicionKind::shuffle_mask, lane);
    }
  }
}

/// False: the matrix is not all in mapped memory, or misaligned (told).
bool locate(Warp& warp, const Op* op, const Instruction& instruction, const FragmentTable& table, bool write,
            Matrix& matrix) {
  const auto first = static_cast<unsigned>(std::countr_zero(warp.mask));
  const std::byte* bases = warp.registers + op->a;
  const std::uint64_t offset = static_cast<std::uint64_t>(op->offset);
  const std::uint64_t given =
      op->pc != 0 ? read_lane<std::uint64_t>(bases, first) + offset
                  : static_cast<std::uint32_t>(read_lane<std::uint32_t>(bases, first) + offset);
  const std::uint32_t stride =
      op->c != 0 ? read_lane<std::uint32_t>(warp.registers + op->b, first) : table.run_elements;
  if (warp.races != nullptr) {
    if ((warp.poison[op->pa] & warp.mask) != 0 || (op->c != 0 && (warp.poison[op->pb] & warp.mask) != 0)) {
      suspect(warp, op, SuspicionKind::uninitialized, first);
    }
    check_uniform(warp, op, given, stride);
  }
  matrix.space = instruction.space == Space::generic ? space_of(given) : instruction.space;
  const bool was_generic = instruction.space == Space::generic && matrix.space != Space::global;
  matrix.base = was_generic ? from_generic(matrix.space, given) : given;
  matrix.stride = std::uint64_t{stride} * table.element_bytes;
  if (matrix.space == Space::shared) {
    matrix.window = {warp.shared, warp.shared_shadow, 0, warp.shared_bytes};
  } else if (matrix.space == Space::global) {
    matrix.region = &warp.block->launch->memory->find(matrix.base);
    matrix.window = {matrix.region->data,
                     matrix.region->all_written && !write ? nullptr : matrix.region->shadow,
                     matrix.region->base, matrix.region->bytes};
  }
  bool good = true;
  for (unsigned k = 0; k < table.runs; ++k) {
    const std::uint64_t start = matrix.run(k);
    const std::uint64_t inside = start - matrix.window.base;
    const unsigned alignment = k == 0 ? table.base_alignment : table.run_alignment;
    if (inside >= matrix.window.bytes || table.run_bytes > matrix.window.bytes - inside) {
      report(warp, op, FaultKind::out_of_bounds, matrix, start, table.run_bytes, write);
      good = false;
    } else if (start % alignment != 0) {
      report(warp, op, FaultKind::misaligned, matrix, start, alignment, write);
      good = false;
    } else if (matrix.space == Space::shared) {
      matrix.starts[k] = static_cast<std::uint32_t>(start);
    }
  }
  return good;
}

/// Traffic as if each register were an access of its own.
void count(Warp& warp, const Op* op, const FragmentTable& table, const Matrix& matrix) {
  for (unsigned k = 0; k < table.distinct * table.pieces; ++k) {
    Addresses<std::uint32_t> shared;
    Addresses<std::uint64_t> global;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned offset = table.offsets[k * lanes + lane];
      global.of[lane] = matrix.run(offset / table.run_bytes) + offset % table.run_bytes;
      shared.of[lane] = static_cast<std::uint32_t>(global.of[lane]);
    }
    if (matrix.space == Space::shared) {
      warp.counts->shared(op->instruction, shared.of, all_lanes, table.piece_bytes);
    } else {
      warp.counts->global(op->instruction, *matrix.region, global.of, all_lanes, table.piece_bytes);
    }
  }
}

void check_shared(Warp& warp, const Op* op, const FragmentTable& table, const Matrix& matrix, bool write) {
  SharedRaces& races = *warp.races;
  const std::uint32_t* starts = matrix.starts.data();
  const bool by_lane = write ? races.write_rows(warp, op, starts, table.runs, table.run_bytes)
                             : races.read_rows(warp, op, starts, table.runs, table.run_bytes);
  for (unsigned k = 0; by_lane && k < table.distinct * table.pieces; ++k) {
    std::uint32_t addresses[lanes];
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned offset = table.offsets[k * lanes + lane];
      addresses[lane] = starts[offset / table.run_bytes] + offset % table.run_bytes;
    }
    if (write) {
      races.write_piece(warp, op, addresses, table.piece_bytes);
    } else {
      races.read_piece(warp, op, addresses, table.piece_bytes);
    }
  }
}

/// A lane accesses the elements that are in its registers.
void check_global(Warp& warp, const Op* op, const FragmentTable& table, const Matrix& matrix, bool write) {
  GlobalRaces& races = *warp.block->global_races;
  const Region& region = *matrix.region;
  for (unsigned k = 0; !write && k < table.runs; ++k)
    note_source(warp, region, matrix.run(k), table.run_bytes);
  if (!write && region.read_only) return;
  const std::uint64_t own = mark_of(warp);
  bool conflict = false;
  for (unsigned k = 0; k < table.distinct * table.pieces; ++k) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned offset = table.offsets[k * lanes + lane];
      const std::uint64_t address = matrix.run(offset / table.run_bytes) + offset % table.run_bytes;
      conflict |= write ? races.write(region, address, table.piece_bytes, own + lane, false)
                        : races.read(region, address, table.piece_bytes, own + lane, 0);
    }
  }
  if (conflict) suspect(warp, op, SuspicionKind::race_global, 0, matrix.base);
}

void check(Warp& warp, const Op* op, const FragmentTable& table, const Matrix& matrix, bool write) {
  if (matrix.space == Space::shared) {
    const std::uint32_t highest =
        *std::max_element(matrix.starts.begin(), matrix.starts.begin() + table.runs);
    warp.block->shared_top = std::max(warp.block->shared_top, highest + table.run_bytes);
  }
  if (warp.counts != nullptr) [[unlikely]]
    count(warp, op, table, matrix);
  if (write && matrix.space == Space::global && matrix.region->restricted()) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(warp.mask));
    for (unsigned k = 0; k < table.runs; ++k)
      check_trespass(warp, op, *matrix.region, first, matrix.run(k), table.run_bytes);
  }
  if (warp.races == nullptr) return;
  if (matrix.space == Space::shared) {
    return check_shared(warp, op, table, matrix, write);
  }
  check_global(warp, op, table, matrix, write);
}

template <unsigned Bytes>
void gather_pieces(const FragmentTable& table, unsigned reg, const std::byte* dense, std::byte* slot) {
  for (unsigned piece = 0; piece < register_bytes / Bytes; ++piece) {
    const std::uint16_t* offsets = &table.offsets[(reg * table.pieces + piece) * lanes];
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::memcpy(slot + lane * register_bytes + piece * Bytes, dense + offsets[lane], Bytes);
    }
  }
}
template <unsigned Bytes>
void scatter_pieces(const FragmentTable& table, unsigned reg, const std::byte* slot, std::byte* dense) {
  for (unsigned piece = 0; piece < register_bytes / Bytes; ++piece) {
    const std::uint16_t* offsets = &table.offsets[(reg * table.pieces + piece) * lanes];
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::memcpy(dense + offsets[lane], slot + lane * register_bytes + piece * Bytes, Bytes);
    }
  }
}
void gather(const FragmentTable& table, unsigned reg, const std::byte* dense, std::byte* slot) {
  switch (table.piece_bytes) {
    case 4:
      return gather_pieces<4>(table, reg, dense, slot);
    case 2:
      return gather_pieces<2>(table, reg, dense, slot);
    default:
      return gather_pieces<1>(table, reg, dense, slot);
  }
}
void scatter(const FragmentTable& table, unsigned reg, const std::byte* slot, std::byte* dense) {
  switch (table.piece_bytes) {
    case 4:
      return scatter_pieces<4>(table, reg, slot, dense);
    case 2:
      return scatter_pieces<2>(table, reg, slot, dense);
    default:
      return scatter_pieces<1>(table, reg, slot, dense);
  }
}

/// The memory of the matrix as one piece: shadow bytes too.
void copy_in(const FragmentTable& table, const Matrix& matrix, const void* start, std::byte* dense) {
  const std::uintptr_t origin = origin_of(start, matrix.window);
  for (unsigned k = 0; k < table.runs; ++k) {
    std::memcpy(dense + k * table.run_bytes, at<std::byte>(origin, matrix.run(k)), table.run_bytes);
  }
}
void copy_out(const FragmentTable& table, const Matrix& matrix, const std::byte* dense, void* start) {
  const std::uintptr_t origin = origin_of(start, matrix.window);
  for (unsigned k = 0; k < table.runs; ++k) {
    std::memcpy(at<std::byte>(origin, matrix.run(k)), dense + k * table.run_bytes, table.run_bytes);
  }
}
bool all_written(const std::byte* shadow, unsigned bytes) {
  return std::all_of(shadow, shadow + bytes, [](std::byte b) { return b == std::byte{shadow_written}; });
}

void load_poison(Warp& warp, const MatrixStep& step, const FragmentTable& table, const Matrix& matrix) {
  alignas(64) std::byte shadow[max_fragment_bytes];
  const unsigned bytes = table.runs * table.run_bytes;
  bool complete = matrix.window.shadow == nullptr;
  if (!complete) {
    copy_in(table, matrix, matrix.window.shadow, shadow);
    complete = all_written(shadow, bytes);
  }
  for (unsigned k = 0; k < table.registers; ++k) {
    std::uint32_t missing = 0;
    if (!complete) {
      alignas(64) std::uint32_t words[lanes];
      gather(table, k % table.distinct, shadow, reinterpret_cast<std::byte*>(words));
      for (unsigned lane = 0; lane < lanes; ++lane)
        missing |= static_cast<std::uint32_t>(words[lane] != ~0U) << lane;
    }
    set_poison(warp, step.d.poison[k], missing);
  }
}

void store_poison(Warp& warp, const Op* op, const MatrixStep& step, const FragmentTable& table,
                  const Matrix& matrix) {
  alignas(64) std::byte shadow[max_fragment_bytes];
  std::memset(shadow, shadow_written, sizeof shadow);
  for (unsigned k = 0; k < table.distinct; ++k) {
    const std::uint32_t poison = warp.poison[step.a.poison[k]] & warp.mask;
    if (poison == 0) continue;
    if (matrix.space == Space::global) {
      suspect(warp, op, SuspicionKind::uninitialized, static_cast<std::uint32_t>(std::countr_zero(poison)));
      continue;
    }
    alignas(64) std::uint32_t words[lanes];
    for (unsigned lane = 0; lane < lanes; ++lane) words[lane] = (poison >> lane & 1U) != 0 ? 0U : ~0U;
    scatter(table, k, reinterpret_cast<const std::byte*>(words), shadow);
  }
  copy_out(table, matrix, shadow, matrix.window.shadow);
}

}  // namespace

const Op* fragment_load_step(Warp& warp, const Op* op) {
  if (!assemble(warp, op, all_lanes)) return next_fragment(warp);
  const Code& code = *warp.block->code;
  const MatrixStep& step = code.matrix[op->extra];
  const FragmentTable& table = code.fragments[step.table];
  alignas(64) std::byte dense[max_fragment_bytes];
  Matrix matrix;
  const bool good = locate(warp, op, code.program->code[op->instruction], table, false, matrix);
  if (good) {
    check(warp, op, table, matrix, false);
    copy_in(table, matrix, matrix.window.data, dense);
  } else {
    std::memset(dense, 0, sizeof dense);
  }
  for (unsigned k = 0; k < table.registers; ++k) {
    alignas(64) std::byte slot[slot_size];
    gather(table, k % table.distinct, dense, slot);
    blend<4>(warp.registers + step.d.slot[k], slot, warp.mask);
  }
  if (warp.races == nullptr) return op + 1;
  if (good) {
    load_poison(warp, step, table, matrix);
  } else {
    for (unsigned k = 0; k < table.registers; ++k) set_poison(warp, step.d.poison[k], 0);
  }
  return op + 1;
}

const Op* fragment_store_step(Warp& warp, const Op* op) {
  if (!assemble(warp, op, all_lanes)) return next_fragment(warp);
  const Code& code = *warp.block->code;
  const MatrixStep& step = code.matrix[op->extra];
  const FragmentTable& table = code.fragments[step.table];
  Matrix matrix;
  if (!locate(warp, op, code.program->code[op->instruction], table, true, matrix)) return op + 1;
  check(warp, op, table, matrix, true);
  alignas(64) std::byte dense[max_fragment_bytes];
  warp.block->stored |= matrix.space == Space::global;
  for (unsigned k = 0; k < table.distinct; ++k) scatter(table, k, warp.registers + step.a.slot[k], dense);
  copy_out(table, matrix, dense, matrix.window.data);
  if (warp.races != nullptr) store_poison(warp, op, step, table, matrix);
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
