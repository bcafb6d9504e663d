#include "bench/search/replay.hpp"

#include <algorithm>
#include <ctime>

#include "engine/proposer.hpp"
#include "engine/screen.hpp"
#include "engine/verdicts.hpp"
#include "model/archive.hpp"

namespace evo::bench {
namespace {

/// CPU time of this thread: a busy machine makes no strategy slower.
double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// What goes to the device of a slot's pool.
engine::Proposal screened(engine::Proposer& proposer, engine::Drawn drawn,
                          const model::SearchSettings& settings, const engine::SlotId& slot,
                          const ScreenModel& model) {
  std::vector<engine::ScreenedCandidate> pool;
  for (const engine::Proposal& one : drawn.pool) {
    engine::ScreenedCandidate candidate;
    candidate.modelled_us = model.latency(one.template_name, one.genome);
    pool.push_back(std::move(candidate));
  }
  if (!drawn.screened) return std::move(drawn.pool.front());
  const std::size_t chosen = engine::choose(pool, settings, slot).position;
  proposer.note_modelled(slot.index, *pool[chosen].modelled_us);
  return std::move(drawn.pool[chosen]);
}

}  // namespace

Replayed replay(const Landscape& landscape, const model::SearchSettings& settings, std::int64_t trials,
                const ScreenModel* model) {
  engine::Proposer proposer(settings, landscape.space);
  std::vector<engine::TrialRecord> records;
  Replayed result;
  result.of_template.resize(landscape.space.templates.size());
  std::optional<std::size_t> champion;
  for (std::int64_t index = 0; index < trials; ++index) {
    const double before = milliseconds();
    const bool screens = model != nullptr && settings.screen.on();
    const engine::Proposal proposal =
        screens ? screened(proposer, proposer.draw(index, records), settings, proposer.slot(index), *model)
                : proposer.ask(index, records);
    const double ms = milliseconds() - before;
    result.slowest_ask_ms = std::max(result.slowest_ask_ms, ms);
    result.mean_ask_ms += ms / static_cast<double>(trials);

    const auto* entry = landscape.space.find(proposal.template_name);
    ++result.of_template[static_cast<std::size_t>(entry - landscape.space.templates.data())];
    model::Variant variant;
    variant.id = engine::genome_key(proposal.template_name, proposal.genome);
    engine::TrialRecord trial = engine::trial_of(proposal, proposer.slot(index), variant);
    if (const auto same = proposer.note(index, proposal.template_name, proposal.genome)) {
      engine::record_duplicate(trial, records[static_cast<std::size_t>(*same)], "same_genome");
    } else if (const auto latency = landscape.latency(proposal.template_name, proposal.genome)) {
      trial.latencies = {
          {"recorded", 1, {model::LatencyKind::recorded, *latency, std::nullopt, 1, "recorded"}}};
      if (landscape.behaviour && !settings.archive.empty()) {
        model::Evidence did{std::string(model::behaviour_kind), "made up", {}, 0, {}};
        did.details = landscape.behaviour(proposal.template_name, proposal.genome);
        trial.evidence.push_back(std::move(did));
      }
      trial.status =
          !champion || *latency < result.best.back() ? model::Status::better : model::Status::correct_slower;
      if (trial.status == model::Status::better) champion = records.size();
    } else {
      trial.status = model::Status::wrong;
      trial.gate = model::Gate::correctness;
      trial.reason = "recorded_failure";
    }
    const bool improved = champion && *champion == records.size();
    const double so_far = result.best.empty() ? 0 : result.best.back();
    result.best.push_back(improved ? trial.latencies.front().latency.microseconds : so_far);
    records.push_back(std::move(trial));
  }
  return result;
}

}  // namespace evo::bench
