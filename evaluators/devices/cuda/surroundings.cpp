// What CudaDevice does around a candidate's launches.
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/cuda/device_state.hpp"

namespace evo::evaluators::cuda {

using devices::Outcome;

namespace {

/// Far above what any of the helpers takes.
constexpr double helper_limit_ms = 5'000;

}  // namespace

Outcome<void> CudaDevice::fill_shared(std::uint32_t pattern) {
  if (lost()) return tl::unexpected(*state_->context->loss());
  return state_->check(state_->context->helpers().fill_shared(pattern, state_->context->stream()),
                       "filling shared memory");
}

Outcome<void> CudaDevice::flush_cache() {
  if (lost()) return tl::unexpected(*state_->context->loss());
  return state_->check(state_->context->helpers().flush_cache(state_->context->stream()), "flushing the L2");
}

Outcome<void> CudaDevice::start_load(std::chrono::microseconds duration) {
  if (lost()) return tl::unexpected(*state_->context->loss());
  HelperKernels& helpers = state_->context->helpers();
  const std::string action = "running the load beside";
  if (auto ok = state_->check(helpers.move_memory(duration), action); !ok) return ok;
  Event event = state_->take_event();
  if (auto ok = state_->check(state_->driver().event_record(event.get(), helpers.load_stream()), action);
      !ok) {
    event.abandon();
    return ok;
  }
  const double own_ms = std::chrono::duration<double, std::milli>(duration).count();
  state_->pending.push_back({std::move(event), action, own_ms + helper_limit_ms});
  return {};
}

}  // namespace evo::evaluators::cuda
