// What wgmma reads of shared memory, from its issue until its group was waited for.
//
// A multiplication is the whole warpgroup's, and so is its end: who comes after a wait of any of the four
// warps comes after all of its reads. Groups end in order, so that of each granule the last reader is enough.
#include <algorithm>
#include <cstring>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"
#include "evaluators/devices/virtual/semantics/shared_matrix.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Reads pieces of the matrix that descriptor `operand` (of src) names. `thread` reads for its warp.
void Block::gather(Thread& thread, const Step& step, unsigned operand, unsigned first_piece, unsigned pieces,
                   MatrixTiles& tiles) {
  const WarpgroupForm& form = step.instruction->warpgroup;
  const semantics::SharedMatrix matrix = semantics::shared_matrix(
      source(thread, step, operand), operand == 0 ? form.a_transposed : form.b_transposed);
  Warpgroup& group = warpgroups_[thread.warp() / warps_of_group];
  const auto number = static_cast<std::uint32_t>(group.issued.size());
  Order order;
  order.of_wgmma = true;
  for (unsigned k = 0; k < pieces; ++k) {
    const Target target{matrix.address_of(first_piece + k),
                        Space::shared,
                        step.src[operand],
                        semantics::piece_bytes,
                        semantics::piece_bytes,
                        2 * thread.pc + operand};
    alignas(semantics::piece_bytes) std::byte piece[semantics::piece_bytes] = {};
    Place place;
    if (resolve(thread, target, AccessKind::read, place)) {
      check_races(site(thread), order, place, AccessKind::read, nullptr);
      const std::uint64_t last = (place.address + place.width - 1) / code_.shared_granule;
      for (std::uint64_t g = place.address / code_.shared_granule; g <= last; ++g) group.readers[g] = number;
      std::memcpy(piece, place.data, sizeof piece);
      for (unsigned half = 0; half < semantics::piece_bytes; half += 8) {
        if (peek(place.shadow + half, 8) == all_ones(8)) continue;
        for (unsigned byte = half; byte < half + 8; ++byte) {
          if (place.shadow[byte] == shadow_written) continue;
          const unsigned row =
              semantics::first_row_of(k, matrix.transposed) + (matrix.transposed ? byte / 2 : 0);
          if (tiles.poison[row] == 0) tiles.poison[row] = origin_of(thread, step, place, 0);
          tiles.poisoned = true;
        }
      }
    }
    semantics::place_piece(piece, k, matrix.transposed, tiles.bytes);
  }
}

/// Does the thread come after the end of the multiplication?
bool Block::knows_end(std::uint32_t thread, std::uint32_t group, std::uint32_t number) const {
  const std::uint32_t first = group * warps_of_group;
  for (std::uint32_t w = first; w < std::min(first + warps_of_group, warps_); ++w) {
    const std::vector<GroupWait>& waits = warps_of_groups_[w].waits;
    const auto wait = std::ranges::lower_bound(waits, number, {}, &GroupWait::until);
    if (wait == waits.end()) continue;
    if (wait->epoch != clocks_.epoch()) return true;
    for (std::uint32_t lane = 0; lane < 32 && w * 32 + lane < thread_count_; ++lane) {
      if (wait->clocks[lane] != 0 && clocks_.knows(thread, w * 32 + lane, wait->clocks[lane])) return true;
    }
  }
  return false;
}

/// A write to what a multiplication under way still reads.
void Block::check_matrix_reads(const Site& here, const Place& place, AccessKind kind) {
  const std::uint64_t last = (place.address + place.width - 1) / code_.shared_granule;
  for (std::uint32_t g = 0; g < warpgroups_.size(); ++g) {
    const Warpgroup& group = warpgroups_[g];
    if (group.issued.empty()) continue;
    std::uint32_t number = 0;
    for (std::uint64_t at = place.address / code_.shared_granule; at <= last; ++at)
      number = std::max(number, group.readers[at]);
    if (number == 0 || knows_end(here.thread, g, number)) continue;
    // To a thread of the group it is its own that it has not waited for.
    const bool own = here.thread / (32 * warps_of_group) == g;
    const Site reader{index_, own ? here.thread : g * 32 * warps_of_group,
                      group.issued[number - 1].instruction};
    return report_race(own ? FindingKind::async_not_waited : FindingKind::race_shared, here, reader,
                       AccessKind::read, kind, place);
  }
}

}  // namespace evo::evaluators::virtual_device::exact
