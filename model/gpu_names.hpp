// What `device:` and --device say of GPUs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace evo::model {

/// What `device:` and --device call the GPUs of a farm's workers, which a run alone can have
/// (session/farm_gpu.hpp).
inline constexpr std::string_view device_of_farm = "farm";

/// {0, 2} of "cuda:0,2"; {} of "cuda:all". Nullopt: no GPUs' name, or one GPU twice.
[[nodiscard]] std::optional<std::vector<int>> gpus_named(std::string_view text);

}  // namespace evo::model
