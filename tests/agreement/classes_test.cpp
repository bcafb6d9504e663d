#include "bench/agreement/classes.hpp"

#include <gtest/gtest.h>

namespace evo::bench {
namespace {

model::Evidence finding(const std::string& kind, const std::string& message = {}) {
  return {kind, message, "k.cu", 1, {}};
}

TEST(Classes, CausesComeBeforeWhatTheyCause) {
  EXPECT_EQ(leading(classes_of({finding("race_shared"), finding("misaligned")})), "bounds");
  EXPECT_EQ(leading(classes_of({finding("race_shared"), finding("barrier_divergence")})), "barrier");
  EXPECT_EQ(leading(classes_of({finding("async_not_waited")})), "race");
  EXPECT_EQ(leading({}), "clean");
}

TEST(Classes, ABlindSpotCoversAllThatWasFoundOrNothing) {
  const model::Evidence shared = finding("uninitialized", "4 bytes of shared memory that nothing wrote");
  EXPECT_NE(blind_spot({shared}), "");
  EXPECT_NE(blind_spot({shared, finding("race_global")}), "");
  EXPECT_EQ(blind_spot({shared, finding("race_shared")}), "");
  EXPECT_EQ(blind_spot({finding("uninitialized", "4 bytes of global memory that nothing wrote")}), "");
}

}  // namespace
}  // namespace evo::bench
