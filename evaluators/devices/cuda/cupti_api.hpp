// The parts of CUPTI that the range profiler and the sampler need, as a table of function pointers that is
// filled at run time. The declarations follow CUPTI's documented ABI, in which every structure names its own
// size: so evo builds where no CUPTI is. A test holds them against the toolkit's headers where those are;
// another fills the table with functions of its own.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "evaluators/devices/cuda/cupti_sampling_api.hpp"

namespace evo::evaluators::cuda::cupti {

using Result = int;
inline constexpr Result success = 0;
inline constexpr Result not_permitted = 35;           ///< CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
inline constexpr Result not_permitted_in_guest = 40;  ///< CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_...

struct HostObject;
struct RangeObject;

struct Initialize {
  std::size_t size = sizeof(Initialize);
  void* priv = nullptr;
};
struct ChipName {
  std::size_t size = sizeof(ChipName);
  void* priv = nullptr;
  std::size_t device = 0;
  const char* chip = nullptr;  ///< out
};
struct CounterAvailability {
  std::size_t size = sizeof(CounterAvailability);
  void* priv = nullptr;
  CUcontext context = nullptr;
  std::size_t image_bytes = 0;    ///< in and out
  std::uint8_t* image = nullptr;  ///< null: only the size is told
};
struct HostInitialize {
  std::size_t size = sizeof(HostInitialize);
  void* priv = nullptr;
  int profiler = 0;  ///< 0: the range profiler
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  HostObject* host = nullptr;  ///< out
};
struct HostDeinitialize {
  std::size_t size = sizeof(HostDeinitialize);
  void* priv = nullptr;
  HostObject* host = nullptr;
};
struct MetricProperties {
  std::size_t size = offsetof(MetricProperties, metric_type) + sizeof(int);
  void* priv = nullptr;
  HostObject* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;  ///< out, like all that follow
  const char* unit = nullptr;
  const char* dimension = nullptr;
  int metric_type = 0;
};
struct AddMetrics {
  std::size_t size = sizeof(AddMetrics);
  void* priv = nullptr;
  HostObject* host = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
};
struct ConfigImageSize {
  std::size_t size = sizeof(ConfigImageSize);
  void* priv = nullptr;
  HostObject* host = nullptr;
  std::size_t bytes = 0;  ///< out
};
struct ConfigImage {
  std::size_t size = sizeof(ConfigImage);
  void* priv = nullptr;
  HostObject* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct Evaluate {
  std::size_t size = sizeof(Evaluate);
  void* priv = nullptr;
  HostObject* host = nullptr;
  const std::uint8_t* counter_data = nullptr;
  std::size_t counter_data_bytes = 0;
  std::size_t range = 0;
  const char** metrics = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};
struct Enable {
  std::size_t size = sizeof(Enable);
  void* priv = nullptr;
  CUcontext context = nullptr;
  RangeObject* ranges = nullptr;  ///< out
};
/// Of Disable, Start and DecodeData; `out` is the last one's count of ranges that were dropped.
struct OnRanges {
  std::size_t size = offsetof(OnRanges, out);
  void* priv = nullptr;
  RangeObject* ranges = nullptr;
  std::size_t out = 0;
};
struct Stop {
  std::size_t size = offsetof(Stop, all_submitted) + sizeof(std::uint8_t);
  void* priv = nullptr;
  RangeObject* ranges = nullptr;
  std::size_t pass = 0, nesting_level = 0;  ///< out
  std::uint8_t all_submitted = 0;           ///< out
};
struct CounterDataSize {
  std::size_t size = sizeof(CounterDataSize);
  void* priv = nullptr;
  RangeObject* ranges = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
  std::size_t most_ranges = 0;
  std::uint32_t most_nodes = 0;
  std::size_t bytes = 0;  ///< out
};
struct InitializeCounterData {
  std::size_t size = sizeof(InitializeCounterData);
  void* priv = nullptr;
  RangeObject* ranges = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* counter_data = nullptr;
};
struct CounterDataInfo {
  std::size_t size = sizeof(CounterDataInfo);
  void* priv = nullptr;
  const std::uint8_t* counter_data = nullptr;
  std::size_t bytes = 0;
  std::size_t ranges = 0;  ///< out
};
struct SetConfig {
  std::size_t size = offsetof(SetConfig, target_nesting_level) + sizeof(std::uint16_t);
  void* priv = nullptr;
  RangeObject* ranges = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t counter_data_bytes = 0;
  std::uint8_t* counter_data = nullptr;
  int range_mode = 0;   ///< 1: a range around each kernel
  int replay_mode = 0;  ///< 3: the launches are made again for each group of counters
  std::size_t most_ranges_a_pass = 0;
  std::uint16_t nesting_levels = 1, lowest_nesting_level = 1;
  std::size_t pass = 0;
  std::uint16_t target_nesting_level = 0;
};
inline constexpr int range_around_each_kernel = 1, user_replay = 3;

// Member, parameter, symbol.
#define EVO_CUPTI_FUNCTIONS(X)                                                                      \
  X(initialize, Initialize, "cuptiProfilerInitialize")                                              \
  X(deinitialize, Initialize, "cuptiProfilerDeInitialize")                                          \
  X(chip_name, ChipName, "cuptiDeviceGetChipName")                                                  \
  X(counter_availability, CounterAvailability, "cuptiProfilerGetCounterAvailability")               \
  X(host_initialize, HostInitialize, "cuptiProfilerHostInitialize")                                 \
  X(host_deinitialize, HostDeinitialize, "cuptiProfilerHostDeinitialize")                           \
  X(metric_properties, MetricProperties, "cuptiProfilerHostGetMetricProperties")                    \
  X(add_metrics, AddMetrics, "cuptiProfilerHostConfigAddMetrics")                                   \
  X(config_image_size, ConfigImageSize, "cuptiProfilerHostGetConfigImageSize")                      \
  X(config_image, ConfigImage, "cuptiProfilerHostGetConfigImage")                                   \
  X(evaluate, Evaluate, "cuptiProfilerHostEvaluateToGpuValues")                                     \
  X(enable, Enable, "cuptiRangeProfilerEnable")                                                     \
  X(disable, OnRanges, "cuptiRangeProfilerDisable")                                                 \
  X(set_config, SetConfig, "cuptiRangeProfilerSetConfig")                                           \
  X(start, OnRanges, "cuptiRangeProfilerStart")                                                     \
  X(stop, Stop, "cuptiRangeProfilerStop")                                                           \
  X(decode, OnRanges, "cuptiRangeProfilerDecodeData")                                               \
  X(counter_data_size, CounterDataSize, "cuptiRangeProfilerGetCounterDataSize")                     \
  X(counter_data_initialize, InitializeCounterData, "cuptiRangeProfilerCounterDataImageInitialize") \
  X(counter_data_info, CounterDataInfo, "cuptiRangeProfilerGetCounterDataInfo")

struct Api {
#define EVO_CUPTI_MEMBER(member, parameter, symbol) Result (*member)(parameter*) = nullptr;
  EVO_CUPTI_FUNCTIONS(EVO_CUPTI_MEMBER)
  EVO_CUPTI_SAMPLING_FUNCTIONS(EVO_CUPTI_MEMBER)  // all or none
#undef EVO_CUPTI_MEMBER
  Result (*result_string)(Result, const char**) = nullptr;  ///< may be missing
  std::shared_ptr<void> library;                            ///< empty for a test's table
  std::string name;                                         ///< of the file that was loaded
  /// The library has what samples where warps wait.
  [[nodiscard]] bool samples() const {
    return sampling_enable != nullptr && cubin_crc != nullptr;
  }
};
using ApiPointer = std::shared_ptr<const Api>;

/// Loads $EVO_CUPTI or, in this order, libcupti.so.13 and .12 by the loader's path, in $CUDA_HOME and in
/// /usr/local/cuda. The error is one sentence: no library, or one without the range profiler (older than CUDA
/// 12.6).
[[nodiscard]] tl::expected<ApiPointer, std::string> load();

/// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", or the number.
[[nodiscard]] std::string describe(const Api& api, Result result);

}  // namespace evo::evaluators::cuda::cupti
