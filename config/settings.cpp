#include "config/settings.hpp"

#include <algorithm>

#include "config/counter_bounds.hpp"
#include "config/keys.hpp"
#include "config/mutator_weights.hpp"
#include "config/stop_if.hpp"
#include "model/archive.hpp"
#include "model/settings.hpp"

namespace evo::config {
namespace {

template <class Struct>
void read_settings(const Reader& reader, std::span<const Key> table, Struct& values) {
  reader.expect_keys(key_names(table));
  model::for_each_setting<Struct>(
      [&](const auto& setting) { take(reader, table, setting.name, values.*setting.member); });
}

void read_archive(const Reader& reader, model::SearchSettings& search) {
  take(reader, search_keys(), "archive_share", search.archive_share);
  const auto list = reader.find("archive");
  if (!list) return;
  search.archive.clear();
  for (const Reader& item : list->items()) {
    const std::string axis = item.choice(model::archive_axes(), "axis");
    if (std::ranges::find(search.archive, axis) != search.archive.end())
      item.fail("the axis '" + axis + "' stands there twice");
    search.archive.push_back(axis);
  }
  // What else proposes takes no parents, or one that it climbs from.
  if (!search.archive.empty() && search.strategy != "genetic" && search.strategy != "surrogate")
    list->fail("an archive has parents for the strategies genetic and surrogate; " + search.strategy +
               " takes none from it");
}

void read_screen(const Reader& reader, model::SearchSettings& search) {
  const auto section = reader.find("screen");
  if (!section) return;
  section->expect_keys(key_names(screen_keys()));
  search.screen.pool = model::ScreenSettings::default_pool;
  take(*section, screen_keys(), "pool", search.screen.pool);
  take(*section, screen_keys(), "explore", search.screen.explore);
  if (search.screen.on() && search.strategy == "exhaustive")
    section->fail("the strategy exhaustive tries every genome: there is nothing to screen");
}

}  // namespace

std::vector<std::string> choices_of(const Key& entry) {
  std::vector<std::string> words;
  std::string_view rest = entry.choices;
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    words.emplace_back(rest.substr(0, bar));
    rest = bar == std::string_view::npos ? std::string_view{} : rest.substr(bar + 1);
  }
  return words;
}

void read_search(const Reader& reader, model::SearchSettings& search) {
  read_settings(reader, search_keys(), search);
  take(reader, search_keys(), "bandit", search.bandit);
  take(reader, search_keys(), "bandit_money", search.bandit_cost);
  take(reader, search_keys(), "preset", search.preset);
  read_archive(reader, search);
  read_screen(reader, search);
  read_mutators(reader, search);
}

void read_budget(const Reader& reader, model::Budget& budget) {
  read_settings(reader, budget_keys(), budget);
  take(reader, budget_keys(), "insight_checks", budget.insight_checks);
  if (const auto stop_if = reader.find("stop_if")) budget.stop_if = read_stop_if(*stop_if);
  if (budget.cost > 0 && budget.hourly_price <= 0) {
    reader.at("money").fail("a cost budget needs hourly_price above 0");
  }
}

void read_gates(const Reader& reader, model::GateSettings& gates) {
  read_settings(reader, gate_keys(), gates);
  if (const auto counters = reader.find("counters")) gates.counters = read_counter_bounds(*counters);
}

}  // namespace evo::config
