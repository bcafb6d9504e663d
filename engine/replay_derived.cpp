#include "engine/replay_derived.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/insights.hpp"
#include "engine/lineage.hpp"
#include "engine/record_json.hpp"
#include "engine/tally.hpp"
#include "engine/trial_difference.hpp"

namespace evo::engine {
namespace {

class Rows {
 public:
  explicit Rows(std::vector<Mismatch>& mismatches) : mismatches_(mismatches) {}
  void field(const char* table, std::int64_t row, const char* name, const std::string& expected,
             const std::string& got) {
    if (expected != got) mismatches_.push_back({row, table, name, expected, got});
  }

 private:
  std::vector<Mismatch>& mismatches_;
};

std::string text_of(const model::ValueEffect& e) {
  return fmt::format("{} {} {}={} {} [{}, {}] {}", e.id, e.template_name, e.gene, model::to_string(e.value),
                     e.effect, e.ci95[0], e.ci95[1], e.trials);
}

std::string text_of(const model::FailurePattern& f) {
  return fmt::format("{} {} {} {} {} {}/{} {}", f.id, f.template_name, to_json(f.when),
                     model::name_of(f.status), f.reason, f.count, f.of, f.rate_at_least);
}

template <class Item>
std::string text_of(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) text += text_of(item) + "\n";
  return text;
}

void compare_generation(Rows& rows, const GenerationRecord& expected, const GenerationRecord& got) {
  const std::int64_t row = expected.generation;
  rows.field("generations", row, "trials", std::to_string(expected.trials), std::to_string(got.trials));
  rows.field("generations", row, "best_variant", expected.best_variant, got.best_variant);
  rows.field("generations", row, "best_us", number_text(expected.best_us), number_text(got.best_us));
  rows.field("generations", row, "diversity", number_text(expected.diversity), number_text(got.diversity));
  rows.field("generations", row, "device_seconds", number_text(expected.device_seconds),
             number_text(got.device_seconds));
  rows.field("generations", row, "money", number_text(expected.cost), number_text(got.cost));
  rows.field("generations", row, "counts", to_json(expected.counts), to_json(got.counts));
}

}  // namespace

void compare_derived_rows(const model::Experiment& experiment, const SearchSpace& space, const Ledger& ledger,
                          const std::vector<TrialRecord>& trials, std::vector<Mismatch>& mismatches) {
  Rows rows(mismatches);
  const std::vector<GenerationRecord> generations = ledger.generations();
  const std::vector<model::Insights> insights = ledger.insights();
  const std::vector<EventRecord> events = ledger.events();
  const int population = std::max(experiment.search.population, 1);
  const auto ended = std::find_if(events.begin(), events.end(), [](const EventRecord& event) {
    return event.kind == event_kinds::finished;
  });

  Tally tally(experiment);
  std::size_t generation = 0;
  for (const TrialRecord& trial : trials) {
    tally.add(trial);
    const bool last = trial.slot + 1 == population ||
                      (ended != events.end() && trial.index + 1 == static_cast<std::int64_t>(trials.size()));
    if (!last) continue;
    const auto got = tally.generation(trial.generation);
    if (generation >= generations.size() || generations[generation].generation != trial.generation) {
      rows.field("generations", trial.generation, "row", "missing", "one row");
      break;
    }
    compare_generation(rows, generations[generation++], *got);
  }
  rows.field("generations", static_cast<std::int64_t>(generation), "rows", std::to_string(generations.size()),
             std::to_string(generation));

  const auto started =
      static_cast<int>((static_cast<std::int64_t>(trials.size()) + population - 1) / population);
  const int expected_insights = started + (ended != events.end() ? 1 : 0);
  rows.field("insights", expected_insights, "rows", std::to_string(insights.size()),
             std::to_string(expected_insights));
  for (const model::Insights& row : insights) {
    const std::int64_t first = std::int64_t{row.generation} * population;
    const std::int64_t visible = row.generation == started
                                     ? static_cast<std::int64_t>(trials.size())
                                     : visible_trials(first, experiment.search.max_in_flight);
    if (visible > static_cast<std::int64_t>(trials.size())) continue;  // the count above has told
    const model::Insights got =
        compute_insights(space, std::span(trials).first(static_cast<std::size_t>(visible)), row.generation);
    rows.field("insights", row.generation, "trials", std::to_string(row.trials), std::to_string(got.trials));
    rows.field("insights", row.generation, "effects", text_of(row.effects), text_of(got.effects));
    rows.field("insights", row.generation, "failures", text_of(row.failures), text_of(got.failures));
  }
  if (ended == events.end()) return;
  const auto number = static_cast<std::int64_t>(ended - events.begin()) + 1;
  rows.field("events", number, "trial", std::to_string(ended->trial), std::to_string(trials.size()));
  const auto lineage = ended->details.find("lineage_sha256");
  rows.field("events", number, "lineage_sha256", lineage == ended->details.end() ? "none" : lineage->second,
             lineage_sha256(trials));
}

}  // namespace evo::engine
