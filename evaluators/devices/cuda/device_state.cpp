#include "evaluators/devices/cuda/device_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "model/error.hpp"

namespace evo::evaluators::cuda {

using devices::Outcome;

std::string launch_text(const std::string& entry, const model::LaunchPlan& plan) {
  return fmt::format("{}<<<({}), ({}), {}>>>", entry, fmt::join(plan.grid, ","), fmt::join(plan.block, ","),
                     plan.dynamic_smem);
}

CudaDevice::State::~State() {
  try {
    if (settle()) {
      for (auto& [id, held] : buffers)
        context->memory().give_back(held.layout.total(), std::move(held.memory));
      return;
    }
  } catch (const std::exception&) {
    // The environment broke; whoever calls next on the context hears of it.
  }
  for (auto& [id, held] : buffers) held.memory.abandon();
  for (auto& [id, held] : kernels) held.module.abandon();
  for (Pending& launch : pending) launch.event.abandon();
  for (Event& event : idle_events) event.abandon();
}

Outcome<void> CudaDevice::State::check(CUresult result, const std::string& action) {
  if (result == CUDA_SUCCESS) return {};
  return tl::unexpected(context->fail(result, action));
}

Outcome<void> CudaDevice::State::wait_for(CUevent event, const std::string& action, double allowed_ms) {
  const CUresult result = context->wait(event, allowed_ms);
  if (result == CUDA_ERROR_NOT_READY) return tl::unexpected(context->hang(action, allowed_ms));
  if (result == CUDA_SUCCESS && progress) progress();
  return check(result, action);
}

Outcome<void> CudaDevice::State::settle() {
  if (context->loss()) return tl::unexpected(*context->loss());
  for (Pending& launch : pending) {
    if (auto done = wait_for(launch.event.get(), launch.action, launch.limit_ms); !done) return done;
  }
  for (Pending& launch : pending) idle_events.push_back(std::move(launch.event));
  pending.clear();
  return {};
}

Outcome<void> CudaDevice::State::drain(const std::string& action, double allowed_ms) {
  Event event = take_event();
  if (auto recorded = check(driver().event_record(event.get(), context->stream()), action); !recorded) {
    event.abandon();
    return recorded;
  }
  auto done = wait_for(event.get(), action, allowed_ms);
  if (!done) {
    event.abandon();
  } else {
    idle_events.push_back(std::move(event));
  }
  return done;
}

Event CudaDevice::State::take_event() {
  if (idle_events.empty()) return context->make_event(CU_EVENT_DISABLE_TIMING);
  Event event = std::move(idle_events.back());
  idle_events.pop_back();
  return event;
}

Outcome<void> CudaDevice::State::opt_in_shared_memory(Kernel& held, std::uint32_t bytes) {
  if (bytes <= held.dynamic_smem) return {};
  const CUresult result = driver().function_set_attribute(
      held.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes));
  if (result == CUDA_ERROR_INVALID_VALUE) {
    model::Failure failure{model::Status::launch_error, "shared_memory_limit", {}};
    failure.evidence.push_back(
        {"shared_memory_limit",
         fmt::format("{}: the device does not allow {} bytes of dynamic shared memory", held.entry, bytes),
         {},
         0,
         {{"bytes", std::to_string(bytes)}}});
    return tl::unexpected(std::move(failure));
  }
  if (auto set = check(result, "raising the shared memory limit of " + held.entry); !set) return set;
  held.dynamic_smem = bytes;
  return {};
}

Outcome<PackedArguments> CudaDevice::State::pack(const Kernel& held,
                                                 std::span<const devices::KernelArgument> arguments) const {
  auto packed = PackedArguments::pack(arguments, held.parameter_bytes, [this](devices::BufferId id) {
    return static_cast<std::uint64_t>(buffer(id).base());
  });
  if (packed) return std::move(*packed);
  model::Failure failure{model::Status::launch_error, "argument_mismatch", {}};
  failure.evidence.push_back(
      {"argument_mismatch", fmt::format("{}: {}", held.entry, packed.error()), {}, 0, {}});
  return tl::unexpected(std::move(failure));
}

CUresult CudaDevice::State::enqueue(const Kernel& held, const model::LaunchPlan& plan,
                                    PackedArguments& arguments) {
  return driver().launch(held.function, plan.grid[0], plan.grid[1], plan.grid[2], plan.block[0],
                         plan.block[1], plan.block[2], plan.dynamic_smem, context->stream(),
                         arguments.pointers(), nullptr);
}

Outcome<Memory> CudaDevice::State::take_memory(std::uint64_t bytes, const std::string& action) {
  if (auto kept = context->memory().take(bytes)) return std::move(*kept);
  CUdeviceptr address = 0;
  CUresult result = driver().memory_allocate(&address, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    context->memory().clear();
    result = driver().memory_allocate(&address, bytes);
  }
  if (auto ok = check(result, action); !ok) return tl::unexpected(ok.error());
  return Memory(context->driver_pointer(), address);
}

const CudaDevice::State::Buffer& CudaDevice::State::buffer(devices::BufferId id) const {
  const auto found = buffers.find(id);
  if (found == buffers.end()) throw std::logic_error(fmt::format("no buffer {} on this device", id));
  return found->second;
}

CudaDevice::State::Kernel& CudaDevice::State::kernel(devices::ModuleId id) {
  const auto found = kernels.find(id);
  if (found == kernels.end()) throw std::logic_error(fmt::format("no module {} on this device", id));
  return found->second;
}

}  // namespace evo::evaluators::cuda
