#include "diagnose/report.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace evo::diagnose {
namespace {

using ::testing::HasSubstr;

PostMortem sample() {
  PostMortem report;
  report.title = "broken.cu";
  report.failing = true;
  report.category = "arithmetic";
  report.symptom = {model::Status::wrong,
                    "mismatch",
                    {{"mismatch", "O is off", {}, 0, {}},
                     {"race_shared", "a second finding | with a bar", "broken.cu", 9, {}}}};
  report.minimal.axes = {{"seq", 33}, {"heads", 1}};
  report.reductions = {{"seq", "133", "33", "32"}};
  Tile tile;
  tile.check.name = "S";
  tile.check.rows = tile.check.columns = 2;
  tile.check.worst = {{0, 1, 1.0, std::numeric_limits<double>::infinity()}};
  tile.check.pattern = {"last_columns", "the last 1 columns"};
  report.tiles.tiles = {tile};
  report.facts.add("wrong.mismatch", "O is off");
  report.facts.add("stage.all_right", "all stages before the output are correct");
  report.causes = weigh(report.facts, rule_base());
  report.places = {{"broken.cu", 12, 14, "x = y;", "because"}};
  return report;
}

TEST(Report, TextHasTheWholeChain) {
  const std::string text = text_report(sample());
  for (const char* part : {"broken.cu", "mismatch", "seq: 133 -> 33 (32 passes)", "first in S",
                           "broken.cu:12-14", "wrong_epilogue", "broken.cu:9: a second finding"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(Report, MarkdownKeepsItsTables) {
  const std::string text = markdown_report(sample());
  EXPECT_THAT(text, HasSubstr("| S | 2 x 2 | **no** |"));
  EXPECT_THAT(text, HasSubstr("## Likely causes"));
}

TEST(Report, JsonIsValidWithInfinities) {
  const auto document = boost::json::parse(boost::json::serialize(json_report(sample()))).as_object();
  EXPECT_EQ(document.at("category"), "arithmetic");
  EXPECT_EQ(document.at("symptom").at("evidence").as_array().size(), 2U);
  EXPECT_EQ(document.at("stages").as_array()[0].at("worst").as_array()[0].at("actual"), "inf");
  EXPECT_EQ(document.at("causes").as_array()[0].at("rule"), "wrong_epilogue");
}

TEST(Report, NothingFailedIsSaid) {
  PostMortem report;
  report.title = "good.cu";
  EXPECT_THAT(text_report(report), HasSubstr("nothing failed"));
  EXPECT_EQ(json_report(report).at("failing"), false);
}

}  // namespace
}  // namespace evo::diagnose
