#include "model/random.hpp"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace evo::model {
namespace {

TEST(RandomStream, DependsOnEveryPartOfItsKey) {
  const StreamKey base{1, 2, 3, "mutate"};
  std::set<std::uint64_t> firsts;
  for (const StreamKey& key :
       {base, StreamKey{2, 2, 3, "mutate"}, StreamKey{1, 3, 3, "mutate"}, StreamKey{1, 2, 4, "mutate"},
        StreamKey{1, 2, 3, "select"}, StreamKey{1, 3, 2, "mutate"}}) {
    firsts.insert(RandomStream(key).next_u64());
  }
  EXPECT_EQ(firsts.size(), 6U);
  EXPECT_EQ(RandomStream(base).next_u64(), RandomStream(base).next_u64());
}

TEST(RandomStream, KnownFirstDraws) {
  // Fixed by the recorded lineages: a change here changes every seed's run.
  RandomStream stream({42, 0, 0, "golden"});
  const std::vector<std::uint32_t> first{stream.next_u32(), stream.next_u32(), stream.next_u32()};
  RandomStream again({42, 0, 0, "golden"});
  EXPECT_EQ(first[0], again.next_u32());
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[1], first[2]);
}

RC_GTEST_PROP(RandomStreamProperty, SkippingIsDrawing, (std::uint64_t seed)) {
  const auto drawn = *rc::gen::inRange(0, 9);
  const auto skipped = *rc::gen::inRange(0, 40);
  RandomStream one({seed, 0, 0, "skip"}), other({seed, 0, 0, "skip"});
  for (int i = 0; i < drawn + skipped; ++i) static_cast<void>(one.next_u32());
  for (int i = 0; i < drawn; ++i) static_cast<void>(other.next_u32());
  other.skip(static_cast<std::uint64_t>(skipped));
  for (int i = 0; i < 5; ++i) RC_ASSERT(one.next_u32() == other.next_u32());
}

TEST(RandomStream, ANormalTakesItsWords) {
  RandomStream one({3, 0, 0, "normal"}), other({3, 0, 0, "normal"});
  for (int i = 0; i < 1000; ++i) static_cast<void>(one.normal());
  other.skip(1000 * RandomStream::words_of_normal);
  EXPECT_EQ(one.normal(), other.normal());
}

RC_GTEST_PROP(RandomStreamProperty, BelowStaysBelow, (std::uint64_t seed, std::uint64_t bound)) {
  RC_PRE(bound > 0);
  RandomStream stream({seed, 0, 0, "below"});
  for (int i = 0; i < 20; ++i) RC_ASSERT(stream.below(bound) < bound);
}

TEST(RandomStream, UniformAndNormalHaveTheirMoments) {
  RandomStream stream({7, 0, 0, "moments"});
  double sum = 0, normal_sum = 0, normal_square = 0;
  constexpr int count = 200000;
  for (int i = 0; i < count; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    const double n = stream.normal();
    normal_sum += n;
    normal_square += n * n;
  }
  // Five standard errors.
  EXPECT_NEAR(sum / count, 0.5, 5 * 0.2887 / std::sqrt(count));
  EXPECT_NEAR(normal_sum / count, 0.0, 5 / std::sqrt(count));
  EXPECT_NEAR(normal_square / count, 1.0, 5 * std::sqrt(2.0 / count));
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream stream({9, 1, 1, "dice"});
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) ++counts[stream.below(6)];
  double chi_square = 0;
  for (const int c : counts) chi_square += (c - 10000.0) * (c - 10000.0) / 10000.0;
  EXPECT_LT(chi_square, 25.7);  // 5 degrees of freedom, p = 1e-4
}

}  // namespace
}  // namespace evo::model
