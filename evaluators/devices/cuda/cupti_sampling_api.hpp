// The parts of CUPTI that sample where a kernel's warps wait, and tell the source line of a place in machine
// code. As in cupti_api.hpp the declarations follow the documented ABI, and a test holds them against the
// toolkit's headers.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace evo::evaluators::cuda::cupti {

inline constexpr std::size_t stall_name_bytes = 128;
inline constexpr int buffer_full = 8;  ///< CUPTI_ERROR_OUT_OF_MEMORY: of the hardware's buffer

/// Of enabling, disabling, starting and stopping.
struct OnContext {
  std::size_t size = sizeof(OnContext);
  void* priv = nullptr;
  CUcontext context = nullptr;
};
struct StallReasonCount {
  std::size_t size = sizeof(StallReasonCount);
  void* priv = nullptr;
  CUcontext context = nullptr;
  std::size_t* count = nullptr;
};
struct StallReasons {
  std::size_t size = sizeof(StallReasons);
  void* priv = nullptr;
  CUcontext context = nullptr;
  std::size_t count = 0;
  std::uint32_t* indices = nullptr;
  char** names = nullptr;  ///< each has room for stall_name_bytes
};

enum class SamplingAttribute : std::int32_t {
  period = 1,  ///< 2 to this power, in cycles
  stall_reasons = 2,
  scratch_bytes = 3,
  hardware_bytes = 4,
  mode = 5,
  start_and_stop = 6,
  format = 7,
  buffer = 8,
  wakes_ms = 9,  ///< how often CUPTI's own threads look
};
inline constexpr std::uint32_t continuous_mode = 1, parsed_format = 1;
struct StallSelection {
  std::size_t count;
  std::uint32_t* indices;
};
struct SamplingSetting {
  SamplingAttribute attribute = SamplingAttribute::period;
  std::int32_t status = 0;  ///< out
  union {
    std::uint64_t room[3] = {};
    std::uint32_t number;
    std::size_t bytes;
    StallSelection stalls;
    void* buffer;
  };
};
struct SamplingSettings {
  std::size_t size = sizeof(SamplingSettings);
  void* priv = nullptr;
  CUcontext context = nullptr;
  std::size_t count = 0;
  SamplingSetting* settings = nullptr;
};

struct StallSamples {
  std::uint32_t reason = 0, samples = 0;
};
/// What was found at one instruction.
struct PcSamples {
  std::size_t size = sizeof(PcSamples);
  std::uint64_t cubin_crc = 0;
  std::uint64_t offset = 0;  ///< bytes into the function
  std::uint32_t function_index = 0, pad = 0;
  char* function = nullptr;  ///< of malloc; several may share it
  std::size_t stall_count = 0;
  StallSamples* stalls = nullptr;  ///< room for as many as there are reasons
  std::uint32_t correlation = 0;
};
struct SamplingData {
  std::size_t size = sizeof(SamplingData);
  std::size_t room = 0;  ///< of `pcs`
  std::uint64_t all_samples = 0;
  std::uint64_t dropped = 0;
  std::size_t pcs_here = 0, pcs_left = 0;
  std::uint64_t range = 0;
  PcSamples* pcs = nullptr;
  std::uint64_t samples_of_others = 0;
  std::uint8_t hardware_buffer_full = 0;
};
struct GetSamples {
  std::size_t size = sizeof(GetSamples);
  void* priv = nullptr;
  CUcontext context = nullptr;
  SamplingData* data = nullptr;
};
struct SourceOfSass {
  std::size_t size = sizeof(SourceOfSass);
  const void* cubin = nullptr;
  const char* function = nullptr;
  std::size_t cubin_bytes = 0;
  std::uint32_t line = 0;  ///< out
  std::uint64_t offset = 0;
  char* file = nullptr;  ///< out, of malloc
  char* folder = nullptr;
};
struct CubinCrc {
  std::size_t size = sizeof(CubinCrc);
  std::size_t cubin_bytes = 0;
  const void* cubin = nullptr;
  std::uint64_t crc = 0;  ///< out
};

// Member, parameter, symbol.
#define EVO_CUPTI_SAMPLING_FUNCTIONS(X)                                         \
  X(sampling_enable, OnContext, "cuptiPCSamplingEnable")                        \
  X(sampling_disable, OnContext, "cuptiPCSamplingDisable")                      \
  X(sampling_start, OnContext, "cuptiPCSamplingStart")                          \
  X(sampling_stop, OnContext, "cuptiPCSamplingStop")                            \
  X(stall_reason_count, StallReasonCount, "cuptiPCSamplingGetNumStallReasons")  \
  X(stall_reasons, StallReasons, "cuptiPCSamplingGetStallReasons")              \
  X(sampling_set, SamplingSettings, "cuptiPCSamplingSetConfigurationAttribute") \
  X(sampling_data, GetSamples, "cuptiPCSamplingGetData")                        \
  X(source_of_sass, SourceOfSass, "cuptiGetSassToSourceCorrelation")            \
  X(cubin_crc, CubinCrc, "cuptiGetCubinCrc")

}  // namespace evo::evaluators::cuda::cupti
