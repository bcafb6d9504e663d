// Tensor maps of the bulk copies (TMA) as kernel parameters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/devices/cuda/driver_api.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::cuda {

/// The parameter's 128 bytes for a view of the array at `base`; zeros if the map is not encodable or the
/// address is no multiple of 16. Elements outside of the array read as zeros. The error names the map and the
/// driver's reason.
[[nodiscard]] tl::expected<std::vector<std::byte>, std::string> encode_tensor_map(
    const DriverApi& driver, const model::TensorMapPlan& map, CUdeviceptr base);

}  // namespace evo::evaluators::cuda
