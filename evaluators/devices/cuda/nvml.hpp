// The parts of NVIDIA's management library that say under which conditions a number was measured. Optional: a
// machine without libnvidia-ml.so.1 measures without them. Reads only; nothing here changes a setting.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace evo::evaluators::cuda {

class Nvml {
 public:
  /// Null if the library is absent or does not answer.
  [[nodiscard]] static std::unique_ptr<Nvml> open(const char* library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// "580.159.04"; empty if it cannot be read.
  [[nodiscard]] std::string driver_version() const;

  struct Clocks {
    unsigned sm_mhz = 0;
    unsigned memory_mhz = 0;
    std::string throttle;         ///< why clocks are held down, e.g. "power cap"; empty when they are not
    bool tells_throttle = false;  ///< false: this device, or driver, does not say
  };
  /// `uuid` as DeviceInfo has it ("GPU-...").
  [[nodiscard]] std::optional<Clocks> clocks(const std::string& uuid) const;

  /// nullopt where the device, or this version of the library, does not tell.
  struct Conditions {
    std::optional<unsigned> temperature_c;
    std::optional<double> power_w;
  };
  [[nodiscard]] Conditions conditions(const std::string& uuid) const;

  /// Bytes of the device's memory that nobody has taken; nullopt where that is not told.
  [[nodiscard]] std::optional<std::uint64_t> free_bytes(const std::string& uuid) const;

  /// Processes that compute on the device, this one among them once it has a context there; nullopt where
  /// that is not told.
  [[nodiscard]] std::optional<unsigned> computing_processes(const std::string& uuid) const;
  /// Their ids, in the name space that the driver knows; nullopt where they are not told.
  [[nodiscard]] std::optional<std::vector<unsigned>> computing_ids(const std::string& uuid) const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

/// The words for a mask of nvmlClocksEventReasons, without "idle" and "application clocks", which slow
/// nothing.
[[nodiscard]] std::string throttle_words(unsigned long long reasons);

}  // namespace evo::evaluators::cuda
