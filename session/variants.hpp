// Finding a variant of a run by what a person types.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ledger.hpp"
#include "engine/search_space.hpp"
#include "model/variant.hpp"
#include "session/run_folder.hpp"

namespace evo::session {

/// Throws model::Exception(usage) when the folder holds no ledger.
[[nodiscard]] std::unique_ptr<engine::Ledger> open_ledger_for_reading(const RunFolder& folder);

/// The trial of "champion" (final_champion()), "baseline", a variant id or a unique prefix of one (its first
/// trial, or the reduced champion). Throws model::Exception(usage) otherwise, saying what is there. `events`:
/// the run's.
[[nodiscard]] engine::TrialRecord find_variant(const std::vector<engine::TrialRecord>& trials,
                                               const std::string& name,
                                               const std::vector<engine::EventRecord>& events);

/// The last event that says who the champion is, or that nobody is; nullptr in a run that has not come to
/// that.
[[nodiscard]] const engine::EventRecord* champion_event(const std::vector<engine::EventRecord>& events);

/// The variant that was proven as champion when the run ended; nullptr when all that were asked were refused.
/// In a run that has not come to that: the last trial that was better than all before it, or the baseline;
/// nullptr when nothing is proven.
[[nodiscard]] const engine::TrialRecord* find_champion(const std::vector<engine::TrialRecord>& trials,
                                                       const std::vector<engine::EventRecord>& events);

/// The champion of the run: the reduced one where it stands (session/reduction.hpp), which is no trial, else
/// that of find_champion(); nullopt without one.
[[nodiscard]] std::optional<engine::TrialRecord> final_champion(
    const std::vector<engine::TrialRecord>& trials, const std::vector<engine::EventRecord>& events);

/// Of a reduced champion the trial that it was made of, of any other its own: what lineage and replay know.
[[nodiscard]] const std::string& variant_of_trial(const engine::TrialRecord& record);

/// The correct trials that may become champion, in the order in which they are asked: `champion`, then the
/// others by latency; at most `most`.
[[nodiscard]] std::vector<engine::TrialRecord> finalists_of(const std::vector<engine::TrialRecord>& trials,
                                                            const engine::TrialRecord& champion,
                                                            std::size_t most);

/// `variant` and its ancestors, in proposal order; later duplicates of an ancestor are left out.
[[nodiscard]] std::vector<engine::TrialRecord> ancestors(const std::vector<engine::TrialRecord>& trials,
                                                         const std::string& variant);

/// A trial's variant as the run's experiment makes it now.
struct ProvenVariant {
  engine::SearchTemplate entry;
  model::Variant variant;
};

/// Throws model::Exception: usage if the trial was not proven correct (`done`: what is done with proven
/// variants only, "exported"), verification_failed if the kernels' files make another source than the one
/// that was proven.
[[nodiscard]] ProvenVariant proven_variant(const model::Experiment& experiment,
                                           const engine::TrialRecord& trial, std::string_view done);

}  // namespace evo::session
