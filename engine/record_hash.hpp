// The hash of a ledger row: over all of its fields and the row before it in its table. Fields are fed in a
// fixed order with their lengths, numbers as decimal text, doubles by their bits.
#pragma once

#include <string>
#include <string_view>

#include "engine/trial.hpp"

namespace evo::engine {

[[nodiscard]] std::string row_hash(std::string_view previous, const TrialRecord& row);
[[nodiscard]] std::string row_hash(std::string_view previous, const GenerationRecord& row);
[[nodiscard]] std::string row_hash(std::string_view previous, const model::Insights& row);
[[nodiscard]] std::string row_hash(std::string_view previous, const EventRecord& row);
[[nodiscard]] std::string row_hash(std::string_view previous, const RunMeta& row);

/// Of raw samples, as floats of 32 bits: TrialRecord::samples_hash. Empty for none.
[[nodiscard]] std::string hash_of(const std::vector<model::SampleSeries>& samples);

}  // namespace evo::engine
