// What a device can do at most, and how much of it a kernel uses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/problem.hpp"
#include "model/target.hpp"

namespace evo::session {

/// "dram", "l2", "shared": bytes a second; "fp32", "tensor_fp16": operations a second, 2 a fused
/// multiply-add.
struct Ceiling {
  std::string name;
  double rate = 0;
  std::string how;  ///< the kernel that reached it, or where the figure is from
  [[nodiscard]] bool is_memory() const { return name == "dram" || name == "l2" || name == "shared"; }
};

struct Ceilings {
  std::string kind;  ///< "measured" or "target_data"
  std::string of;    ///< the device's name, or the target's
  std::vector<Ceiling> rates;
  /// Name and reason of those that are not known.
  std::vector<std::pair<std::string, std::string>> missing{};
  bool from_cache = false;      ///< measured in an earlier call
  std::string measured_at{};    ///< UTC; empty for a target's data
  std::string cache_problem{};  ///< why the measurement could not be stored; empty: it could

  /// 0 where it is not known.
  [[nodiscard]] double rate(std::string_view name) const;
};

/// The figures of targets/*.yaml, and the model's rates of an SM for what they leave out.
[[nodiscard]] Ceilings ceilings_of(const model::TargetProfile& target);

/// Which arithmetic a problem is held against: "tensor_fp16" where a tensor that is given or judged has
/// 16-bit floats, "fp32" where floats have 32 bits; "" where evo knows no ceiling (fp64, 8-bit floats,
/// integers).
[[nodiscard]] std::string arithmetic_of(const model::Problem& problem);

/// Where one measurement stands below the roof over it.
struct RoofShare {
  std::string bound;     ///< the lowest roof at this intensity: "dram", "l2", "fp32" or "tensor_fp16"
  double limit_us = 0;   ///< what the work takes at that ceiling
  double share = 0;      ///< limit_us / latency: 1 is the roof
  double intensity = 0;  ///< flops a byte; 0 without flops
};

/// `flops` and `bytes` by the problem's work model, 0: not known. `memory` is the roof that bytes have to
/// pass
/// ("dram" or "l2"). nullopt where neither is known.
[[nodiscard]] std::optional<RoofShare> share_of_roof(const Ceilings& ceilings, std::string_view memory,
                                                     std::string_view arithmetic, double flops, double bytes,
                                                     double latency_us);

}  // namespace evo::session
