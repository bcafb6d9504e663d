// Which proposal of a pool goes to the device, and how the ledger keeps that.
#include <gtest/gtest.h>

#include <map>

#include "engine/screen.hpp"

namespace evo::engine {
namespace {

ScreenedCandidate modelled(double microseconds) {
  ScreenedCandidate one;
  one.modelled_us = microseconds;
  return one;
}

ScreenedCandidate failed() {
  ScreenedCandidate one;
  one.failed = "over_budget (spills)";
  return one;
}

ScreenedCandidate unknown() {
  ScreenedCandidate one;
  one.not_modelled = "wgmma";
  return one;
}

TEST(Choose, TheModelsBestGoes) {
  model::SearchSettings settings;
  settings.screen = {4, 0};
  const std::vector pool{modelled(3), modelled(1), failed(), modelled(2)};
  const Chosen chosen = choose(pool, settings, {1, 2, 10});
  EXPECT_EQ(chosen.position, 1u);
  EXPECT_EQ(chosen.choice, ScreenChoice::best);
}

TEST(Choose, OfTwoAlikeTheOneThatWasDrawnFirst) {
  model::SearchSettings settings;
  settings.screen = {2, 0};
  EXPECT_EQ(choose(std::vector{modelled(1), modelled(1)}, settings, {1, 2, 10}).position, 0u);
}

TEST(Choose, WhoExploresDrawsFromAllOthersAlike) {
  model::SearchSettings settings;
  settings.screen = {4, 0.3};
  const std::vector pool{modelled(3), modelled(1), modelled(4), modelled(2)};
  std::map<std::size_t, int> drawn;
  int explored = 0;
  constexpr int slots = 6000;
  for (int slot = 0; slot < slots; ++slot) {
    const Chosen chosen = choose(pool, settings, {slot / 100, slot % 100, slot});
    EXPECT_EQ(chosen.choice == ScreenChoice::best, chosen.position == 1);
    if (chosen.choice != ScreenChoice::explored) continue;
    ++explored;
    ++drawn[chosen.position];
  }
  EXPECT_NEAR(explored, 0.3 * slots, 150);
  for (const std::size_t position : {0, 2, 3}) EXPECT_NEAR(drawn[position], explored / 3.0, 100);
  settings.screen.explore = 1;
  EXPECT_EQ(choose(pool, settings, {0, 1, 1}).choice, ScreenChoice::explored);
}

TEST(Choose, WhatCannotBeModelledIsNotScreenedOut) {
  model::SearchSettings settings;
  settings.screen = {3, 0};
  EXPECT_EQ(choose(std::vector{unknown(), modelled(1)}, settings, {0, 1, 1}).choice,
            ScreenChoice::not_modelled);
  EXPECT_EQ(choose(std::vector{unknown(), modelled(1)}, settings, {0, 1, 1}).position, 0u);
  // It did not stand first: without screening it would not have been proposed.
  const Chosen other = choose(std::vector{modelled(5), unknown()}, settings, {0, 1, 1});
  EXPECT_EQ(other.position, 0u);
  EXPECT_EQ(other.choice, ScreenChoice::alone);
  const Chosen last = choose(std::vector{failed(), unknown(), failed()}, settings, {0, 1, 1});
  EXPECT_EQ(last.position, 1u);
  EXPECT_EQ(last.choice, ScreenChoice::not_modelled);
  EXPECT_EQ(choose(std::vector{failed(), failed()}, settings, {0, 1, 1}).choice, ScreenChoice::failed);
}

TEST(Screened, AnEventReadsBack) {
  ScreenedSlot slot;
  slot.trial = 7;
  slot.model = "m";
  slot.chosen = {1, ScreenChoice::explored};
  slot.model_cpu_ms = 1.5;
  slot.pool = {modelled(3.25), unknown(), failed()};
  slot.pool[0].variant = "a";
  slot.pool[1].variant = "b";
  slot.pool[2].variant = "c";
  slot.pool[0].genome.set("N", std::int64_t{4});
  slot.pool[0].genome.set("T", std::string("half"));
  const auto again = screened_slot(event_of(slot));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->trial, 7);
  EXPECT_EQ(again->chosen.position, 1u);
  EXPECT_EQ(again->chosen.choice, ScreenChoice::explored);
  EXPECT_EQ(again->pool[0].modelled_us, 3.25);
  EXPECT_EQ(again->pool[0].genome, slot.pool[0].genome);
  EXPECT_EQ(again->pool[1].not_modelled, "wgmma");
  EXPECT_EQ(again->pool[2].failed, "over_budget (spills)");
  EXPECT_DOUBLE_EQ(again->model_cpu_ms, 1.5);
  EXPECT_FALSE(screened_slot({event_kinds::screened, 7, {{"choice", "best"}}}));
  EXPECT_FALSE(screened_slot({event_kinds::resumed, 7, {}}));
}

}  // namespace
}  // namespace evo::engine
