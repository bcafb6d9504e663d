// ldmatrix, stmatrix, wmma.load and wmma.store. The lane that gives a row's address accesses the row; a lane
// accesses those elements of a wmma matrix that are in its registers.
#include <bit>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"
#include "evaluators/devices/virtual/exact/matrix_registers.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

constexpr unsigned row_halves = 8;

/// Where half `half` of lane `lane` stands in an 8 x 8 matrix.
struct HalfPlace {
  unsigned row, column;
};
HalfPlace place_of(unsigned lane, unsigned half, bool transposed) {
  const unsigned along = lane % 4 * 2 + half;
  return transposed ? HalfPlace{along, lane / 4} : HalfPlace{lane / 4, along};
}

}  // namespace

bool Block::locate_row(Thread& thread, const Step& step, AccessKind kind, Place& place) {
  if (!locate(thread, step, kind, place)) return false;
  if (place.space == Space::shared) return true;
  fault(thread, FindingKind::out_of_bounds, kind, place);
  return false;
}

void Block::load_rows(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const MatrixStep& matrix = code_.matrix[step.matrix];
  const MatrixForm& form = step.instruction->matrix;
  std::uint32_t values[32][row_halves] = {};
  std::uint32_t poisons[32][row_halves] = {};
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    const bool follows = begin_load(thread, step);
    if (lane >= 8U * form.count) return;
    Place place;
    if (!locate_row(thread, step, AccessKind::read, place)) return;
    check_races(site(thread), {}, place, AccessKind::read, nullptr);
    if (follows) late_reads_.reads(thread.index, place);
    for (unsigned h = 0; h < row_halves; ++h) {
      values[lane][h] = static_cast<std::uint32_t>(peek(place.data + 2 * h, 2));
      if (peek(place.shadow + 2 * h, 2) != all_ones(2)) poisons[lane][h] = origin_of(thread, step, place, h);
    }
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    for (unsigned k = 0; k < form.count; ++k) {
      std::uint32_t value = 0;
      std::uint32_t poison = 0;
      for (unsigned half = 0; half < 2; ++half) {
        const auto [row, column] = place_of(lane, half, form.transposed);
        value |= values[8 * k + row][column] << (16 * half);
        if (poison == 0) poison = poisons[8 * k + row][column];
      }
      set_register(lane_of(warp, lane), matrix.d[k], value, poison);
    }
  });
}

void Block::store_rows(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const MatrixStep& matrix = code_.matrix[step.matrix];
  const MatrixForm& form = step.instruction->matrix;
  std::uint16_t values[32][row_halves] = {};
  std::uint32_t poisons[32][row_halves] = {};
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    for (unsigned k = 0; k < form.count; ++k) {
      for (unsigned half = 0; half < 2; ++half) {
        const auto [row, column] = place_of(lane, half, form.transposed);
        values[8 * k + row][column] = static_cast<std::uint16_t>(thread.frame[matrix.a[k]] >> (16 * half));
        poisons[8 * k + row][column] = thread.tainted ? thread.poison[matrix.a[k]] : 0;
      }
    }
  });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    if (lane >= 8U * form.count) return;
    Thread& thread = lane_of(warp, lane);
    Place place;
    if (!locate_row(thread, step, AccessKind::write, place)) return;
    check_races(site(thread), order_of(step, place), place, AccessKind::write,
                reinterpret_cast<const std::uint8_t*>(values[lane]));
    for (unsigned h = 0; h < row_halves; ++h) put(thread, step, place, h, values[lane][h], poisons[lane][h]);
  });
}

/// Address and stride (in bytes) of a wmma matrix, which all lanes have to agree on. False: misaligned
/// (told).
bool Block::fragment_address(std::uint32_t warp, std::uint32_t lanes, const Step& step, AccessKind kind,
                             std::uint64_t& base, std::uint64_t& stride) {
  const semantics::FragmentTable& table = code_.matrix[step.matrix].table;
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const Thread& first = lane_of(warp, leader);
  const auto stride_of = [&](const Thread& thread) -> std::uint64_t {
    return step.src_count > 0 ? source(thread, step, 0) & 0xffffffffU : table.run_elements;
  };
  base = address_of(first, step);
  stride = stride_of(first) * table.element_bytes;
  bool told = false;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const Thread& thread = lane_of(warp, lane);
    if (step.src_count > 0 && thread.tainted && thread.poison[step.src[0]] != 0) {
      report_uninitialized(thread, thread.poison[step.src[0]], "forms an address");
    }
    if (told || (address_of(thread, step) == base && stride_of(thread) * table.element_bytes == stride))
      return;
    told = true;
    report_mask(
        thread,
        fmt::format("Matrix access with different addresses: at {} {} gives another address or stride than "
                    "lane {} of its warp; all lanes have to give the same",
                    line_text(*code_.program, thread.pc), place_text(launch_, site(thread)), leader),
        &first);
  });
  for (unsigned run = 0; run < table.runs; ++run) {
    const std::uint64_t address = base + run * stride;
    const unsigned alignment = run == 0 ? table.base_alignment : table.run_alignment;
    if (address % alignment == 0) continue;
    const Space space =
        step.instruction->space == Space::generic ? space_of(address) : step.instruction->space;
    Finding finding;
    finding.kind = FindingKind::misaligned;
    finding.here = site(first);
    finding.access = kind;
    finding.space = space;
    finding.address = step.instruction->space == Space::generic ? from_generic(space, address) : address;
    finding.width = alignment;
    log_.add(finding);
    limit_after_fault();
    return false;
  }
  return true;
}

Target Block::piece_at(std::uint64_t address, const Thread& thread, const Step& step) const {
  return {address, step.instruction->space, step.base, step.width, step.width, 2 * thread.pc};
}

void Block::load_fragment(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const MatrixStep& matrix = code_.matrix[step.matrix];
  const semantics::FragmentTable& table = matrix.table;
  std::uint64_t base = 0;
  std::uint64_t stride = 0;
  const bool aligned = fragment_address(warp, lanes, step, AccessKind::read, base, stride);
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    const bool follows = begin_load(thread, step);
    std::uint32_t values[semantics::max_fragment] = {};
    std::uint32_t poisons[semantics::max_fragment] = {};
    for (unsigned k = 0; aligned && k < table.distinct; ++k) {
      for (unsigned piece = 0; piece < table.pieces; ++piece) {
        const unsigned offset = table.offsets[(k * table.pieces + piece) * 32 + lane];
        const std::uint64_t address = base + offset / table.run_bytes * stride + offset % table.run_bytes;
        Place place;
        if (!resolve(thread, piece_at(address, thread, step), AccessKind::read, place)) continue;
        if (place.space == Space::shared || place.space == Space::global) {
          check_races(site(thread), {}, place, AccessKind::read, nullptr);
          if (follows && place.space == Space::shared) late_reads_.reads(thread.index, place);
        }
        values[k] |= static_cast<std::uint32_t>(peek(place.data, step.element)) << (8 * step.element * piece);
        if (place.shadow != nullptr && peek(place.shadow, step.element) != all_ones(step.element)) {
          poisons[k] = origin_of(thread, step, place, 0);
        }
      }
    }
    for (unsigned k = 0; k < table.registers; ++k) {
      set_register(thread, matrix.d[k], values[k % table.distinct], poisons[k % table.distinct]);
    }
  });
}

void Block::store_fragment(std::uint32_t warp, std::uint32_t lanes, const Step& step) {
  const MatrixStep& matrix = code_.matrix[step.matrix];
  const semantics::FragmentTable& table = matrix.table;
  std::uint64_t base = 0;
  std::uint64_t stride = 0;
  if (!fragment_address(warp, lanes, step, AccessKind::write, base, stride)) return;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    Thread& thread = lane_of(warp, lane);
    for (unsigned k = 0; k < table.distinct; ++k) {
      const auto value = static_cast<std::uint32_t>(thread.frame[matrix.a[k]]);
      const std::uint32_t poison = thread.tainted ? thread.poison[matrix.a[k]] : 0;
      for (unsigned piece = 0; piece < table.pieces; ++piece) {
        const unsigned offset = table.offsets[(k * table.pieces + piece) * 32 + lane];
        const std::uint64_t address = base + offset / table.run_bytes * stride + offset % table.run_bytes;
        Place place;
        if (!resolve(thread, piece_at(address, thread, step), AccessKind::write, place)) continue;
        const Word element = value >> (8 * step.element * piece) & all_ones(step.element);
        alignas(8) std::uint8_t bytes[8];
        poke(bytes, step.element, element);
        if (place.space != Space::local)
          check_races(site(thread), order_of(step, place), place, AccessKind::write, bytes);
        put(thread, step, place, 0, element, poison);
      }
    }
  });
}

}  // namespace evo::evaluators::virtual_device::exact
