#include "engine/screening.hpp"

#include <utility>

#include <fmt/format.h>

namespace evo::engine {

// Behind `variants` all is guarded by mutex_; the rest is constant once it is submitted.
struct Screening::Slot {
  SlotId id;
  Drawn drawn;
  std::vector<model::Variant> variants;
  std::vector<ScreenedCandidate> candidates;
  std::vector<std::shared_ptr<const evaluators::Prepared>> prepared;
  std::size_t left = 0;  // candidates that are not known yet
  double model_cpu_ms = 0, prepare_ms = 0;
};

Screening::Screening(evaluators::Evaluator& evaluator, evaluators::LatencyModel& model,
                     const SearchSpace& space, const model::SearchSettings& settings, int threads)
    : evaluator_(evaluator), model_(model), space_(space), settings_(settings), pool_(threads) {}

Screening::~Screening() {
  stop();
}

void Screening::submit(const SlotId& id, Drawn drawn) {
  auto slot = std::make_unique<Slot>();
  slot->id = id;
  for (const Proposal& proposal : drawn.pool) {
    const SearchTemplate& entry = *space_.find(proposal.template_name);
    slot->variants.push_back(model::make_variant(entry.kernel_template, entry.space, proposal.genome));
    ScreenedCandidate candidate;
    candidate.variant = slot->variants.back().id;
    candidate.template_name = proposal.template_name;
    candidate.genome = proposal.genome;
    candidate.operator_name = proposal.operator_name;
    slot->candidates.push_back(std::move(candidate));
  }
  slot->prepared.resize(drawn.pool.size());
  slot->left = drawn.screened ? drawn.pool.size() : 0;
  slot->drawn = std::move(drawn);
  Slot& placed = *slots_.emplace(id.index, std::move(slot)).first->second;
  // The first alone: where the model knows no such kernel, the others are not needed.
  if (placed.drawn.screened) post(placed, 0);
}

void Screening::post(Slot& slot, std::size_t position) {
  constexpr std::int64_t most_members = 64;
  pool_.submit(slot.id.index * most_members + static_cast<std::int64_t>(position),
               [this, &slot, position] { look_at(slot, position); });
}

void Screening::look_at(Slot& slot, std::size_t position) {
  std::shared_ptr<const evaluators::Prepared> prepared;
  evaluators::Modelled modelled;
  std::exception_ptr failure;
  try {
    prepared = std::make_shared<const evaluators::Prepared>(evaluator_.prepare(slot.variants[position]));
    if (!prepared->failed()) modelled = model_.latency_of(*prepared);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (failure && !failure_) failure_ = failure;
  ScreenedCandidate& candidate = slot.candidates[position];
  if (prepared && prepared->failed()) {
    const model::Failure& why = *prepared->gates.back().failure;
    candidate.failed = fmt::format("{} ({})", model::name_of(why.status), why.reason);
  } else {
    candidate.modelled_us = modelled.microseconds;
    candidate.failed = std::move(modelled.failed);
    if (!candidate.modelled_us && candidate.failed.empty()) candidate.not_modelled = modelled.why;
  }
  slot.model_cpu_ms += 1000 * modelled.cpu_seconds;
  if (prepared)
    for (const model::GateResult& gate : prepared->gates) slot.prepare_ms += gate.milliseconds;
  slot.prepared[position] = std::move(prepared);
  --slot.left;
  if (position == 0 && !candidate.not_modelled.empty()) {
    // The others are not looked at.
    slot.left = 0;
  } else if (position == 0 && !failure && !draining_) {
    for (std::size_t i = 1; i < slot.variants.size(); ++i) post(slot, i);
  }
  changed_.notify_all();
}

void Screening::stop() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  pool_.drain();
}

Screened Screening::judge(Slot& slot) const {
  Screened result;
  result.index = slot.id.index;
  std::size_t position = 0;
  if (slot.drawn.screened) {
    ScreenedSlot judged{slot.id.index,     model_.name(),   choose(slot.candidates, settings_, slot.id),
                        slot.model_cpu_ms, slot.prepare_ms, slot.candidates};
    if (slot.drawn.rests && judged.chosen.choice == ScreenChoice::alone)
      judged.chosen.choice = ScreenChoice::rested;
    position = judged.chosen.position;
    result.modelled_us = slot.candidates[position].modelled_us;
    result.event = event_of(judged);
  }
  result.proposal = std::move(slot.drawn.pool[position]);
  result.variant = std::move(slot.variants[position]);
  result.prepared = std::move(slot.prepared[position]);
  return result;
}

std::optional<Screened> Screening::next(std::chrono::milliseconds timeout) {
  if (slots_.empty()) return std::nullopt;
  Slot& slot = *slots_.begin()->second;
  std::unique_lock lock(mutex_);
  const bool known = changed_.wait_for(lock, timeout, [&] { return failure_ || slot.left == 0; });
  if (failure_) {
    lock.unlock();
    stop();
    std::rethrow_exception(failure_);
  }
  if (!known) return std::nullopt;
  lock.unlock();
  Screened result = judge(slot);
  slots_.erase(slots_.begin());
  return result;
}

void Screening::drain() {
  stop();
  slots_.clear();
}

}  // namespace evo::engine
