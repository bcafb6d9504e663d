// Rows of a matrix that a warp reads or writes together (wmma). PTX does not say which lane accesses what, so
// that nothing the warp did since its last warp barrier comes before it: not even what the same lane did.
#include "evaluators/devices/virtual/warp/shared_races.hpp"
#include "evaluators/devices/virtual/warp/shared_races_key.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

/// A row stands for a lane.
constexpr std::uint32_t first_lanes(unsigned count) {
  return count >= lanes ? all_lanes : (std::uint32_t{1} << count) - 1;
}

}  // namespace

void SharedRaces::read_rows(Warp& warp, const Op* op, const std::uint32_t* starts, unsigned rows,
                            unsigned width) {
  if (!in_flight_.empty()) static_cast<void>(overlaps_copy(warp, op, starts, first_lanes(rows), width));
  for (unsigned row = 0; row < rows; ++row) {
    const std::uint32_t end = starts[row] + width;
    if (level_ == RaceFilter::coarse) {
      coarse_read(warp, op, starts[row], end);
      if (!is_hot(starts[row], end)) continue;
    }
    const std::uint64_t base = key(warp);
    const std::uint64_t old = block_epoch_ << block_at;
    const std::uint64_t everyone = old | many_warps << warp_at | many_lanes;
    for (std::uint32_t granule = starts[row] >> granule_shift_; granule <= (end - 1) >> granule_shift_;
         ++granule) {
      Cell& cell = cells_[granule];
      if (cell.writer >= old && !ordered(cell.writer, base | no_lane)) {
        suspect(warp, op, SuspicionKind::race_shared, 0, starts[row]);
      }
      if (cell.reader == everyone) continue;
      const bool alone = cell.reader < old || cell.reader >> warp_at == base >> warp_at;
      cell.reader = alone ? base | many_lanes : everyone;
    }
  }
}

void SharedRaces::write_rows(Warp& warp, const Op* op, const std::uint32_t* starts, unsigned rows,
                             unsigned width) {
  if (!in_flight_.empty()) static_cast<void>(overlaps_copy(warp, op, starts, first_lanes(rows), width));
  for (unsigned row = 0; row < rows; ++row) {
    const std::uint32_t end = starts[row] + width;
    if (level_ == RaceFilter::coarse) {
      coarse_write(warp, op, starts, std::uint32_t{1} << row, width, starts[row], end);
      if (!is_hot(starts[row], end)) continue;
    }
    const std::uint64_t base = key(warp);
    for (std::uint32_t granule = starts[row] >> granule_shift_; granule <= (end - 1) >> granule_shift_;
         ++granule) {
      Cell& cell = cells_[granule];
      if (!ordered(cell.reader, base | no_lane) || !ordered(cell.writer, base | no_lane)) {
        suspect(warp, op, SuspicionKind::race_shared, 0, starts[row]);
      }
      cell.writer = base | collective_lane;
    }
  }
}

}  // namespace evo::evaluators::virtual_device::warp
