// `--set key=value`: single keys over what a file says.
#pragma once

#include "config/loader.hpp"
#include "config/yaml_reader.hpp"

namespace evo::config {

/// Changes the loaded tree itself: a copy of it would lose the positions of its nodes. Throws Invalid.
[[nodiscard]] Reader with_overrides(const Reader& root, const Overrides& overrides);

}  // namespace evo::config
