// Values of genes against a champion's and against trials: what claims are made of and tested with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/trial.hpp"
#include "session/insight_claims.hpp"

namespace evo::session {

[[nodiscard]] bool has_value(const model::Environment& values, const std::string& gene,
                             const model::Value& value);
/// Whether the champion has all of these genes, at whatever values.
[[nodiscard]] bool has_genes(const engine::TrialRecord& champion, const model::Environment& values);
/// Whether the trial is of the champion's template and has all of these values.
[[nodiscard]] bool matches(const engine::TrialRecord& trial, const engine::TrialRecord& champion,
                           const model::Environment& values);

/// The text that make_check leaves of a flip that failed.
[[nodiscard]] std::string end_of(model::Status status, const std::string& reason);

/// The rule without one gene's value, as changes of the champion.
[[nodiscard]] std::optional<model::Environment> without(const Claim& claim, const std::string& gene,
                                                        const engine::TrialRecord& champion,
                                                        std::span<const engine::TrialRecord> trials);

/// The comparison with these changes; null: it was not made.
[[nodiscard]] const InsightCheck* find_made(const std::vector<InsightCheck>& made,
                                            const model::Environment& to);

}  // namespace evo::session
