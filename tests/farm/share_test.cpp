// How many jobs a run may have in the queue, who is next, and how many were done of late.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "farm/rate.hpp"
#include "farm/share.hpp"
#include "farm/ticket_lock.hpp"
#include "tests/farm/memory_queue.hpp"

namespace evo::test {
namespace {

TEST(FairShare, IsTwiceWhatTheRunsWorkersDoAtATime) {
  EXPECT_EQ(farm::fair_share({{{"virtual", 4}}, 0}, "virtual"), 8u);
  EXPECT_EQ(farm::fair_share({{{"virtual", 4}}, 1}, "virtual"), 4u);
  EXPECT_EQ(farm::fair_share({{{"virtual", 3}}, 3}, "virtual"), 2u);
  EXPECT_EQ(farm::fair_share({{{"virtual", 1}}, 9}, "virtual"), 1u);
  EXPECT_EQ(farm::fair_share({{{"other", 4}}, 0}, "virtual"), 0u);
  EXPECT_EQ(farm::fair_share({{{"virtual", 0}}, 0}, "virtual"), 0u);
  EXPECT_EQ(farm::fair_share({{{"virtual", -5}}, -7}, "virtual"), 0u);
}

TEST(FairShare, OfComparisonsIsAsManyAsTheRunsGpus) {
  EXPECT_EQ(farm::fair_share({{{"gpu", 4}}, 0}, "gpu", 1), 4u);
  EXPECT_EQ(farm::fair_share({{{"gpu", 4}}, 1}, "gpu", 1), 2u);
  EXPECT_EQ(farm::fair_share({{{"gpu", 1}}, 9}, "gpu", 1), 1u);
  EXPECT_EQ(farm::fair_share({{{"gpu", 0}}, 0}, "gpu", 1), 0u);
}

TEST(TicketLock, WhoComesFirstIsNextWhoeverAskedBefore) {
  farm::TicketLock turn(1);
  std::mutex mutex;
  std::string order;
  turn.lock();
  std::vector<std::jthread> threads;
  const auto ask = [&](char name, bool first) {
    threads.emplace_back([&, name, first] {
      turn.lock(first);
      {
        const std::scoped_lock lock(mutex);
        order += name;
      }
      turn.unlock();
    });
    std::this_thread::sleep_for(50ms);
  };
  ask('a', false);
  ask('b', false);
  ask('C', true);
  ask('D', true);
  EXPECT_TRUE(turn.taken_within(0ms));
  turn.unlock();
  threads.clear();
  EXPECT_EQ(order, "CDab");
  EXPECT_FALSE(turn.in_use());
  EXPECT_FALSE(turn.taken_within(0ms));
}

TEST(Rate, IsOfTheLastMinute) {
  farm::Rate rate;
  const auto start = farm::Rate::Clock::now();
  EXPECT_EQ(rate.note(0, start), 0);
  EXPECT_EQ(rate.note(5, start + 30s), 10);
  EXPECT_EQ(rate.note(5, start + 60s), 5);
  for (int s = 63; s <= 300; s += 3) static_cast<void>(rate.note(5, start + std::chrono::seconds(s)));
  EXPECT_EQ(rate.note(5, start + 303s), 0);
  EXPECT_EQ(rate.note(0, start + 306s), 0) << "it began anew";
}

TEST(TicketLock, HasAsManyPlacesAsItWasGiven) {
  farm::TicketLock turn(2);
  turn.lock();
  turn.lock(true);
  std::atomic<bool> in{false};
  std::jthread third([&] {
    turn.lock();
    in = true;
    turn.unlock();
  });
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(in);
  turn.unlock();
  third.join();
  EXPECT_TRUE(in);
  turn.unlock();
  EXPECT_FALSE(turn.in_use());
}

}  // namespace
}  // namespace evo::test
