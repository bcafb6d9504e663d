// A launch that ends with its first fault.
#include <gtest/gtest.h>

#include <map>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

TEST(StopAtFault, ALaunchEndsWithItsFirstFault) {
  std::map<bool, int> told;
  for (const bool stop : {false, true}) {
    Rig rig("faults.ptx", "off_by_one");
    rig.options.checks = CheckLevel::none;
    rig.options.stop_at_fault = stop;
    const auto outcome =
        rig.launch({{100, 1, 1}, {64, 1, 1}, 0}, {pointer(rig.buffer("in", std::vector<float>(100, 1))),
                                                  pointer(rig.empty<float>("out", 100)), scalar(100000)});
    ASSERT_FALSE(outcome) << stop;
    EXPECT_EQ(outcome.error().reason, "out_of_bounds");
    told[stop] = std::stoi(detail(outcome.error().evidence.front(), "count"));
  }
  EXPECT_GE(told[false], 6400 - 100);
  EXPECT_GE(told[true], 1);
  EXPECT_LE(told[true], 64) << "no more than the block that began";
}

}  // namespace
}  // namespace evo::tests
