// Hardware counters of launches, by CUPTI's range profiler.
#pragma once

#include <cuda.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/devices/cuda/cupti_api.hpp"
#include "evaluators/devices/cuda/launch_counters.hpp"

namespace evo::evaluators::cuda {

/// Of one context, which outlives it.
class RangeProfiler final : public LaunchCounters {
 public:
  /// `metrics` that the chip does not have are left out: metrics() tells which are counted.
  [[nodiscard]] static tl::expected<std::unique_ptr<RangeProfiler>, NoCounters> open(
      cupti::ApiPointer api, CUcontext context, int ordinal, const std::vector<std::string>& metrics);
  ~RangeProfiler() override;
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  [[nodiscard]] const std::vector<std::string>& metrics() const override { return metrics_; }
  [[nodiscard]] const std::string& chip() const { return chip_; }

  [[nodiscard]] tl::expected<std::vector<std::vector<double>>, NoCounters> count(
      std::size_t kernels, const std::function<bool()>& work) override;

 private:
  RangeProfiler(cupti::ApiPointer api, CUcontext context) : api_(std::move(api)), context_(context) {}
  [[nodiscard]] tl::expected<void, NoCounters> set_up(int ordinal, const std::vector<std::string>& metrics);
  [[nodiscard]] tl::expected<void, NoCounters> add_metrics(const std::vector<std::string>& metrics);
  [[nodiscard]] NoCounters refused(cupti::Result result, const char* call) const;
  [[nodiscard]] std::vector<const char*> names() const;

  cupti::ApiPointer api_;
  CUcontext context_;
  std::string chip_;
  std::vector<std::string> metrics_;
  std::vector<std::uint8_t> availability_, config_;
  cupti::HostObject* host_ = nullptr;
  cupti::RangeObject* ranges_ = nullptr;
  bool initialized_ = false;
};

}  // namespace evo::evaluators::cuda
