#include "config/settings.hpp"

#include "config/keys.hpp"
#include "config/mutator_weights.hpp"

namespace evo::config {
namespace {

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

}  // namespace

void read_search(const Reader& reader, model::SearchSettings& search) {
  const auto table = search_keys();
  reader.expect_keys(key_names(table));
  if (const auto s = reader.find("strategy")) {
    search.strategy = s->choice(choices_of(key(table, "strategy")), "strategy");
  }
  take(reader, table, "population", search.population);
  take(reader, table, "generations", search.generations);
  take(reader, table, "window", search.window);
  take(reader, table, "seed", search.seed);
  take(reader, table, "tournament", search.tournament);
  take(reader, table, "elite", search.elite);
  take(reader, table, "mutation", search.mutation);
  take(reader, table, "insights", search.insights);
  read_mutators(reader, search);
}

void read_budget(const Reader& reader, model::Budget& budget) {
  const auto table = budget_keys();
  reader.expect_keys(key_names(table));
  take(reader, table, "trials", budget.trials);
  take(reader, table, "wall_seconds", budget.wall_seconds);
  take(reader, table, "device_seconds", budget.device_seconds);
  take(reader, table, "money", budget.money);
  take(reader, table, "hourly_price", budget.hourly_price);
  if (budget.money > 0 && budget.hourly_price <= 0) {
    reader.at("money").fail("a money budget needs hourly_price above 0");
  }
}

void read_gates(const Reader& reader, model::GateSettings& gates) {
  const auto table = gate_keys();
  reader.expect_keys(key_names(table));
  take(reader, table, "repeated_launches", gates.repeated_launches);
  take(reader, table, "permuted_runs", gates.permuted_runs);
  take(reader, table, "champion_launches", gates.champion_launches);
  take(reader, table, "champion_orders", gates.champion_orders);
  take(reader, table, "sanitizer_timeout_s", gates.sanitizer_timeout_s);
  take(reader, table, "max_spill_bytes", gates.max_spill_bytes);
  take(reader, table, "instruction_budget", gates.instruction_budget);
  take(reader, table, "launch_timeout_ms", gates.launch_timeout_ms);
  take(reader, table, "compile_timeout_s", gates.compile_timeout_s);
  take(reader, table, "compile_memory_mb", gates.compile_memory_mb);
  take(reader, table, "timing_samples", gates.timing_samples);
  take(reader, table, "timing_launches", gates.timing_launches);
  take(reader, table, "timing_warmup", gates.timing_warmup);
  take(reader, table, "paired_rounds", gates.paired_rounds);
  take(reader, table, "timing_resolution", gates.timing_resolution);
}

}  // namespace evo::config
