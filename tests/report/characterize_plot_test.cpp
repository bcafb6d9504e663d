// The plots of `evo characterize`: they draw what they are given and say how it was obtained.
#include "report/characterize_plot.hpp"

#include <gtest/gtest.h>

#include "report/plots.hpp"
#include "report/ticks.hpp"
#include "tests/report/ledgers.hpp"

namespace evo::report {
namespace {

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

session::Characterization grid(bool measured, const std::vector<std::int64_t>& rows,
                               const std::vector<std::int64_t>& sizes = {64, 128, 256}) {
  session::Characterization found;
  found.problem = "softmax";
  found.target = "l4";
  found.subject.label = "champion";
  found.baseline = session::CharacterizedKernel{};
  found.baseline->label = "baseline";
  found.latency_kind = measured ? "measured" : "modelled";
  found.device_name = "a GPU";
  found.arithmetic = "fp32";
  found.ceilings = {measured ? "measured" : "target_data",
                    "that GPU",
                    {{"dram", 300e9, ""}, {"l2", 1500e9, ""}, {"fp32", 30e12, ""}}};
  found.grid = {{"rows", rows}, {"n", sizes}};
  for (const std::int64_t row : rows) {
    for (const std::int64_t n : found.grid[1].values) {
      session::CharacterizedShape& shape = found.shapes.emplace_back();
      shape.shape.at = {row, n};
      shape.flops = static_cast<double>(5 * row * n);
      shape.bytes = static_cast<double>(8 * row * n);
      if (n == 256) {
        shape.refused = session::ShapeRefusal{"correctness", "wrong"};
        continue;
      }
      model::Latency latency;
      latency.microseconds = 10;
      if (measured) latency.ci95 = {9.5, 10.5};
      shape.figures = {{"champion", session::Role::subject, latency, {}, {}},
                       {"baseline", session::Role::baseline, latency, {}, {{1.25, {1.2, 1.3}}}}};
      shape.share = session::RoofShare{"dram", 1, 0.1, 0.625};
    }
  }
  return found;
}

TEST(CharacterizePlot, SaysHowItsNumbersWereObtained) {
  const std::string measured = characterize_svg(grid(true, {1, 2}));
  EXPECT_NE(measured.find(">MEASURED<"), std::string::npos);
  EXPECT_NE(measured.find("ceilings measured on that GPU"), std::string::npos);
  EXPECT_EQ(measured.find(">MODELLED<"), std::string::npos);
  const std::string modelled = characterize_svg(grid(false, {1, 2}));
  EXPECT_NE(modelled.find(">MODELLED<"), std::string::npos);
  EXPECT_NE(modelled.find("no GPU has timed this"), std::string::npos);
  EXPECT_NE(modelled.find("ceilings: data of the target"), std::string::npos);
  EXPECT_EQ(modelled.find("95 %"), std::string::npos) << "an interval of nothing";
}

TEST(CharacterizePlot, RefusedShapesHaveNoNumberAndTheOthersDo) {
  const std::string picture = characterize_svg(grid(true, {1, 2}));
  EXPECT_EQ(count_of(picture, ">refused<"), 2U);
  EXPECT_EQ(count_of(picture, ">1.25×<"), 4U);
  EXPECT_NE(picture.find("6 shapes, 2 refused"), std::string::npos);
  EXPECT_NE(picture.find("Times as fast as baseline"), std::string::npos);
}

TEST(CharacterizePlot, WithoutABaselineTheMapIsTheShareOfTheRoofline) {
  session::Characterization found = grid(true, {1, 2});
  for (session::CharacterizedShape& shape : found.shapes) {
    if (!shape.figures.empty()) shape.figures.pop_back();
  }
  const std::string picture = characterize_svg(found);
  EXPECT_NE(picture.find("Share of the roofline"), std::string::npos);
  EXPECT_EQ(count_of(picture, ">10 %<"), 4U);
  EXPECT_NE(picture.find("Latency by size"), std::string::npos);
}

TEST(CharacterizePlot, ManyLinesAreLeftOutAndThatIsSaid) {
  const std::string picture =
      characterize_svg(grid(true, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_NE(picture.find("2 lines left out"), std::string::npos);
}

TEST(CharacterizePlot, TheAxisWithTheMostValuesIsTheSize) {
  const std::string picture = characterize_svg(grid(true, {1, 2, 3, 4}));
  EXPECT_NE(picture.find(">n=64<"), std::string::npos) << "a line for each of the others";
  EXPECT_EQ(picture.find(">rows=1<"), std::string::npos);
  const std::string with_zero = characterize_svg(grid(true, {0, 1, 2, 3}));
  EXPECT_NE(with_zero.find(">0</text>"), std::string::npos) << "an axis from 0 on is linear";
}

TEST(CharacterizePlot, NothingToDrawIsStillAPicture) {
  session::Characterization found = grid(true, {1});
  for (session::CharacterizedShape& shape : found.shapes) {
    shape.refused = session::ShapeRefusal{"correctness", "wrong"};
    shape.figures.clear();
  }
  EXPECT_NE(characterize_svg(found).find("there is no number to draw"), std::string::npos);
  found.shapes.clear();
  found.grid.clear();
  EXPECT_EQ(characterize_svg(found).substr(0, 4), "<svg");
}

TEST(CharacterizePlot, NamesAreTextWhateverTheyHold) {
  for (const std::string& text : testing::hostile_texts()) {
    session::Characterization found = grid(true, {1, 2});
    found.problem = found.device_name = found.subject.label = found.subject.variant = found.grid[0].name =
        found.ceilings.of = text;
    for (session::CharacterizedShape& shape : found.shapes) {
      if (!shape.figures.empty()) shape.figures[1].contender = text;
    }
    const std::string picture = characterize_svg(found);
    for (const char* harm : {"<script", "<img", "onload=window.pwned=3>", "<h1", "\xe2\x80\xae", "<!--"})
      EXPECT_EQ(picture.find(harm), std::string::npos) << text;
  }
}

TEST(PlotTicks, AreRoundAndInside) {
  EXPECT_EQ(ticks_between(0.9, 11, true), (std::vector<double>{1, 2, 5, 10}));
  EXPECT_EQ(ticks_between(1, 1e6, true), (std::vector<double>{1, 10, 100, 1000, 1e4, 1e5, 1e6}));
  EXPECT_EQ(ticks_between(0, 1, false).size(), 6U);
  EXPECT_TRUE(ticks_between(2, 1, false).empty());
  EXPECT_GE(ticks_between(3.1, 4.9, true).size(), 3U) << "round steps where powers are too far apart";
  EXPECT_EQ(short_number(2.3e6), "2.3M");
  EXPECT_EQ(short_number(4096), "4096");
}

TEST(PlotSvg, LeavesOutWhatALogarithmCannotShow) {
  Plot plot;
  plot.log_x = plot.log_y = true;
  plot.series = {{"a", {{1, 1}, {0, 5}, {2, -1}, {4, 2}}}};
  const std::string svg = plot_svg(plot, {0, 0, 500, 400});
  EXPECT_EQ(count_of(svg, "<circle"), 3U) << "two points, and one in the legend";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace evo::report
