// The picture of `evo insights`: the strongest effects with their intervals, and what they are worth.
#include "report/insights_plot.hpp"

#include <gtest/gtest.h>

#include "tests/report/ledgers.hpp"

namespace evo::report {
namespace {

model::ValueEffect effect(const std::string& gene, std::int64_t value, double log, double half) {
  return {"g1-e1", "tiled", gene, model::Value(value), log, {log - half, log + half}, 5};
}

TEST(InsightsPlot, EffectsWithTheirIntervalsTheMostHelpfulFirst) {
  model::Insights last;
  last.trials = 80;
  last.effects = {effect("ROWS", 1, 0.2, 0.05), effect("TILE", 16, -0.3, 0.1), effect("ODD", 7, 0.01, 0.2)};
  const std::string picture = insights_svg({{}, last}, {"runs/x", "measured", "on a GPU"});
  EXPECT_NE(picture.find(">MEASURED<"), std::string::npos);
  EXPECT_NE(picture.find("what 80 trials say"), std::string::npos);
  EXPECT_NE(picture.find(">-25.9 % [-33.0, -18.1]<"), std::string::npos) << "exp(-0.3) - 1";
  EXPECT_LT(picture.find("tiled TILE=16"), picture.find("tiled ODD=7"));
  EXPECT_LT(picture.find("tiled ODD=7"), picture.find("tiled ROWS=1"));
  EXPECT_EQ(picture.find("left out"), std::string::npos);
}

TEST(InsightsPlot, WhatDoesNotFitIsTheWeakestAndToldOf) {
  model::Insights last;
  for (int i = 0; i < 30; ++i) last.effects.push_back(effect("G", i, 0.01 * (i + 1), 0.001));
  const std::string picture = insights_svg({last}, {"runs/x", "modelled", "no GPU has timed this"});
  EXPECT_NE(picture.find("6 weaker effects left out"), std::string::npos);
  EXPECT_EQ(picture.find(">tiled G=5<"), std::string::npos);
  EXPECT_NE(picture.find(">tiled G=6<"), std::string::npos);
  EXPECT_NE(picture.find(">MODELLED<"), std::string::npos);
}

TEST(InsightsPlot, NothingYetIsStillAPicture) {
  EXPECT_NE(insights_svg({}, {"x", "modelled", ""}).find("there is no effect to draw"), std::string::npos);
}

TEST(InsightsPlot, NamesAreTextWhateverTheyHold) {
  for (const std::string& text : testing::hostile_texts()) {
    model::Insights last;
    last.effects = {effect(text, 1, 0.2, 0.05)};
    last.effects[0].template_name = text;
    const std::string picture = insights_svg({last}, {text, "measured", text});
    for (const char* harm : {"<script", "<img", "onload=window.pwned=3>", "<h1", "\xe2\x80\xae", "<!--"})
      EXPECT_EQ(picture.find(harm), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace evo::report
