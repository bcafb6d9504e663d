// LaneOrder against happens-before in full: for each lane, how much it knows of what each other lane did.
#include "evaluators/devices/virtual/warp/lane_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace evo::evaluators::virtual_device::warp {
namespace {

constexpr std::uint32_t everybody = 0xffffffff;

struct Everything {
  std::array<std::uint32_t, 32> done{};                   ///< accesses, by lane
  std::array<std::array<std::uint32_t, 32>, 32> known{};  ///< by lane: of each other's

  void meet(std::uint32_t who) {
    std::array<std::uint32_t, 32> joined{};
    for (std::uint32_t l = 0; l < 32; ++l) {
      if ((who >> l & 1U) == 0) continue;
      known[l][l] = done[l];
      for (std::uint32_t o = 0; o < 32; ++o) joined[o] = std::max(joined[o], known[l][o]);
    }
    for (std::uint32_t l = 0; l < 32; ++l) {
      if ((who >> l & 1U) != 0) known[l] = joined;
    }
  }
};

TEST(LaneOrder, KnowsWhatBarriersOfSomeLanesOrder) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    LaneOrder order;
    Everything truth;
    std::uint64_t epoch = 0;
    struct Access {
      std::uint32_t lane, number;
      std::uint64_t epoch;
    };
    std::vector<Access> accesses;
    for (int step = 0; step < 60; ++step) {
      const auto what = random() % 8;
      if (what < 4) {
        const auto lane = static_cast<std::uint32_t>(random() % 32);
        accesses.push_back({lane, truth.done[lane]++, epoch});
      } else if (what == 4 && random() % 3 == 0) {
        truth.meet(everybody);
        order.met(++epoch);
      } else {
        // A few lanes, a run of them, or none: an epoch ends and nobody meets.
        const auto some = static_cast<std::uint32_t>(random() & random());
        const std::uint32_t who = what == 5 ? 0xffU << random() % 24 : what == 6 ? some : 0;
        truth.meet(who);
        order.met(who, epoch++);
      }
      for (const Access& access : accesses) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          const bool known = access.lane == lane || truth.known[lane][access.lane] > access.number;
          // Of the epoch at hand nothing is asked: what one lane does there is in order.
          if (access.epoch == epoch && access.lane == lane) continue;
          ASSERT_EQ(order.ordered(access.epoch, access.lane, epoch, lane), known)
              << "trial " << trial << ", step " << step << ", lane " << access.lane << " before " << lane;
        }
        // Who stands for several lanes is ordered behind what all of them are.
        if (order.ordered(access.epoch, access.lane, epoch, 0xff)) {
          for (std::uint32_t lane = 0; lane < 32; ++lane)
            ASSERT_TRUE(access.lane == lane || truth.known[lane][access.lane] > access.number);
        }
      }
    }
  }
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::warp
