#include "evaluators/gates/clock_watch.hpp"

#include <algorithm>

namespace evo::evaluators::gates {

ClockWatch::ClockWatch(devices::Device& device, std::chrono::milliseconds period)
    : device_(device), period_(period) {
  take();
}

void ClockWatch::look() {
  if (std::chrono::steady_clock::now() - last_ >= period_) take();
}

void ClockWatch::end() {
  take();
}

bool ClockWatch::slowed() const {
  return std::ranges::any_of(reasons_, [](const std::string& reason) { return model::is_slowdown(reason); });
}

void ClockWatch::take() {
  const auto held = device_.held_clocks();
  last_ = std::chrono::steady_clock::now();
  if (held) {
    model::add_reasons(*held, reasons_);
  } else {
    tells_ = false;
  }
}

bool note_clocks(const ClockWatch& watch, std::uint32_t most, model::HeldClocks& clocks) {
  clocks.watched = clocks.watched && watch.tells();
  for (const std::string& reason : watch.reasons()) model::add_reasons(reason, clocks.reasons);
  if (watch.slowed() && clocks.discarded < most) {
    ++clocks.discarded;
    return true;
  }
  if (!watch.reasons().empty()) ++clocks.kept;
  return false;
}

}  // namespace evo::evaluators::gates
