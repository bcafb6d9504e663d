// Screening as values: which proposal of a slot's pool goes to the device, and what the ledger keeps of the
// others. Modelled latencies stand in the event alone; no trial has one beside a measured one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/strategy.hpp"
#include "engine/trial.hpp"

namespace evo::engine {

namespace event_kinds {
/// trial = the proposal that went to the device; details: choice, variant, model, candidates (JSON).
inline constexpr const char* screened = "screened";
}  // namespace event_kinds

/// A proposal of a pool and what is known of it before a device sees it. Nothing is where the first of its
/// pool could not be modelled: then the others were not looked at.
struct ScreenedCandidate {
  std::string variant;
  std::string template_name;
  model::Genome genome;
  std::string operator_name;
  std::optional<double> modelled_us;
  std::string failed{};        ///< it did not come so far: "over_budget (spills)"
  std::string not_modelled{};  ///< the model knows no such kernel: why
};

/// Why a candidate went to the device.
enum class ScreenChoice : std::uint8_t {
  best,          ///< the model's fastest of several
  explored,      ///< drawn from those that the model would have left out
  alone,         ///< no other proposal of its pool was one that the model could rank
  rested,        ///< the model has not ranked this template's variants so far, so that no others were drawn
  not_modelled,  ///< the model knows no such kernel, so that it says nothing against it
  failed,        ///< all failed before the device: the first, as data
};
/// "best", "explored", "alone", "rested", "not_modelled", "failed".
[[nodiscard]] std::string_view name_of(ScreenChoice choice);

struct Chosen {
  std::size_t position = 0;  ///< in the pool
  ScreenChoice choice = ScreenChoice::alone;
};

/// Which of `pool` (not empty, in the order in which they were drawn) goes to the device. The draws follow
/// from the search's seed and the slot. A first candidate that cannot be modelled goes: without screening it
/// would have gone, and the model says nothing against it.
[[nodiscard]] Chosen choose(std::span<const ScreenedCandidate> pool, const model::SearchSettings& settings,
                            const SlotId& slot);

/// What a `screened` event says.
struct ScreenedSlot {
  std::int64_t trial = 0;
  std::string model;  ///< evaluators::LatencyModel::name
  Chosen chosen;
  double model_cpu_ms = 0;              ///< of the model, for the whole pool; clock time
  double prepare_ms = 0;                ///< of legality, compile and resources, in sum; clock time
  std::vector<ScreenedCandidate> pool;  ///< in the order in which they were drawn
};
[[nodiscard]] EventRecord event_of(const ScreenedSlot& slot);
/// The details that are the same whenever the choice is made again.
[[nodiscard]] std::map<std::string, std::string> without_clock(std::map<std::string, std::string> details);
/// nullopt for an event of another kind, or one that cannot be read.
[[nodiscard]] std::optional<ScreenedSlot> screened_slot(const EventRecord& event);

class Proposer;
/// Tells `proposer` what an earlier session drew for the trials from `first` on, and what the model said of
/// all of `trials` that it looked at.
void remember_pools(Proposer& proposer, std::span<const EventRecord> events,
                    std::span<const TrialRecord> trials, std::int64_t first);

/// Throws model::Exception(environment) where the run's candidates were screened by another model than
/// `model`: what it left out would not be left out now.
void check_screening_model(std::span<const EventRecord> events, const std::string& model);

}  // namespace evo::engine
