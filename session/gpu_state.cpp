#include "session/gpu_state.hpp"

#include <algorithm>
#include <condition_variable>

#include "evaluators/measure/statistics.hpp"

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

void add_words(const std::string& text, std::vector<std::string>& words) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t comma = std::min(text.find(", ", start), text.size());
    std::string word = text.substr(start, comma - start);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    start = comma + 2;
  }
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
  for (const GpuReading& reading : readings) add_words(reading.throttle, state.throttle);
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
