// The one sentence.
#include "evaluators/profile/limit.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::profile {
namespace {

using model::CounterBasis;

model::KernelCounters kernel_with(std::map<std::string, double, std::less<>> values) {
  return {"w0", "add", std::move(values), {}, {}};
}

TEST(Limit, ABusyUnitIsTheLimit) {
  const auto kernel = kernel_with({{"dram_percent", 87}, {"l2_percent", 41}, {"stall_long_scoreboard", 40}});
  const Limit limit = limit_of(kernel, CounterBasis::measured);
  EXPECT_EQ(limit.by, "dram_percent");
  EXPECT_NE(limit.sentence.find("87 %"), std::string::npos) << limit.sentence;
  EXPECT_NE(limit.sentence.find("41 %"), std::string::npos) << limit.sentence;
}

TEST(Limit, WhereNoUnitIsBusyItIsTheLongestWait) {
  const auto kernel = kernel_with({{"dram_percent", busy_percent - 1},
                                   {"stall_barrier", 2},
                                   {"stall_long_scoreboard", 9.5},
                                   {"stall_not_selected", 90},
                                   {"occupancy_percent", 12},
                                   {"registers", 142}});
  const Limit limit = limit_of(kernel, CounterBasis::measured);
  EXPECT_EQ(limit.by, "waits");
  EXPECT_NE(limit.sentence.find("long_scoreboard, 9.5"), std::string::npos) << limit.sentence;
  EXPECT_NE(limit.sentence.find("142 registers"), std::string::npos) << limit.sentence;
}

TEST(Limit, WhatIsModelledSaysSo) {
  auto kernel = kernel_with({{"dram_percent", 87}});
  EXPECT_TRUE(limit_of(kernel, CounterBasis::modelled).sentence.starts_with("modelled, not measured"));
  EXPECT_TRUE(limit_of(kernel, CounterBasis::measured).sentence.starts_with("measured"));
  kernel.bottleneck = "launch";
  EXPECT_EQ(limit_of(kernel, CounterBasis::modelled).by, "launch");
  EXPECT_EQ(limit_of(kernel, CounterBasis::measured).by, "dram_percent")
      << "no profiler knows the model's word";
}

TEST(Limit, NothingCountedTellsNothing) {
  EXPECT_EQ(limit_of(kernel_with({{"registers", 20}}), CounterBasis::measured).by, "");
}

TEST(Counters, ShortLaunchesAreCountedOftenAndLongOnesOnce) {
  EXPECT_EQ(model::launches_to_count(4e-6), 15);
  EXPECT_EQ(model::launches_to_count(0.024), 3) << "four fit; an odd number has a median among them";
  EXPECT_EQ(model::launches_to_count(0.06), 1);
  EXPECT_EQ(model::launches_to_count(3), 1);
  EXPECT_EQ(model::launches_to_count(0), 1) << "nobody knows how long one takes";
}

TEST(Counters, TimesAndWhatIsDividedByThemAreTold) {
  for (const char* name : {"duration_us", "cycles", "l2_percent", "lsu_percent", "stall_wait"})
    EXPECT_TRUE(model::find_counter(name)->is_timed()) << name;
  for (const char* name : {"instructions", "l2_sectors", "bank_conflicts", "l2_hit_percent", "registers"})
    EXPECT_FALSE(model::find_counter(name)->is_timed()) << name;
}

}  // namespace
}  // namespace evo::evaluators::profile
