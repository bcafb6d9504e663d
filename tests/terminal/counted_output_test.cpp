// Counters that a run's profile gate kept, as `evo insights` and `evo show` say them.
#include <gtest/gtest.h>

#include "report/insight_screen.hpp"
#include "terminal/trial_output.hpp"

namespace evo::terminal {
namespace {

session::InsightSummary summary_with(std::vector<engine::CounterEffects> counters) {
  session::InsightSummary summary;
  summary.champion.emplace();
  summary.champion->variant = "v1";
  summary.champion->template_name = "t";
  summary.champion->genome = model::Genome({{"A", std::int64_t{2}}, {"B", std::int64_t{2}}});
  summary.counters = std::move(counters);
  return summary;
}

engine::CounterEffects effects_of(const char* counter, bool relative,
                                  std::vector<engine::JointEffect> effects) {
  engine::CounterEffects of{counter, model::CounterBasis::measured, relative, {}};
  of.fit.trials = 40;
  of.fit.effects = std::move(effects);
  return of;
}

const model::Environment flipped{{"A", std::int64_t{1}}};

TEST(CountedScreen, SaysWhatAGeneDoesToACounterWithIntervalAndCount) {
  const auto summary = summary_with({effects_of("dram_percent", false, {{flipped, 12.3, {8.1, 16.5}, 23}}),
                                     effects_of("l2_sectors", true, {{flipped, -0.5, {-0.6, -0.4}, 23}})});
  const std::string text = report::insight_screen(summary, false);
  for (const char* part : {"A=1 (not 2)", "measured", "dram_percent +12.3 points [+8.1, +16.5]",
                           "l2_sectors -39.3 % [-45.1, -33.0]", "23 of 40 counted trials"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const boost::json::object document = report::insight_summary_json(summary);
  const boost::json::value& first = document.at("counters").at(0);
  EXPECT_EQ(first.at("basis"), "measured");
  EXPECT_EQ(first.at("trials"), 40);
  EXPECT_EQ(first.at("effects").at(0).at("trials"), 23);
  EXPECT_EQ(first.at("effects").at(0).at("significant"), true);
}

TEST(CountedScreen, WhatIsNotCertainIsNotSaidOfAGene) {
  const auto summary = summary_with({effects_of("dram_percent", false, {{flipped, 2, {-1, 5}, 23}})});
  const std::string text = report::insight_screen(summary, false);
  EXPECT_EQ(text.find("A=1"), std::string::npos) << text;
  EXPECT_NE(text.find("no gene is known to change dram_percent"), std::string::npos) << text;
}

TEST(CountedScreen, ARunThatCountedNothingHasNoSuchPart) {
  EXPECT_EQ(report::insight_screen(summary_with({}), false).find("counters"), std::string::npos);
}

TEST(CountedTrial, ShowHasTheCountersOfATrial) {
  ShownTrial shown;
  EXPECT_EQ(trial_text(shown).find("counters"), std::string::npos);
  EXPECT_TRUE(trial_to_json(shown).at("counters").is_null());
  shown.counters = model::CounterReading{
      model::CounterBasis::modelled, "virtual model v2", "l4", {{"w", "k", {{"registers", 40}}, {}, {}}}};
  const std::string text = trial_text(shown);
  for (const char* part : {"modelled", "k on w", "registers 40"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(trial_to_json(shown).at("counters").at("kernels").at(0).at("counters").at("registers"), 40.0);
}

}  // namespace
}  // namespace evo::terminal
