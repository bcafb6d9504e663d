#include "evaluators/gates/roofline.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

namespace evo::evaluators::gates {
namespace {

/// Boost clocks are passed by a few percent on good boards, and rates are rounded in datasheets.
constexpr double margin = 0.9;
/// Microbenchmarks of the L2's rate disagree by less than this.
constexpr double l2_headroom = 2;

double over(double amount, double rate_per_us) {
  return rate_per_us > 0 ? amount / rate_per_us : 0;
}

/// Lower case with one blank for whatever is neither letter nor digit, and one at either end.
std::string model_words(std::string_view text) {
  std::string words = " ";
  for (const char c : text)
    words += std::isalnum(static_cast<unsigned char>(c)) != 0
                 ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                 : ' ';
  return words + " ";
}

}  // namespace

RooflineFloor roofline_floor(const model::TargetProfile& device, const model::Case& bound) {
  RooflineFloor floor;
  floor.dram_bytes = std::max(0.0, bound.bytes - static_cast<double>(device.l2_bytes) / 2);
  const double from_dram = over(floor.dram_bytes, device.dram_gb_per_s * 1e3);  // GB/s = 1e3 bytes a us
  const double from_l2 = over(bound.bytes, l2_headroom * device.l2_gb_per_s * 1e3);
  floor.memory_us = std::max(from_dram, from_l2);
  floor.peak_tflops = device.tensor_flops_per_cycle * device.sm_count * device.clock_ghz / 1e3;
  floor.compute_us = over(bound.flops, floor.peak_tflops * 1e6);
  floor.microseconds = std::max(floor.memory_us, floor.compute_us);
  return floor;
}

const model::TargetProfile* profile_of_device(const std::vector<model::TargetProfile>& known,
                                              std::string_view device_name) {
  const std::string words = model_words(device_name);
  for (const model::TargetProfile& profile : known) {
    for (const std::string& name : profile.device_names) {
      if (words.find(model_words(name)) != std::string::npos) return &profile;
    }
  }
  return nullptr;
}

std::optional<model::Failure> check_roofline(const model::TargetProfile& device, const model::Case& bound,
                                             const model::Latency& latency) {
  const RooflineFloor floor = roofline_floor(device, bound);
  if (latency.microseconds >= margin * floor.microseconds) return std::nullopt;
  return fail(
      model::Status::quarantined, "faster_than_physics",
      fmt::format(
          "{:.3f} us, but {} needs {:.3f} us at least: {:.0f} bytes, of which {:.0f} from DRAM at {:.0f} "
          "GB/s, take {:.3f} us; {:.4g} flops at {:.1f} TFLOP/s take {:.3f} us",
          latency.microseconds, device.name, floor.microseconds, bound.bytes, floor.dram_bytes,
          device.dram_gb_per_s, floor.memory_us, bound.flops, floor.peak_tflops, floor.compute_us),
      {{"case", bound.name},
       {"latency_us", fmt::format("{:.4g}", latency.microseconds)},
       {"floor_us", fmt::format("{:.4g}", floor.microseconds)},
       {"bytes", fmt::format("{:.0f}", bound.bytes)},
       {"flops", fmt::format("{:.0f}", bound.flops)},
       {"profile", device.name}});
}

}  // namespace evo::evaluators::gates
