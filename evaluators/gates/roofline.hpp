// Faster than physics: a latency below what moving the problem's bytes and doing its arithmetic takes on the
// device is a fault of the measurement or of the kernel, never a result.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "evaluators/gates/evidence.hpp"
#include "model/measurement.hpp"
#include "model/target.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// A lower bound of one launch, in microseconds, and what it was reckoned from.
struct RooflineFloor {
  double microseconds = 0;  ///< the larger of the two below
  double memory_us =
      0;  ///< bytes that no cache can have held, over the DRAM's rate; all bytes, over twice the L2's
  /// Flops over the tensor cores' dense FP16 rate at the boost clock; 0 where the profile names no rate.
  double compute_us = 0;
  double dram_bytes = 0;  ///< the case's bytes, less half of the L2: at least two sets of buffers rotate
  double peak_tflops = 0;
};

[[nodiscard]] RooflineFloor roofline_floor(const model::TargetProfile& device, const model::Case& bound);

/// The one of `known` whose device names has `device_name`, the device's own ("NVIDIA H100 80GB HBM3" ->
/// h100); nullptr when none has.
[[nodiscard]] const model::TargetProfile* profile_of_device(const std::vector<model::TargetProfile>& known,
                                                            std::string_view device_name);

/// quarantined / "faster_than_physics" with the reckoning, if `latency` is below 0.9 times the floor.
[[nodiscard]] std::optional<model::Failure> check_roofline(const model::TargetProfile& device,
                                                           const model::Case& bound,
                                                           const model::Latency& latency);

}  // namespace evo::evaluators::gates
