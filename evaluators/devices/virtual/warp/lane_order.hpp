// What barriers of some lanes of a warp order: a vector clock for each lane, made only where there are such.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace evo::evaluators::virtual_device::warp {

/// Of one warp. An epoch ends at each barrier of its lanes, of all or of some.
class LaneOrder {
 public:
  /// All lanes met: what they did before `epoch` comes before what they do now.
  void met(std::uint64_t epoch) { whole_ = now_ = epoch; }
  /// These lanes met at the end of `epoch`; none: only the epoch ends.
  void met(std::uint32_t who, std::uint64_t epoch) {
    if (whole_ == now_) known_.assign(lane_count, Row{});
    now_ = epoch + 1;
    Row joined{};
    for (std::uint32_t left = who; left != 0; left &= left - 1) {
      const Row& row = known_[static_cast<std::size_t>(std::countr_zero(left))];
      for (std::size_t other = 0; other < lane_count; ++other)
        joined[other] = std::max(joined[other], row[other]);
    }
    for (std::uint32_t left = who; left != 0; left &= left - 1)
      joined[static_cast<std::size_t>(std::countr_zero(left))] = now_;
    for (std::uint32_t left = who; left != 0; left &= left - 1)
      known_[static_cast<std::size_t>(std::countr_zero(left))] = joined;
  }

  /// Does what `lane` did in `epoch` come before what `own_lane` does in `own_epoch`, which is now? Lanes
  /// from 32 on stand for several.
  [[nodiscard]] bool ordered(std::uint64_t epoch, std::uint64_t lane, std::uint64_t own_epoch,
                             std::uint64_t own_lane) const {
    if (whole_ == now_) return epoch < own_epoch;
    if (epoch < whole_) return true;
    if (lane >= lane_count || own_lane >= lane_count) return false;
    return lane == own_lane || epoch < known_[own_lane][lane];
  }

 private:
  static constexpr std::size_t lane_count = 32;
  /// By other lane: what it did in epochs below this is known.
  using Row = std::array<std::uint64_t, lane_count>;

  std::uint64_t whole_ = 0;  ///< epoch that began when all lanes last met
  std::uint64_t now_ = 0;    ///< the epoch at hand; `whole_` where no lanes have met since
  std::vector<Row> known_;   ///< by lane; counts where `now_` is not `whole_`
};

}  // namespace evo::evaluators::virtual_device::warp
