// RUN/profiles/: the counters of a run's variants, a file each.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/counters.hpp"

namespace evo::session {

/// What is known of one variant's launches.
struct StoredProfile {
  std::string variant, template_name;
  std::optional<model::CounterReading> measured, modelled;
};

[[nodiscard]] std::filesystem::path profile_file(const std::filesystem::path& run,
                                                 const std::string& variant);
/// Whole after a crash at any instant: the old file or the new one. What `profile` lacks is kept of the file
/// that is there. Throws model::Exception(environment) where it cannot be written.
void store_profile(const std::filesystem::path& run, StoredProfile profile);

/// nullopt without a file; one that cannot be read is told in `problem`, a sentence.
[[nodiscard]] std::optional<StoredProfile> read_profile(const std::filesystem::path& run,
                                                        const std::string& variant, std::string& problem);

}  // namespace evo::session
