// gates.counters, read.
#include "config/counter_bounds.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <set>

namespace evo::config {
namespace {

std::vector<model::CounterBound> bounds_in(const std::string& yaml) {
  const YAML::Node root = YAML::Load("gates:\n  counters: " + yaml + "\n");
  const Reader file(root, "run.yaml", "");
  return read_counter_bounds(file.at("gates").at("counters"));
}

model::Error refused(const std::string& yaml) {
  try {
    (void)bounds_in(yaml);
  } catch (const Invalid& invalid) {
    return invalid.error;
  }
  return {};
}

TEST(CounterBoundTexts, AreACounterAComparisonAndANumber) {
  EXPECT_EQ(
      bounds_in("[dram_percent < 60, registers<=128, 'l2_hit_percent > 12.5 %', occupancy_percent >= 25%]"),
      (std::vector<model::CounterBound>{{"dram_percent", "<", 60},
                                        {"registers", "<=", 128},
                                        {"l2_hit_percent", ">", 12.5},
                                        {"occupancy_percent", ">=", 25}}));
  EXPECT_TRUE(bounds_in("[]").empty());
}

TEST(CounterBoundTexts, ReadBackToTheSame) {
  for (const model::CounterBound& bound : bounds_in("[dram_percent < 60.5, registers >= 1]"))
    EXPECT_EQ(bounds_in("['" + model::text_of(bound) + "']"), std::vector{bound});
}

TEST(CounterBoundTexts, WhatIsWrongIsNamedWithItsPlace) {
  const model::Error misspelt = refused("[dram_percnt < 60]");
  EXPECT_EQ(misspelt.file, "run.yaml");
  EXPECT_EQ(misspelt.line, 2);
  EXPECT_NE(misspelt.message.find("did you mean 'dram_percent'"), std::string::npos) << misspelt.message;
  for (const char* wrong :
       {"dram_percent < 60", "[dram_percent]", "[dram_percent = 60]", "[dram_percent < ]",
        "[dram_percent < much]", "['dram_percent < -1']", "[dram_percent < inf]", "[[a]]", "[< 60]"})
    EXPECT_FALSE(refused(wrong).message.empty()) << wrong;
}

TEST(CounterBoundTexts, WhatNoKernelKeepsIsRefused) {
  for (const char* wrong :
       {"[registers < 0]", "[registers < 32, registers > 64]", "[registers >= 32, registers < 32]",
        "[registers <= 32, dram_percent < 60, registers > 32]"}) {
    EXPECT_FALSE(refused(wrong).message.empty()) << wrong;
    EXPECT_EQ(refused(wrong).line, 2) << wrong;
  }
  for (const char* possible :
       {"[registers <= 0]", "[registers <= 32, registers >= 32]", "[registers < 64, registers > 32]",
        "[registers < 32, registers < 64]", "[registers < 32, dram_percent > 64]"})
    EXPECT_NO_THROW((void)bounds_in(possible)) << possible;
}

TEST(CounterNames, AreUniqueAndKnowTheirUnit) {
  std::set<std::string_view> seen;
  for (const model::CounterName& counter : model::counter_names()) {
    EXPECT_TRUE(seen.insert(counter.name).second) << counter.name;
    EXPECT_EQ(counter.compiled, counter.metric.empty()) << counter.name;
    EXPECT_EQ(counter.name.ends_with("_percent"), counter.metric.find(".pct") != std::string_view::npos)
        << counter.name;
    EXPECT_FALSE(counter.modelled && counter.name.starts_with("stall_")) << counter.name;
  }
}

}  // namespace
}  // namespace evo::config
