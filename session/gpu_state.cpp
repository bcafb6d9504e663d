#include "session/gpu_state.hpp"

#include <algorithm>
#include <condition_variable>

#include "evaluators/measure/statistics.hpp"
#include "model/timing_notes.hpp"

namespace evo::session {
namespace {

template <class T>
std::optional<std::array<double, 3>> summary(const std::vector<GpuReading>& readings,
                                             std::optional<T> GpuReading::*place) {
  std::vector<double> values;
  for (const GpuReading& reading : readings) {
    if (reading.*place) values.push_back(static_cast<double>(*(reading.*place)));
  }
  if (values.empty()) return std::nullopt;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return std::array{*least, evaluators::measure::median(values), *greatest};
}

}  // namespace

std::optional<GpuState> state_of(const std::vector<GpuReading>& readings) {
  if (readings.empty()) return std::nullopt;
  GpuState state;
  state.readings = readings.size();
  state.sm_mhz = summary(readings, &GpuReading::sm_mhz);
  state.memory_mhz = summary(readings, &GpuReading::memory_mhz);
  state.temperature_c = summary(readings, &GpuReading::temperature_c);
  state.power_w = summary(readings, &GpuReading::power_w);
  for (const GpuReading& reading : readings) model::add_reasons(reading.throttle, state.throttle);
  state.tells_throttle = std::ranges::all_of(readings, &GpuReading::tells_throttle);
  return state;
}

GpuWatch::GpuWatch(Look look, std::chrono::milliseconds period) : look_(std::move(look)) {
  if (!look_) return;
  take();
  thread_ = std::jthread([this, period](const std::stop_token& stop) {
    std::mutex waiting;
    std::condition_variable_any woken;
    std::unique_lock lock(waiting);
    while (!woken.wait_for(lock, stop, period, [&] { return stop.stop_requested(); })) take();
  });
}

GpuWatch::~GpuWatch() = default;

void GpuWatch::take() {
  const auto reading = look_();
  const std::scoped_lock lock(mutex_);
  if (reading) readings_.push_back(*reading);
}

std::optional<GpuState> GpuWatch::stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
    take();
  }
  const std::scoped_lock lock(mutex_);
  return state_of(readings_);
}

}  // namespace evo::session
