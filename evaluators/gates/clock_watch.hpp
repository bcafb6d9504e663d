// Timings during which a GPU slowed itself down for heat or for its supply of power are taken again.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "model/timing_notes.hpp"

namespace evo::evaluators::gates {

/// Looks now and then at what holds a device's clocks down, or disturbs it otherwise: "another process".
class ClockWatch {
 public:
  /// Looks at once. Between two looks of look() lies `period` at least: the driver takes its time to tell.
  explicit ClockWatch(devices::Device& device,
                      std::chrono::milliseconds period = std::chrono::milliseconds(50));
  /// While something is timed; does nothing where the last look was a moment ago.
  void look();
  /// Looks a last time.
  void end();

  /// The device said at each look whether anything holds its clocks down.
  [[nodiscard]] bool tells() const { return tells_; }
  /// Everything that was seen, each once.
  [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }
  /// One of them is a slowdown (model::is_slowdown()).
  [[nodiscard]] bool slowed() const;

 private:
  void take();

  devices::Device& device_;
  std::chrono::milliseconds period_;
  std::chrono::steady_clock::time_point last_;
  bool tells_ = true;
  std::vector<std::string> reasons_;
};

/// What follows when something was timed under `watch`, which has ended: notes it in `clocks`, and says
/// whether the timing is to be thrown away and taken again. At most `most` are. `clocks` is `watched` before
/// the first one, and no longer once a device has told nothing.
[[nodiscard]] bool note_clocks(const ClockWatch& watch, std::uint32_t most, model::HeldClocks& clocks);

}  // namespace evo::evaluators::gates
