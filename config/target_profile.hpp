// One target as a map of keys, which stand in target_keys() with their units and bounds.
#pragma once

#include <string>
#include <string_view>

#include "config/yaml_reader.hpp"
#include "model/target.hpp"

namespace evo::config {

/// Throws Invalid for a key that is unknown, missing, of another type or out of bounds, and for figures that
/// do not go together.
[[nodiscard]] model::TargetProfile read_profile(const Reader& reader);

/// A map that read_profile() reads back to the same target.
void write_profile(YAML::Emitter& out, const model::TargetProfile& target);

/// The same as text.
[[nodiscard]] std::string profile_text(const model::TargetProfile& target);

/// What profile_text() wrote, here or in another process.
[[nodiscard]] model::Expected<model::TargetProfile> profile_from_text(const std::string& text);

/// Does it look like an architecture of NVRTC: sm_89, sm_90a?
[[nodiscard]] bool is_architecture(std::string_view word);

}  // namespace evo::config
