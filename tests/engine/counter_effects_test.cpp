// What genes do to counters: found where it is there, and never over readings of two kinds.
#include "engine/counter_effects.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/random.hpp"

namespace evo::engine {
namespace {

using model::CounterBasis;
const model::Value flipped = std::int64_t{1};

model::CounterReading reading_of(double dram, double sectors, CounterBasis basis = CounterBasis::measured) {
  model::KernelCounters kernel;
  kernel.workload = "w";
  kernel.kernel = "k";
  kernel.values = {{"dram_percent", dram}, {"l2_sectors", sectors}, {"spill_bytes", 0}};
  model::CounterReading reading;
  reading.basis = basis;
  reading.method = "a profiler";
  reading.device = "a GPU";
  reading.kernels = {kernel};
  return reading;
}

/// A adds 12 points of DRAM, B makes 0.7 times the sectors, C does nothing; a trial above 60 % is refused.
struct Planted {
  explicit Planted(int count, std::uint64_t seed = 1) {
    model::RandomStream draws({.seed = seed, .generation = 0, .slot = 0, .purpose = "counters test"});
    for (int i = 0; i < count; ++i) {
      TrialRecord trial;
      trial.index = i;
      trial.template_name = "t";
      const auto a = static_cast<std::int64_t>(draws.below(2)), b = static_cast<std::int64_t>(draws.below(2));
      const auto c = static_cast<std::int64_t>(draws.below(2));
      trial.genome = model::Genome({{"A", a}, {"B", b}, {"C", c}});
      const double dram = 50 + 12 * static_cast<double>(a) + draws.normal();
      trial.status = dram < 60 ? model::Status::correct_slower : model::Status::over_budget;
      counted[i] = reading_of(dram, 1e6 * (b == 1 ? 0.7 : 1) * std::exp(0.02 * draws.normal()));
      trials.push_back(std::move(trial));
    }
  }
  [[nodiscard]] std::vector<CounterEffects> effects(const std::vector<std::string>& counters) const {
    const std::vector<CountedHistory> histories{{trials, &counted}};
    const model::Genome reference({{"A", std::int64_t{0}}, {"B", std::int64_t{0}}, {"C", std::int64_t{0}}});
    return counter_effects(histories, "t", reference, counters);
  }
  std::vector<TrialRecord> trials;
  CountedTrials counted;
};

const JointEffect& effect_of(const CounterEffects& of, const char* gene) {
  for (const JointEffect& effect : of.fit.effects)
    if (effect.values == model::Environment{{gene, flipped}}) return effect;
  throw std::runtime_error(gene);
}

TEST(CounterEffects, WhatAGeneDoesIsFoundWithItsInterval) {
  const auto found = Planted(120).effects({"dram_percent", "l2_sectors"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found[0].relative);
  EXPECT_EQ(found[0].fit.trials, 120);
  EXPECT_NEAR(effect_of(found[0], "A").effect, 12, 1) << "refused trials count";
  EXPECT_LT(effect_of(found[0], "A").interval[0], 12);
  EXPECT_GT(effect_of(found[0], "A").interval[1], 12);
  EXPECT_TRUE(effect_of(found[0], "A").significant());
  EXPECT_TRUE(found[1].relative);
  EXPECT_NEAR(effect_of(found[1], "B").effect, std::log(0.7), 0.03);
  EXPECT_TRUE(effect_of(found[1], "B").significant());
}

TEST(CounterEffects, WhatDoesNothingIsNotCalledSignificant) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto found = Planted(60, seed).effects({"dram_percent", "l2_sectors"});
    const bool any = effect_of(found[0], "B").significant() || effect_of(found[0], "C").significant() ||
                     effect_of(found[1], "A").significant() || effect_of(found[1], "C").significant();
    wrong += any ? 1 : 0;
  }
  EXPECT_LE(wrong, 10) << "5 % of fits, by the intervals";
}

TEST(CounterEffects, MeasuredAndModelledAreNeverInOneFit) {
  Planted planted(120);
  for (auto& [trial, reading] : planted.counted)
    if (trial % 2 == 1) reading.basis = CounterBasis::modelled;
  const auto found = planted.effects({"dram_percent"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].basis, CounterBasis::measured);
  EXPECT_EQ(found[1].basis, CounterBasis::modelled);
  EXPECT_EQ(found[0].fit.trials, 60);
  EXPECT_EQ(found[1].fit.trials, 60);
}

TEST(CounterEffects, AnotherProfilerHasALevelOfItsOwn) {
  Planted planted(120);
  for (auto& [trial, reading] : planted.counted) {
    if (trial % 2 == 0) continue;
    reading.method = "another one";
    reading.kernels[0].values["dram_percent"] += 30;
  }
  const auto found = planted.effects({"dram_percent"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(effect_of(found[0], "A").effect, 12, 1);
  EXPECT_LT(found[0].fit.noise, 2);
}

TEST(CounterEffects, OnlyTrialsOfTheTemplateThatWereCountedCount) {
  Planted planted(120);
  for (int i = 0; i < 40; ++i) planted.trials[static_cast<std::size_t>(i)].template_name = "another";
  for (int i = 40; i < 60; ++i) planted.counted.erase(i);
  planted.trials[60].status = model::Status::duplicate;
  EXPECT_EQ(planted.effects({"dram_percent"}).front().fit.trials, 59);
}

TEST(CounterEffects, WhatIsTheSameEverywhereHasNone) {
  const auto found = Planted(20).effects({"spill_bytes", "dram_bytes"});
  ASSERT_EQ(found.size(), 1U) << "nobody counted the second";
  EXPECT_TRUE(found[0].fit.effects.empty());
  EXPECT_EQ(found[0].fit.trials, 20);
}

TEST(CounterEffects, WorkOfSeveralKernelsAddsUpAndSharesAreWeightedByTime) {
  Planted planted(120);
  for (auto& [trial, reading] : planted.counted) {
    reading.kernels[0].values["duration_us"] = 9;
    model::KernelCounters second = reading.kernels[0];
    second.kernel = "short";
    second.values = {{"dram_percent", 10}, {"l2_sectors", 1e6}, {"duration_us", 1}};
    reading.kernels.push_back(second);
  }
  const auto found = planted.effects({"dram_percent", "l2_sectors"});
  EXPECT_NEAR(effect_of(found[0], "A").effect, 0.9 * 12, 1);
  EXPECT_NEAR(effect_of(found[1], "B").effect, std::log(1.7 / 2), 0.03);
}

TEST(CounterRecords, AReadingGoesThroughAnEvent) {
  model::CounterReading reading = reading_of(41.5, 123456, CounterBasis::modelled);
  reading.kernels[0].launches = 15;
  reading.kernels[0].lines.push_back({"k.cu", 3, 10});
  const EventRecord event = counted_event_of(7, reading);
  EXPECT_EQ(event.trial, 7);
  EventRecord later = event;
  later.trial = 8;
  later.details["basis"] = "guessed";
  const std::vector<EventRecord> events{event, later, {event_kinds::interrupted, 9, {}}};
  const CountedTrials counted = counted_trials(events);
  ASSERT_EQ(counted.size(), 1U);
  const model::CounterReading& back = counted.at(7);
  EXPECT_EQ(back.basis, CounterBasis::modelled);
  EXPECT_EQ(back.method, "a profiler");
  EXPECT_EQ(back.device, "a GPU");
  ASSERT_EQ(back.kernels.size(), 1U);
  EXPECT_EQ(back.kernels[0].values, reading.kernels[0].values);
  EXPECT_EQ(back.kernels[0].launches, 15);
  EXPECT_EQ(counters_of(counted), (std::vector<std::string>{"dram_percent", "l2_sectors", "spill_bytes"}));
}

}  // namespace
}  // namespace evo::engine
