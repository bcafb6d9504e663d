// Does a block stand where it stood?
#include "evaluators/devices/virtual/warp/standstill.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "tests/warp/harness.hpp"

namespace evo::tests::warp {
namespace {

/// A block whose only warp stands where it stood.
struct Standing {
  Standing() {
    launch.memory = &memory;
    launch.program = &program;
    code.program = &program;
    block.launch = &launch;
    block.code = &code;
    block.warps.resize(1);
    block.warps[0].entries = &entries;
  }
  [[nodiscard]] bool repeats() {
    const vd::warp::BlockState* const alone[] = {&block};
    return standstill.repeats(alone);
  }
  vd::GlobalMap memory;
  vd::Program program;
  vd::warp::Code code;
  vd::Launch launch;
  std::uint64_t entries = 0;
  vd::warp::BlockState block;
  vd::warp::Standstill standstill{false};
};

TEST(Standstill, IsWhereNothingIsOtherwise) {
  Standing still;
  EXPECT_FALSE(still.repeats()) << "there was no moment before";
  bool again = false;
  for (int i = 0; i < 4 && !again; ++i) again = still.repeats();
  EXPECT_TRUE(again);
}

// Whose turn is the next hangs on them.
TEST(Standstill, IsNoneWhereOthersHaveTheNextTurn) {
  for (std::uint32_t vd::warp::Warp::*number :
       {&vd::warp::Warp::in_vain, &vd::warp::Warp::burst, &vd::warp::Warp::picks}) {
    Standing still;
    for (int i = 0; i < 20; ++i) {
      ++(still.block.warps[0].*number);
      EXPECT_FALSE(still.repeats());
    }
  }
}

}  // namespace
}  // namespace evo::tests::warp
