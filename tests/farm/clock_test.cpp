// Whether a worker's clocks keep time, with clocks that run as they are told.
#include <gtest/gtest.h>

#include "farm/clock.hpp"

namespace evo::test {
namespace {

/// A worker whose steady clock runs at `rate` and whose wall clock is set `ahead`; its questions and answers
/// travel for `there` and `back` seconds.
struct Fake {
  double rate = 1, ahead = 0, there = 0.001, back = 0.001, now = 1000;
  farm::ClockWatch watch{};

  [[nodiscard]] farm::Clocks own() const { return {now + ahead, 77 + now * rate}; }
  farm::ClockWatch::Finding ask(const std::string& run = "r") {
    farm::ClockExchange exchange;
    exchange.whose = run;
    exchange.asked = own();
    now += there;
    exchange.theirs = {now, now - 500};
    now += back;
    exchange.answered = own();
    return watch.note(exchange);
  }
  /// Is it refused within ten looks, five seconds apart?
  bool refused() {
    for (int looks = 0; looks < 10; ++looks) {
      if (!ask().refused.empty()) return true;
      now += 5;
    }
    return false;
  }
};

TEST(FarmClock, TwoHeartbeatsFitIntoALease) {
  const farm::ClockBounds bounds;
  // At the slowest clock that may be, heartbeats come three real seconds apart, in leases of six.
  EXPECT_DOUBLE_EQ(2 * bounds.heartbeat.count() / bounds.slowest(), bounds.lease.count());
  EXPECT_DOUBLE_EQ(bounds.fastest() * bounds.slowest(), 1);
}

TEST(FarmClock, WhatRunsTooSlowOrTooFastIsRefused) {
  for (const double rate : {0.0, 0.1, 0.5, 0.6, 1.6, 2.0, 50.0})
    EXPECT_TRUE(Fake{.rate = rate}.refused()) << rate;
}

TEST(FarmClock, WhatKeepsTimeIsNot) {
  for (const double rate : {0.7, 0.9999, 1.0, 1.0001, 1.4})
    EXPECT_FALSE(Fake{.rate = rate}.refused()) << rate;
  // Nor is it a clock's fault that messages take their time, one way more than the other.
  EXPECT_FALSE((Fake{.there = 3}.refused()));
  EXPECT_FALSE((Fake{.back = 9}.refused()));
  Fake uneven;
  for (int looks = 0; looks < 20; ++looks) {
    uneven.there = looks % 2 == 0 ? 30 : 0.001;
    uneven.back = looks % 3 == 0 ? 20 : 0.001;
    EXPECT_TRUE(uneven.ask().refused.empty()) << looks;
    uneven.now += 5;
  }
}

TEST(FarmClock, AMachineThatStoodStillIsNot) {
  Fake fake;
  const auto stand_still = [&](double seconds) {
    const double before = fake.own().steady;
    fake.now += seconds;
    fake.rate = (before - 77) / fake.now;  // its clock is where it was
    EXPECT_TRUE(fake.ask().refused.empty());
  };
  EXPECT_TRUE(fake.ask().refused.empty());
  stand_still(600);
  // From there on it runs as before.
  const double lost = fake.now - fake.own().steady + 77;
  for (int looks = 0; looks < 5; ++looks) {
    fake.now += 5;
    fake.rate = (fake.now - lost) / fake.now;
    EXPECT_TRUE(fake.ask().refused.empty()) << looks;
  }
}

TEST(FarmClock, WhatItIsSetToIsSaidOnceAndNotRefused) {
  for (const double ahead : {3600.0, -3600.0, 7.0, -7.0}) {
    Fake fake{.ahead = ahead};
    EXPECT_FALSE(fake.ask().warning.empty()) << ahead;
    EXPECT_NEAR(fake.watch.ahead(), ahead, 0.01);
    EXPECT_TRUE(fake.ask().warning.empty()) << "once";
    EXPECT_FALSE(fake.refused()) << ahead;
  }
  EXPECT_TRUE((Fake{.ahead = 5}.ask().warning.empty()));
  EXPECT_TRUE((Fake{.ahead = 8, .there = 9}.ask().warning.empty())) << "the question may have taken so long";
  EXPECT_TRUE((Fake{.ahead = -8, .back = 9}.ask().warning.empty())) << "the answer may have taken so long";
}

TEST(FarmClock, ClocksOfTwoRunsAreNotComparedWithEachOther) {
  Fake fake;
  for (int looks = 0; looks < 10; ++looks) {
    farm::ClockExchange exchange;
    exchange.whose = looks % 2 == 0 ? "young" : "old";
    exchange.asked = exchange.answered = fake.own();
    exchange.theirs = {fake.now, fake.now + (looks % 2 == 0 ? 0 : 1e6)};
    EXPECT_TRUE(fake.watch.note(exchange).refused.empty()) << looks;
    fake.now += 5;
  }
}

}  // namespace
}  // namespace evo::test
