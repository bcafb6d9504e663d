// Settings are described once: what the description says is what is read, written and shown.
#include "model/settings.hpp"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "config/keys.hpp"
#include "config/loader.hpp"
#include "config/resolved.hpp"

namespace evo::config {
namespace {

/// Calls check(section, struct within the experiment, setting) for every setting.
template <class Check>
void for_all_settings(const Check& check) {
  model::for_each_setting<model::SearchSettings>(
      [&](const auto& setting) { check("search", &model::Experiment::search, setting); });
  model::for_each_setting<model::Budget>(
      [&](const auto& setting) { check("budget", &model::Experiment::budget, setting); });
  model::for_each_setting<model::GateSettings>(
      [&](const auto& setting) { check("gates", &model::Experiment::gates, setting); });
}

TEST(Settings, ADefaultIsWithinItsBoundsAndNamesAreUnique) {
  std::set<std::string> names;
  for_all_settings([&](const std::string& section, auto part, const auto& setting) {
    const model::Experiment initial;
    EXPECT_TRUE(names.insert(section + "." + setting.name).second) << setting.name;
    EXPECT_FALSE(setting.description.empty()) << setting.name;
    const auto& value = (initial.*part).*setting.member;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>) {
      EXPECT_NE(setting.bounds.choices.find(value), std::string_view::npos) << setting.name;
    } else if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>) {
      EXPECT_LT(setting.bounds.minimum, setting.bounds.maximum) << setting.name;
      EXPECT_GE(static_cast<double>(value), setting.bounds.minimum) << setting.name;
      EXPECT_LE(static_cast<double>(value), setting.bounds.maximum) << setting.name;
    }
  });
}

TEST(Settings, EachIsReadIntoItsMemberUpToItsBoundsAndNoFurther) {
  for_all_settings([](const std::string& section, auto part, const auto& setting) {
    model::Experiment experiment;
    experiment.budget.hourly_price = 1;  // a cost budget needs one
    auto& member = (experiment.*part).*setting.member;
    using T = std::remove_cvref_t<decltype(member)>;
    const std::string key = section + "." + setting.name;
    if constexpr (std::is_same_v<T, std::string>) {
      const std::string choices(setting.bounds.choices), last = choices.substr(choices.rfind('|') + 1);
      EXPECT_TRUE(apply_overrides(experiment, {{key, last}})) << key;
      EXPECT_EQ(member, last);
      EXPECT_FALSE(apply_overrides(experiment, {{key, "magic"}})) << key;
    } else if constexpr (std::is_same_v<T, bool>) {
      EXPECT_TRUE(apply_overrides(experiment, {{key, "false"}})) << key;
      EXPECT_FALSE(member) << key;
    } else {
      const double most = setting.bounds.maximum;
      const auto text = [](double value) {
        return std::is_integral_v<T> ? std::to_string(static_cast<std::int64_t>(value))
                                     : fmt::format("{}", value);
      };
      const auto read = apply_overrides(experiment, {{key, text(most)}});
      EXPECT_TRUE(read) << key << (read ? "" : read.error().text());
      EXPECT_EQ(static_cast<double>(member), most) << key;
      if (most < 9e18) {
        EXPECT_FALSE(apply_overrides(experiment, {{key, text(most + 1)}})) << key;
      }
      EXPECT_FALSE(apply_overrides(experiment, {{key, text(setting.bounds.minimum - 1)}})) << key;
    }
  });
}

TEST(Settings, TheResolvedExperimentHasEachByItsName) {
  model::Experiment experiment;
  experiment.gates.timing_resolution = 0.1;  // a double of 17 digits is written as short as it reads back
  experiment.gates.promotion_error = 0.05;   // not the default
  experiment.gates.cache = "cold";
  experiment.gates.final_margin = 0.02;
  experiment.gates.final_beside = "comparators";
  const YAML::Node root = YAML::Load(resolved_yaml(experiment));
  for_all_settings([&](const std::string& section, auto part, const auto& setting) {
    const YAML::Node node = root[section][setting.name];
    ASSERT_TRUE(node) << section << "." << setting.name;
    using T = std::remove_cvref_t<decltype((experiment.*part).*setting.member)>;
    EXPECT_EQ(node.as<T>(), (experiment.*part).*setting.member) << setting.name;
  });
  EXPECT_EQ(root["gates"]["timing_resolution"].Scalar(), "0.1");
}

// An experiment's hash is of this text: a run of an evo without the key goes on.
TEST(Settings, TheResolvedExperimentLeavesALaterSettingOutWhileItIsTheDefault) {
  const YAML::Node gates = YAML::Load(resolved_yaml(model::Experiment{}))["gates"];
  for (const char* key : {"promotion_error", "cache", "final_margin", "final_beside"})
    EXPECT_FALSE(gates[key]) << key;
}

TEST(Settings, AnArchiveHasKnownAxesAndAStrategyThatTakesParents) {
  const auto read = [](const std::string& axes, const std::string& strategy) {
    model::Experiment experiment;
    const bool good =
        apply_overrides(experiment, {{"search.archive", axes}, {"search.strategy", strategy}}).has_value();
    return good ? experiment.search.archive : std::vector<std::string>{"refused"};
  };
  const std::vector<std::string> refused{"refused"}, two{"pipe", "registers"};
  EXPECT_EQ(read("[pipe, registers]", "genetic"), two);
  EXPECT_EQ(read("[pipe, registers]", "surrogate"), two);
  EXPECT_EQ(read("[pipe, pipe]", "genetic"), refused);
  EXPECT_EQ(read("[colour]", "genetic"), refused);
  EXPECT_EQ(read("[pipe]", "local"), refused);
  EXPECT_EQ(read("[pipe]", "random"), refused);
  EXPECT_TRUE(read("[]", "random").empty());
}

TEST(Settings, APresetIsOneOfThreeAndAnExperimentKeepsItWhereItIsNotTheDefault) {
  model::Experiment experiment;
  EXPECT_FALSE(YAML::Load(resolved_yaml(experiment))["search"]["preset"]);
  EXPECT_TRUE(apply_overrides(experiment, {{"search.preset", "insight"}}));
  EXPECT_EQ(YAML::Load(resolved_yaml(experiment))["search"]["preset"].as<std::string>(), "insight");
  EXPECT_FALSE(apply_overrides(experiment, {{"search.preset", "frei"}}));
  EXPECT_EQ(experiment.search.preset, "insight");
}

TEST(Settings, TheResolvedExperimentHasAnArchiveWhereThereIsOne) {
  model::Experiment experiment;
  EXPECT_FALSE(YAML::Load(resolved_yaml(experiment))["search"]["archive"]);
  experiment.search.archive = {"pipe", "registers"};
  experiment.search.archive_share = 0.25;
  const YAML::Node search = YAML::Load(resolved_yaml(experiment))["search"];
  EXPECT_EQ(search["archive"].as<std::vector<std::string>>(), experiment.search.archive);
  EXPECT_EQ(search["archive_share"].as<double>(), 0.25);
}

TEST(Settings, ScreeningHasDefaultsBoundsAndNoPlaceWhereEverythingIsTried) {
  const auto read = [](const std::string& screen,
                       const std::string& strategy) -> std::optional<model::ScreenSettings> {
    model::Experiment experiment;
    if (!apply_overrides(experiment, {{"search.screen", screen}, {"search.strategy", strategy}}))
      return std::nullopt;
    return experiment.search.screen;
  };
  EXPECT_FALSE(model::SearchSettings{}.screen.on());
  EXPECT_EQ(read("{}", "genetic")->pool, 4);
  EXPECT_EQ(read("{}", "genetic")->explore, 0.1);
  EXPECT_EQ(read("{pool: 8, explore: 0.25}", "surrogate")->pool, 8);
  EXPECT_EQ(read("{pool: 8, explore: 0.25}", "surrogate")->explore, 0.25);
  EXPECT_FALSE(read("{pool: 1}", "genetic")->on());
  EXPECT_FALSE(read("{pool: 0}", "genetic"));
  EXPECT_FALSE(read("{pool: 65}", "genetic"));
  EXPECT_FALSE(read("{explore: 1.5}", "genetic"));
  EXPECT_FALSE(read("{polo: 4}", "genetic"));
  EXPECT_FALSE(read("4", "genetic"));
  EXPECT_FALSE(read("{}", "exhaustive"));
}

TEST(Settings, TheResolvedExperimentHasAScreenWhereThereIsOne) {
  model::Experiment experiment;
  EXPECT_FALSE(YAML::Load(resolved_yaml(experiment))["search"]["screen"]);
  experiment.search.screen = {6, 0.2};
  const YAML::Node screen = YAML::Load(resolved_yaml(experiment))["search"]["screen"];
  EXPECT_EQ(screen["pool"].as<int>(), 6);
  EXPECT_EQ(screen["explore"].as<double>(), 0.2);
}

TEST(Settings, AKeyHasTypeUnitAndDefaultOfItsMember) {
  const Key& spill = key(gate_keys(), "max_spill_bytes");
  EXPECT_EQ(spill.type, "integer");
  EXPECT_EQ(spill.unit, "bytes");
  EXPECT_EQ(std::get<std::int64_t>(spill.initial), 0);
  EXPECT_EQ(std::get<double>(key(search_keys(), "mutation").initial), 0.15);
  EXPECT_TRUE(std::get<bool>(key(search_keys(), "insights").initial));
  EXPECT_EQ(std::get<std::string_view>(key(search_keys(), "strategy").initial), "genetic");
  EXPECT_EQ(key(search_keys(), "crossover").initial.index(), 0U) << "an older form has no default";
}

}  // namespace
}  // namespace evo::config
