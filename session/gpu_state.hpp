// Under which conditions a GPU worked while something was timed.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace evo::session {

/// One look at a GPU; what it does not tell is nullopt.
struct GpuReading {
  std::optional<unsigned> sm_mhz, memory_mhz, temperature_c;
  std::optional<double> power_w;
  std::string throttle;  ///< why clocks are held down: "power cap, thermal slowdown"; empty: they are not
  bool tells_throttle = true;  ///< false: nobody says whether they are
};

/// All looks of one measurement: least, median and greatest of each.
struct GpuState {
  std::size_t readings = 0;
  std::optional<std::array<double, 3>> sm_mhz, memory_mhz, temperature_c, power_w;
  std::vector<std::string> throttle;  ///< every reason that was seen, each once
  bool tells_throttle = false;        ///< each look told
};

/// nullopt without readings.
[[nodiscard]] std::optional<GpuState> state_of(const std::vector<GpuReading>& readings);

/// Looks at once, and then every `period` on a thread of its own, until it is asked for what it saw.
class GpuWatch {
 public:
  using Look = std::function<std::optional<GpuReading>()>;
  explicit GpuWatch(Look look, std::chrono::milliseconds period = std::chrono::milliseconds(50));
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;
  /// Looks a last time and ends the thread.
  [[nodiscard]] std::optional<GpuState> stop();

 private:
  void take();

  Look look_;
  std::mutex mutex_;
  std::vector<GpuReading> readings_;
  std::jthread thread_;
};

}  // namespace evo::session
