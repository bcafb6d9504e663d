// Counters of a GPU: the launches are made by a process of their own, which CUPTI counts from inside, or ncu
// from outside.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "evaluators/gates/profiler.hpp"

namespace evo::evaluators::profile {

struct LaunchedSettings {
  /// A program that takes the name of a file with the job as its last argument, launches every case,
  /// and says "launched NAME" after each; with {"--counters", "cupti", "--launches", "N"} before the file it
  /// counts launches and prints them. See worker/counted_launches.hpp.
  std::vector<std::string> launcher;
  std::string device;  ///< as DeviceInfo names it
  std::chrono::milliseconds timeout{std::chrono::minutes(5)};
  std::stop_token stop{};
  bool try_cupti = true, try_ncu = true;
  /// Beside the counters: where the warps wait, by source line. The launcher is asked for {"--counters",
  /// "samples"}.
  bool sample_lines = false;
  /// How many launches are counted, each alone, of which the median counts; 0: model::launches_to_count().
  int launches = 0;
};

/// The program that $EVO_NCU names, or ncu in $CUDA_HOME, /usr/local/cuda or on the path.
[[nodiscard]] std::optional<std::filesystem::path> find_ncu();

class LaunchedProfiler final : public gates::Profiler {
 public:
  explicit LaunchedProfiler(LaunchedSettings settings) : settings_(std::move(settings)) {}
  [[nodiscard]] model::CounterBasis basis() const override { return model::CounterBasis::measured; }
  /// CUPTI first, then ncu.
  [[nodiscard]] gates::Profiled profile(const gates::DeviceJob& job) override;

 private:
  LaunchedSettings settings_;
};

}  // namespace evo::evaluators::profile
