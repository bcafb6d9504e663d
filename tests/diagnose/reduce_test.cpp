#include "diagnose/reduce.hpp"

#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace evo::diagnose {
namespace {

using Items = std::vector<int>;

Items numbers(int count) {
  Items items(static_cast<std::size_t>(count));
  std::iota(items.begin(), items.end(), 0);
  return items;
}

RC_GTEST_PROP(Ddmin, FindsExactlyWhatIsNeeded, ()) {
  const int count = *rc::gen::inRange(1, 60);
  const auto needed = *rc::gen::nonEmpty(rc::gen::container<std::set<int>>(rc::gen::inRange(0, count)));
  const std::function<bool(const Items&)> fails = [&](const Items& items) {
    const std::set<int> kept(items.begin(), items.end());
    return std::includes(kept.begin(), kept.end(), needed.begin(), needed.end());
  };
  RC_ASSERT(ddmin(numbers(count), fails, 100000) == Items(needed.begin(), needed.end()));
}

RC_GTEST_PROP(Ddmin, StaysWithinItsBudgetAndKeepsFailing, ()) {
  const int budget = *rc::gen::inRange(0, 20);
  int asked = 0;
  const std::function<bool(const Items&)> fails = [&](const Items& items) {
    ++asked;
    return std::count(items.begin(), items.end(), 17) + std::count(items.begin(), items.end(), 3) == 2;
  };
  const Items kept = ddmin(numbers(40), fails, budget);
  RC_ASSERT(asked <= budget);
  RC_ASSERT(fails(kept));
}

RC_GTEST_PROP(Shrink, FindsTheBorder, ()) {
  const auto low = *rc::gen::inRange<std::int64_t>(0, 5);
  const auto step = *rc::gen::inRange<std::int64_t>(1, 9);
  const auto border = *rc::gen::inRange<std::int64_t>(0, 400);
  const auto above = *rc::gen::inRange<std::int64_t>(0, 400);
  const std::int64_t least = low + border * step, failing = least + above * step;
  Range range;
  range.low = low;
  range.step = step;
  RC_ASSERT(shrink(range, failing, [&](std::int64_t value) { return value >= least; }) == least);
}

TEST(Shrink, TakesTheFirstListedValueThatFails) {
  Range range;
  range.listed = {0, 2, 1};
  EXPECT_EQ(shrink(range, 1, [](std::int64_t value) { return value == 2; }), 2);
  EXPECT_EQ(shrink(range, 1, [](std::int64_t) { return false; }), 1);
}

TEST(Shrink, NeverGivesAValueThatPassed) {
  // Multiples of 16 pass: the border is not one border.
  Range range;
  const auto fails = [](std::int64_t value) { return value > 20 && value % 16 != 0; };
  EXPECT_TRUE(fails(shrink(range, 133, fails)));
}

}  // namespace
}  // namespace evo::diagnose
