// Stall samples of launches by place in the machine code, by CUPTI's PC sampling.
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/devices/cuda/cupti_api.hpp"
#include "evaluators/devices/cuda/launch_samples.hpp"

namespace evo::evaluators::cuda {

struct PcSamplerSettings {
  /// A launch of 10 us has 1.7e4 cycles: some 60 samples of each scheduler.
  std::uint32_t log2_period = 8;
  /// Of a kernel with 200 busy instructions, a line's share of 1 % is then known within a twentieth.
  std::uint64_t enough = 100'000;
  int most_rounds = 20, repetitions_a_round = 5;
  std::chrono::milliseconds longest{5000};
  std::size_t pcs_at_a_time = 4096;
};

/// Of one context, which outlives it. The cubin is kept.
class PcSampler final : public LaunchSampler {
 public:
  /// `kernels`: of the cubin, that are launched.
  [[nodiscard]] static tl::expected<std::unique_ptr<PcSampler>, NoCounters> open(
      cupti::ApiPointer api, CUcontext context, std::string cubin, std::set<std::string> kernels,
      PcSamplerSettings settings = {});
  ~PcSampler() override;
  PcSampler(const PcSampler&) = delete;
  PcSampler& operator=(const PcSampler&) = delete;

  [[nodiscard]] tl::expected<LaunchSamples, NoCounters> sample(const std::function<bool()>& work) override;

 private:
  using Place = std::pair<std::string, std::uint64_t>;
  /// Room for what CUPTI tells of so many instructions.
  struct Buffer {
    void resize(std::size_t pcs, std::size_t reasons);
    std::vector<cupti::PcSamples> pcs;
    std::vector<cupti::StallSamples> stalls;
    cupti::SamplingData data;
  };

  PcSampler(cupti::ApiPointer api, CUcontext context, std::string cubin, PcSamplerSettings settings);
  [[nodiscard]] tl::expected<void, NoCounters> set_up();
  [[nodiscard]] tl::expected<void, NoCounters> name_reasons();
  [[nodiscard]] tl::expected<void, NoCounters> configure();
  [[nodiscard]] tl::expected<void, NoCounters> drain(std::map<Place, SampledPlace>& places,
                                                     LaunchSamples& found);
  void add(const cupti::PcSamples& pc, std::map<Place, SampledPlace>& places);
  void find_line(SampledPlace& place) const;
  [[nodiscard]] NoCounters refused(cupti::Result result, const char* call) const;

  cupti::ApiPointer api_;
  CUcontext context_;
  std::string cubin_;
  std::set<std::string> kernels_;
  PcSamplerSettings settings_;
  std::uint64_t crc_ = 0;
  std::map<std::uint32_t, std::string> reasons_;  ///< those that are kept
  std::vector<std::uint32_t> indices_;            ///< of all
  Buffer at_the_end_, now_;  ///< what CUPTI fills when it is disabled, and when it is asked
  bool enabled_ = false;
};

}  // namespace evo::evaluators::cuda
