#include "evaluators/profile/reading_json.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace evo::evaluators::profile {
namespace {

TEST(ReadingJson, ComesBackAsItWas) {
  model::CounterReading reading{model::CounterBasis::modelled, "virtual model v2", "h200", {}};
  reading.kernels.push_back({"w0",
                             "add",
                             {{"dram_percent", 12.5}, {"registers", 20}},
                             "dram",
                             {{"add.cu", 7, 900, 40, 3, "c = a + b;"}, {"", 0, 1}}});
  const auto back = reading_from_json(to_json(reading, 10));
  EXPECT_EQ(back.basis, reading.basis);
  EXPECT_EQ(back.method, reading.method);
  EXPECT_EQ(back.device, reading.device);
  ASSERT_EQ(back.kernels.size(), 1U);
  EXPECT_EQ(back.kernels[0].values, reading.kernels[0].values);
  EXPECT_EQ(back.kernels[0].bottleneck, "dram");
  ASSERT_EQ(back.kernels[0].lines.size(), 2U);
  EXPECT_EQ(back.kernels[0].lines[0].line, 7);
  EXPECT_EQ(back.kernels[0].lines[0].sectors, 40U);
  EXPECT_EQ(back.kernels[0].lines[0].bank_conflicts, 3U);
  EXPECT_EQ(back.kernels[0].lines[0].text, "c = a + b;");
  EXPECT_EQ(to_json(reading, 1).at("kernels").at(0).at("lines").as_array().size(), 1U);
}

TEST(ReadingJson, SamplesOfLinesComeBackToo) {
  model::CounterReading reading{model::CounterBasis::measured, "CUPTI range profiler", "a GPU", {}};
  reading.kernels.push_back({"w0", "add", {{"registers", 20}}, "", {}});
  reading.kernels[0].sampled = {{"add.cu", 7, {{"wait", 5}, {"long_scoreboard", 30}}, "c = a + b;"},
                                {"", 0, {{"selected", 1}}, ""}};
  reading.kernels[0].samples_dropped = 2;
  const auto json = to_json(reading, 10);
  EXPECT_EQ(json.at("kernels").at(0).at("sampled_lines").at(0).at("samples").as_uint64(), 35U);
  const auto back = reading_from_json(json);
  ASSERT_EQ(back.kernels.at(0).sampled.size(), 2U);
  EXPECT_EQ(back.kernels[0].sampled[0].stalls, reading.kernels[0].sampled[0].stalls);
  EXPECT_EQ(back.kernels[0].sampled[0].line, 7);
  EXPECT_EQ(back.kernels[0].sampled[0].text, "c = a + b;");
  EXPECT_EQ(back.kernels[0].sampled[1].samples(), 1U);
  EXPECT_EQ(back.kernels[0].samples_dropped, 2U);
  EXPECT_EQ(to_json(reading, 1).at("kernels").at(0).at("sampled_lines").as_array().size(), 1U);
}

TEST(ReadingJson, LaunchesAndTheirSpreadComeBack) {
  model::CounterReading reading{model::CounterBasis::measured, "CUPTI range profiler", "a GPU", {}};
  reading.kernels.push_back({"w0", "add", {{"duration_us", 3.3}}, "", {}});
  boost::json::value value = to_json(reading, 10);
  EXPECT_EQ(reading_from_json(value).kernels.at(0).launches, 1);
  value.at("kernels").at(0).as_object().erase("launches");
  EXPECT_EQ(reading_from_json(value).kernels.at(0).launches, 1) << "a file of an earlier evo";
  reading.kernels[0].launches = 15;
  reading.kernels[0].spread = {{"duration_us", {3.1, 3.9}}};
  const auto back = reading_from_json(to_json(reading, 10));
  EXPECT_EQ(back.kernels.at(0).launches, 15);
  EXPECT_EQ(back.kernels[0].spread, reading.kernels[0].spread);
}

TEST(ReadingJson, LinesOfAnEarlierEvoHaveInstructionsAlone) {
  model::CounterReading reading{model::CounterBasis::modelled, "virtual model v2", "h200", {}};
  reading.kernels.push_back({"w0", "add", {}, "dram", {{"add.cu", 7, 900, 40, 3, "c = a + b;"}}});
  boost::json::value value = to_json(reading, 10);
  auto& line = value.at("kernels").at(0).at("lines").at(0).as_object();
  for (const char* key : {"sectors", "bank_conflicts", "text"}) line.erase(key);
  const auto back = reading_from_json(value);
  EXPECT_EQ(back.kernels.at(0).lines.at(0).warp_instructions, 900U);
  EXPECT_EQ(back.kernels[0].lines[0].sectors, 0U);
}

TEST(ReadingJson, WhatIsNeitherMeasuredNorModelledIsNoReading) {
  boost::json::value value = to_json({}, 1);
  EXPECT_EQ(value.at("basis"), "measured");
  value.as_object()["basis"] = "guessed";
  EXPECT_THROW(static_cast<void>(reading_from_json(value)), std::exception);
}

}  // namespace
}  // namespace evo::evaluators::profile
