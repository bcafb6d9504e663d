// Values of axes, and settings over an experiment that was put together without a file.
#include <gtest/gtest.h>

#include "config/axis_values.hpp"
#include "config/loader.hpp"
#include "model/file_name.hpp"

namespace evo::config {
namespace {

model::Axis axis(std::optional<std::int64_t> low, std::optional<std::int64_t> high,
                 std::optional<std::int64_t> step, std::vector<std::int64_t> allowed = {}) {
  model::Axis made;
  made.name = "seq";
  made.minimum = low;
  made.maximum = high;
  made.multiple_of = step;
  made.allowed = std::move(allowed);
  return made;
}

TEST(AxisValues, TheNearestLegalValueIsNamed) {
  EXPECT_FALSE(axis_objection(axis(1, 100, {}), 1));
  EXPECT_FALSE(axis_objection(axis(1, 100, {}), 100));
  EXPECT_TRUE(axis_objection(axis(1, 100, {}), 101));
  EXPECT_TRUE(axis_objection(axis({}, {}, 8), 12));
  EXPECT_FALSE(axis_objection(axis({}, {}, 8), -16));
  EXPECT_EQ(nearest_legal(axis(1, 100, {}), 0), 1);
  EXPECT_EQ(nearest_legal(axis(1, 100, 8), 200), 96);
  EXPECT_EQ(nearest_legal(axis(1, 100, 8), 1), 8);
  EXPECT_EQ(nearest_legal(axis(1, 100, 8), 13), 16);
  EXPECT_EQ(nearest_legal(axis({}, {}, {}, {32, 64, 128}), 100), 128);
  EXPECT_EQ(nearest_legal(axis({}, {}, {}, {32, 64, 128}), 48), 32) << "the smaller of two";
  EXPECT_EQ(nearest_legal(axis(1, 7, 8), 3), std::nullopt);
  EXPECT_TRUE(axis_objection(axis(1, 64, {}, {32, 128}), 128)) << "both rules hold";
  const std::string text = *axis_objection(axis(1, 100, {}), 4096);
  for (const char* part : {"seq=4096", "100"}) EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Overrides, SettingsOnly) {
  model::Experiment experiment;
  ASSERT_TRUE(apply_overrides(experiment, {{"gates.max_spill_bytes", "4096"}, {"input_seed", "7"}}));
  EXPECT_EQ(experiment.gates.max_spill_bytes, 4096);
  EXPECT_EQ(experiment.input_seed, 7U);
  for (const auto& [key, value] : {std::pair{"gates.max_spill_bytes", "-1"}, std::pair{"gates.nothing", "1"},
                                   std::pair{"target", "h200"}, std::pair{"workloads", "[]"},
                                   std::pair{"gates", "3"}, std::pair{"gates.max_spill_bytes", "{"}}) {
    const auto wrong = apply_overrides(experiment, {{key, value}});
    ASSERT_FALSE(wrong) << key;
    EXPECT_TRUE(wrong.error().text().starts_with("--set")) << wrong.error().text();
  }
}

TEST(FileNames, ArePlain) {
  using model::place_text;
  using model::plain_file_name;
  EXPECT_EQ(plain_file_name("a b.cu"), "a b.cu");
  EXPECT_EQ(plain_file_name("we\"ird\\\n.cu"), "we_ird__.cu");
  EXPECT_EQ(plain_file_name("caf\xc3\xa9.cu"), "caf_.cu");
  EXPECT_EQ(plain_file_name(""), "candidate.cu");
  EXPECT_EQ(place_text("k.cu", 3), "k.cu:3");
  EXPECT_EQ(place_text("k.cu", 0), "k.cu");
  EXPECT_EQ(place_text("", 3), "line 3");
  EXPECT_EQ(place_text("", 0), "");
}

}  // namespace
}  // namespace evo::config
