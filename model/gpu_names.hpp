// What `device:` and --device say of GPUs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace evo::model {

/// {0, 2} of "cuda:0,2"; {} of "cuda:all". Nullopt: no GPUs' name, or one GPU twice.
[[nodiscard]] std::optional<std::vector<int>> gpus_named(std::string_view text);

}  // namespace evo::model
