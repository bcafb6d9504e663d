// The picture of `evo bench`: every contender has its number or its reason, and how they were obtained is
// said.
#include "report/bench_plot.hpp"

#include <gtest/gtest.h>

#include "report/bars.hpp"
#include "tests/report/ledgers.hpp"

namespace evo::report {
namespace {

using evaluators::benchmark::Standing;
using evaluators::benchmark::Timed;

Standing standing(const std::string& name, double us) {
  Standing made;
  made.contender = name;
  if (us > 0) {
    Timed timed;
    timed.median_us = us;
    timed.ci95 = {us * 0.99, us * 1.01};
    made.hot = timed;
  } else {
    made.unavailable = "it broke";
  }
  return made;
}

session::BenchReport invented() {
  session::BenchReport report;
  report.experiment = "softmax";
  report.run = "runs/x";
  report.target = "l4";
  report.device_kind = "cuda";
  report.device_name = "a GPU";
  report.variants = {{"champion", "c"}, {"baseline", "b"}};
  report.comparators = {{"a library", "not there"}};
  session::BenchCase& one = report.cases.emplace_back();
  one.workload = "s512";
  one.flops = 1e9;
  one.standings = {standing("champion", 5), standing("baseline", 80), standing("cudnn", 9.5),
                   standing("broken", 0)};
  session::BenchCase& skipped = report.cases.emplace_back();
  skipped.workload = "s9999";
  skipped.skipped = "no oracle";
  return report;
}

TEST(BenchPlot, EveryContenderHasItsNumberOrItsReason) {
  const std::string picture = bench_svg(invented());
  EXPECT_NE(picture.find(">MEASURED<"), std::string::npos);
  EXPECT_NE(picture.find(">5.000 [4.950, 5.050]  200.0 TFLOP/s<"), std::string::npos);
  EXPECT_NE(picture.find(">it broke<"), std::string::npos);
  EXPECT_NE(picture.find(">no oracle<"), std::string::npos);
  EXPECT_NE(picture.find("a library took no part"), std::string::npos);
  EXPECT_EQ(picture.find("class=\"best\"", picture.find(">cudnn<")), std::string::npos) << "the first alone";
}

TEST(BenchPlot, ModelledLatenciesHaveNoIntervalAndSaySo) {
  session::BenchReport report = invented();
  report.cases.clear();
  report.device_kind = "virtual";
  model::Latency latency;
  latency.microseconds = 7;
  report.modelled = {{"champion", "", {{"s512", 1, latency}}}, {"baseline", "wrong: mismatch", {}}};
  const std::string picture = bench_svg(report);
  EXPECT_NE(picture.find(">MODELLED<"), std::string::npos);
  EXPECT_NE(picture.find(">7.000<"), std::string::npos);
  EXPECT_NE(picture.find(">wrong: mismatch<"), std::string::npos);
  EXPECT_EQ(picture.find("95 %"), std::string::npos);
  EXPECT_EQ(picture.find("class=\"ci\""), std::string::npos);
}

TEST(BenchPlot, NamesAreTextWhateverTheyHold) {
  for (const std::string& text : testing::hostile_texts()) {
    session::BenchReport report = invented();
    report.experiment = report.run = report.device_name = report.cases[0].workload =
        report.cases[0].standings[0].contender = report.cases[0].standings[3].unavailable =
            report.comparators[0].name = text;
    const std::string picture = bench_svg(report);
    for (const char* harm : {"<script", "<img", "onload=window.pwned=3>", "<h1", "\xe2\x80\xae", "<!--"})
      EXPECT_EQ(picture.find(harm), std::string::npos) << text;
  }
}

TEST(Bars, AreAsLongAsTheirValues) {
  const std::string svg = bars_svg("t", "u", {{"a", 10.0}, {"b", 5.0}}, {0, 0, 1000, 200});
  // 1000 less 190 for names and 330 for numbers.
  EXPECT_NE(svg.find("width=\"480.0\""), std::string::npos);
  EXPECT_NE(svg.find("width=\"240.0\""), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(bars_svg("t", "u", {{"a", 0.0}}, {0, 0, 1000, 200}).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace evo::report
