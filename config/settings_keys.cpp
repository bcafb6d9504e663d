// The tables of the sections that are settings, from the descriptions in model/settings.hpp.
#include "config/keys.hpp"
#include "model/settings.hpp"

namespace evo::config {
namespace {

template <class T>
constexpr std::string_view type_of_setting() {
  if constexpr (std::is_same_v<T, bool>) {
    return "boolean";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "string";
  } else {
    return std::is_integral_v<T> ? "integer" : "number";
  }
}

/// Lives on: keys refer to its texts.
template <class Struct>
const Struct& defaults() {
  static const Struct values{};
  return values;
}

/// The keys of a struct's settings, each with the struct's default, and `others` behind them.
template <class Struct>
std::vector<Key> keys_of(std::vector<Key> others = {}) {
  std::vector<Key> keys;
  model::for_each_setting<Struct>([&]<class T>(const model::Setting<Struct, T>& setting) {
    Key key{setting.name,           type_of_setting<T>(),   setting.description,    false,
            setting.bounds.minimum, setting.bounds.maximum, setting.bounds.choices, setting.bounds.unit};
    const T& value = defaults<Struct>().*setting.member;
    if constexpr (std::is_same_v<T, std::string>) {
      key.initial = std::string_view(value);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      key.initial = static_cast<std::int64_t>(value);
    } else {
      key.initial = value;
    }
    keys.push_back(key);
  });
  keys.insert(keys.end(), others.begin(), others.end());
  return keys;
}

}  // namespace

std::span<const Key> search_keys() {
  static const std::vector<Key> keys = keys_of<model::SearchSettings>({
      {"mutators", "object", "Weight of each operator, 0: off; default: by strategy"},
      {"bandit",
       "boolean",
       "Let the weights of operators and language models follow the gains that they brought",
       false,
       0,
       0,
       {},
       {},
       false},
      {"bandit_money",
       "number",
       "With bandit: what a unit of a model's cost has to gain, as the logarithm of a speed-up",
       false,
       0,
       1e6,
       {},
       {},
       model::SearchSettings::default_bandit_cost},
      {"archive", "array",
       "Keep correct variants apart by how they behave, and draw parents from the cells: axes, of pipe, "
       "sectors, "
       "conflicts, occupancy, instructions, registers, shared_memory"},
      {"archive_share",
       "number",
       "With archive: share of the parents that are drawn from its cells, all alike; the rest by rank",
       false,
       0,
       1,
       {},
       {},
       model::SearchSettings::default_archive_share},
      {"preset",
       "string",
       "What operators use of what was found: free, nothing but who is fast; insight, also effects of genes "
       "and "
       "where they failed; full, also how trials ended",
       false,
       0,
       0,
       model::preset_names,
       {},
       model::default_preset},
      {"screen", "object",
       "Several proposals a slot, of which the fastest by the virtual device's model goes to the device; "
       "absent: every proposal does"},
      {"crossover", "number", "Older form of mutators: share of uniform_crossover in what is bred", false, 0,
       1},
      {"immigrants", "number", "Older form of mutators: share of random_immigrant", false, 0, 1},
  });
  return keys;
}

std::span<const Key> screen_keys() {
  static constexpr Key keys[] = {
      {"pool",
       "integer",
       "Proposals a slot; 1: no screening",
       false,
       1,
       64,
       {},
       {},
       std::int64_t{model::ScreenSettings::default_pool}},
      {"explore",
       "number",
       "Probability that one which the model would have left out goes in the best one's place",
       false,
       0,
       1,
       {},
       {},
       model::ScreenSettings::default_explore},
  };
  return keys;
}

std::span<const Key> budget_keys() {
  static const std::vector<Key> keys = keys_of<model::Budget>({
      {"insight_checks",
       "integer",
       "Variants tried after the end of a run to test which of the champion's genes and edits matter; 0: "
       "none",
       false,
       0,
       100000,
       {},
       {},
       model::Budget::default_insight_checks},
      {"stop_if", "string",
       "When a run that no longer gains ends: 'no gain of 1 % in 200 trials or 10 minutes'; absent: never"},
  });
  return keys;
}

std::span<const Key> gate_keys() {
  static const std::vector<Key> keys = keys_of<model::GateSettings>({
      {"counters", "array",
       "Bounds on counters that every candidate must keep, such as 'dram_percent < 60'; evo profile names "
       "the "
       "counters. Absent: none"},
  });
  return keys;
}

}  // namespace evo::config
