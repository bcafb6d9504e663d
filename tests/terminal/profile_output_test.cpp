// What `evo profile` prints of source lines.
#include "terminal/profile_output.hpp"

#include <gtest/gtest.h>

namespace evo::terminal {
namespace {

session::Profile profile_of(std::vector<model::LineCount> lines) {
  session::Profile profile;
  profile.given = "runs/mine";
  profile.device = "virtual";
  profile.modelled = model::CounterReading{model::CounterBasis::modelled,
                                           "virtual model v2",
                                           "l4",
                                           {{"w", "k", {{"registers", 40}}, "latency", {}}}};
  profile.modelled->kernels[0].lines = std::move(lines);
  return profile;
}

// Ten lines with more instructions would hide it.
TEST(ProfileText, ALineBehindTheBankConflictsIsShownThoughItHasFewInstructions) {
  std::vector<model::LineCount> lines;
  for (int line = 1; line <= 10; ++line) lines.push_back({"k.cu", line, 100, 0, 0, ""});
  lines.push_back({"k.cu", 77, 1, 0, 500, "tile[x][y] = v;"});
  lines.push_back({"k.cu", 88, 1, 900, 0, "v = in[i];"});
  const std::string text = profile_text(profile_of(lines), false);
  EXPECT_NE(text.find("k.cu:77  tile[x][y] = v;"), std::string::npos) << text;
  EXPECT_NE(text.find("k.cu:88  v = in[i];"), std::string::npos) << text;
  EXPECT_LT(text.find("k.cu:77"), text.find("k.cu:1\n")) << "what has most of anything comes first";
  EXPECT_EQ(text.find("k.cu:10"), std::string::npos) << "eight of twelve";
  EXPECT_NE(profile_text(profile_of(lines), true).find("k.cu:10"), std::string::npos);
}

TEST(ProfileText, LinesThatWereSampledStandWithWhatTheirWarpsWaitedFor) {
  session::Profile profile = profile_of({});
  profile.device = "cuda:0";
  profile.measured = profile.modelled;
  profile.measured->basis = model::CounterBasis::measured;
  profile.modelled.reset();
  auto& kernel = profile.measured->kernels[0];
  kernel.sampled = {{"k.cu", 31, {{"long_scoreboard", 60}, {"wait", 20}}, "v = in[i];"},
                    {"k.cu", 32, {{"selected", 20}}, ""}};
  kernel.samples_dropped = 3;
  const std::string text = profile_text(profile, false);
  EXPECT_NE(text.find("80.0  long_scoreboard 75, wait 25"), std::string::npos) << text;
  EXPECT_NE(text.find("k.cu:31  v = in[i];"), std::string::npos) << text;
  EXPECT_NE(text.find("3 more were dropped"), std::string::npos) << text;
  EXPECT_EQ(text.find("no source lines"), std::string::npos) << text;
}

TEST(ProfileText, WhatScattersBetweenLaunchesShowsItsEnds) {
  session::Profile profile = profile_of({});
  profile.device = "cuda:0";
  profile.measured = profile.modelled;
  profile.measured->basis = model::CounterBasis::measured;
  profile.modelled.reset();
  auto& kernel = profile.measured->kernels[0];
  kernel.values = {{"duration_us", 3.25}, {"instructions", 4096}};
  EXPECT_EQ(profile_text(profile, false).find("medians of"), std::string::npos) << "one launch";
  kernel.launches = 15;
  kernel.spread = {{"duration_us", {3.125, 3.75}}, {"instructions", {4096, 4100}}};
  const std::string text = profile_text(profile, false);
  EXPECT_NE(text.find("[3.125, 3.750]"), std::string::npos) << text;
  EXPECT_EQ(text.find("[4096"), std::string::npos) << "no scatter worth a word\n" << text;
  EXPECT_NE(text.find("medians of 15 launches"), std::string::npos) << text;
}

TEST(ProfileText, AGpusCountersHaveNoLinesAndSaySo) {
  session::Profile profile = profile_of({});
  profile.device = "cuda:0";
  profile.measured = profile.modelled;
  profile.measured->basis = model::CounterBasis::measured;
  profile.modelled.reset();
  EXPECT_NE(profile_text(profile, false).find("no source lines"), std::string::npos);
}

}  // namespace
}  // namespace evo::terminal
