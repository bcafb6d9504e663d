// Rows of a matrix that a warp reads or writes together (wmma): the coarse level sees rows, the precise one
// the lanes, each with the elements that are in its registers. So a tile that is loaded, added to and stored
// again is no race, as each element stays with its lane.
#include "evaluators/devices/virtual/warp/shared_races.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

/// A row stands for a lane.
constexpr std::uint32_t first_lanes(unsigned count) {
  return count >= lanes ? all_lanes : (std::uint32_t{1} << count) - 1;
}

}  // namespace

bool SharedRaces::read_rows(Warp& warp, const Op* op, const std::uint32_t* starts, unsigned rows,
                            unsigned width) {
  if (!in_flight_.empty()) static_cast<void>(overlaps_copy(warp, op, starts, first_lanes(rows), width));
  bool by_lane = level_ == RaceFilter::precise;
  for (unsigned row = 0; level_ == RaceFilter::coarse && row < rows; ++row) {
    const std::uint32_t end = starts[row] + width;
    coarse_read(warp, op, starts[row], end);
    by_lane = by_lane || is_hot(starts[row], end);
  }
  return by_lane;
}

bool SharedRaces::write_rows(Warp& warp, const Op* op, const std::uint32_t* starts, unsigned rows,
                             unsigned width) {
  if (!in_flight_.empty()) static_cast<void>(overlaps_copy(warp, op, starts, first_lanes(rows), width));
  bool by_lane = level_ == RaceFilter::precise;
  for (unsigned row = 0; level_ == RaceFilter::coarse && row < rows; ++row) {
    const std::uint32_t end = starts[row] + width;
    coarse_write(warp, op, starts, std::uint32_t{1} << row, width, starts[row], end);
    by_lane = by_lane || is_hot(starts[row], end);
  }
  return by_lane;
}

void SharedRaces::read_piece(Warp& warp, const Op* op, const std::uint32_t* addresses, unsigned width) {
  precise_read(warp, op, addresses, warp.mask, width, 0, 0);
}

void SharedRaces::write_piece(Warp& warp, const Op* op, const std::uint32_t* addresses, unsigned width) {
  precise_write(warp, op, addresses, warp.mask, width, false, 0);
}

}  // namespace evo::evaluators::virtual_device::warp
