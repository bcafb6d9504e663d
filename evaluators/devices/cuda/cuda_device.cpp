#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/code/grid_barrier.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <stdexcept>

#include "evaluators/devices/cuda/buffer_parts.hpp"
#include "evaluators/devices/cuda/device_state.hpp"
#include "model/error.hpp"

namespace evo::evaluators::cuda {

using devices::Outcome;

std::shared_ptr<CudaContext> open_context(int ordinal) {
  auto driver = load_driver();
  if (!driver) throw model::Exception(model::ExitCode::environment, driver.error());
  return std::make_shared<CudaContext>(std::move(*driver), ordinal);
}

void share_context(CudaContext& context) {
  context.turns().share(turn_file(context.info().uuid));
}

std::unique_ptr<devices::Device> open_beside(int ordinal, CudaContext& own) {
  const auto context = open_context(ordinal);
  context->turns().share_beside(turn_file(context->info().uuid), own.turns());
  return std::make_unique<CudaDevice>(context, std::function<void()>(), Zones::none);
}

void load_helpers(CudaContext& context) {
  static_cast<void>(context.helpers());
}

CudaDevice::CudaDevice(std::shared_ptr<CudaContext> context, std::function<void()> progress, Zones zones)
    : state_(std::make_unique<State>(std::move(context), std::move(progress))) {
  if (zones == Zones::none) state_->zone_bytes = 0;
}
CudaDevice::~CudaDevice() = default;

devices::DeviceInfo CudaDevice::info() const {
  return state_->context->info();
}
bool CudaDevice::lost() const {
  return state_->context->loss().has_value();
}

Outcome<devices::ModuleId> CudaDevice::load(const model::Artifact& artifact) {
  if (auto settled = state_->settle(); !settled) return tl::unexpected(settled.error());
  const std::string action = "loading " + artifact.entry;
  if (artifact.cubin.empty()) {
    model::Failure failure{model::Status::launch_error, "no_machine_code", {}};
    failure.evidence.push_back({"no_machine_code", action + ": the artifact has no cubin", {}, 0, {}});
    return tl::unexpected(std::move(failure));
  }
  CUmodule loaded = nullptr;
  const DriverApi& driver = state_->driver();
  if (auto ok = state_->check(driver.module_load(&loaded, artifact.cubin.data()), action); !ok) {
    return tl::unexpected(ok.error());
  }
  State::Loaded held;
  held.module = Module(state_->context->driver_pointer(), loaded);
  held.ptx = artifact.ptx;
  std::vector<std::string> entries{artifact.entry};
  for (const model::FurtherKernel& further : artifact.others) entries.push_back(further.entry);
  for (const std::string& entry : entries) {
    State::Kernel kernel;
    kernel.entry = entry;
    kernel.cooperative = code::waits_for_grid(artifact.ptx, entry);
    if (auto ok = state_->check(driver.module_function(&kernel.function, loaded, entry.c_str()),
                                "finding the kernel " + entry);
        !ok) {
      return tl::unexpected(ok.error());
    }
    std::size_t offset = 0;
    std::size_t bytes = 0;
    while (driver.function_parameter(kernel.function, kernel.parameter_bytes.size(), &offset, &bytes) ==
           CUDA_SUCCESS) {
      kernel.parameter_bytes.push_back(bytes);
    }
    held.kernels.push_back(std::move(kernel));
  }
  auto kept = state_->keep_variables(artifact, loaded);
  if (!kept) return tl::unexpected(kept.error());
  held.kept = std::move(*kept);
  if (state_->progress) state_->progress();
  const devices::ModuleId id = state_->next_id++;
  state_->kernels.emplace(id, std::move(held));
  return id;
}

void CudaDevice::unload(devices::ModuleId module) {
  if (state_->settle()) state_->kernels.erase(module);
}

Outcome<devices::BufferId> CudaDevice::allocate(const devices::BufferSpec& spec) {
  if (auto settled = state_->settle(); !settled) return tl::unexpected(settled.error());
  const std::string action = fmt::format("allocating {} bytes for {}", spec.bytes, spec.name);
  if (!spec.parts.empty()) {
    auto scattered = state_->scatter(spec, action);
    if (!scattered) return tl::unexpected(scattered.error());
    if (auto kept = state_->keep_original(spec, *scattered, action); !kept)
      return tl::unexpected(kept.error());
    const devices::BufferId id = state_->next_id++;
    state_->buffers.emplace(id, std::move(*scattered));
    return id;
  }
  State::Buffer buffer;
  buffer.layout = guarded_layout(spec.bytes, spec.misalignment, state_->zone_bytes);
  buffer.name = spec.name;
  buffer.zeroed = spec.zeroed;
  auto memory = state_->take_memory(buffer.layout.total(), action);
  if (!memory) return tl::unexpected(memory.error());
  buffer.memory = std::move(*memory);
  const CUdeviceptr address = buffer.memory.get();
  if (address % base_alignment != 0)
    throw std::logic_error("cuMemAlloc returned an address that is not aligned");
  if (auto kept = state_->keep_original(spec, buffer, action); !kept) return tl::unexpected(kept.error());
  const devices::BufferId id = state_->next_id++;
  // Also in memory that was used before: what a candidate left there must not count against the next one.
  if (state_->has_zones(buffer)) state_->without_zones.push_back(id);
  state_->buffers.emplace(id, std::move(buffer));
  return id;
}

void CudaDevice::release(devices::BufferId buffer) {
  if (!state_->settle()) return;
  const auto found = state_->buffers.find(buffer);
  if (found == state_->buffers.end()) return;
  state_->give_back(std::move(found->second));
  state_->buffers.erase(found);
}

// Ordinary memory of the host may be used again when a copy to the device returns (the driver has staged it),
// and whatever comes after it in the stream waits for it: no reason to wait here.
Outcome<void> CudaDevice::write(devices::BufferId id, std::span<const std::byte> bytes) {
  if (auto settled = state_->settle(); !settled) return settled;
  const State::Buffer& buffer = state_->buffer(id);
  if (bytes.size() > contents_of(buffer))
    throw std::logic_error("write past the end of buffer " + buffer.name);
  auto written = for_parts(buffer, bytes, [&](CUdeviceptr address, std::span<const std::byte> piece) {
    const CUresult result =
        state_->driver().copy_to_device(address, piece.data(), piece.size(), state_->context->stream());
    return state_->check(result, "writing " + buffer.name);
  });
  if (written && buffer.original && !bytes.empty()) {
    const CUresult result = state_->driver().copy_to_device(buffer.original->get(), bytes.data(),
                                                            bytes.size(), state_->context->stream());
    written = state_->check(result, "writing " + buffer.name);
  }
  if (!bytes.empty() && state_->progress) state_->progress();
  if (written) written = state_->fill_textures(buffer);
  return written;
}

Outcome<void> CudaDevice::write_from(devices::BufferId id, const devices::HostBytes& bytes) {
  state_->in_flight.push_back(bytes);
  return write(id, bytes.span());
}

Outcome<void> CudaDevice::poison(devices::BufferId id, std::uint32_t pattern) {
  if (auto settled = state_->settle(); !settled) return settled;
  const State::Buffer& buffer = state_->buffer(id);
  const std::string action = "poisoning " + buffer.name;
  if (buffer.parts.empty()) {
    auto filled = state_->fill(buffer.base(), buffer.layout.bytes, pattern, 0, action);
    return filled ? state_->fill_textures(buffer) : filled;
  }
  std::uint64_t at = 0;  // the pattern goes on from part to part
  for (const devices::BufferPart& part : buffer.parts) {
    if (auto done = state_->fill(buffer.base() + part.offset, part.bytes, pattern, at, action); !done)
      return done;
    at += part.bytes;
  }
  return {};
}

devices::HostBytes CudaDevice::host_bytes(std::size_t bytes) {
  return lost() ? Device::host_bytes(bytes) : state_->context->pinned().take(bytes);
}

devices::DeviceUsage CudaDevice::usage() const {
  const Turns& turns = state_->context->turns();
  return {.device_seconds = turns.held_seconds() - state_->held_before,
          .waiting_seconds = turns.waiting_seconds() - state_->waiting_before};
}

devices::DeviceLock CudaDevice::lock_device() {
  return state_->context->turns().take();
}

Outcome<devices::LaunchReport> CudaDevice::launch(devices::ModuleId module, const model::LaunchPlan& plan,
                                                  std::span<const devices::KernelArgument> arguments,
                                                  const devices::LaunchOptions& options) {
  if (lost()) return tl::unexpected(*state_->context->loss());
  if (state_->pending.size() >= max_pending) {
    if (auto settled = state_->settle(); !settled) return tl::unexpected(settled.error());
  }
  if (options.counted) {
    if (auto made = state_->make_marks(); !made) return tl::unexpected(made.error());
  }
  const std::string text = state_->text_of(module, plan);
  state_->limit_ms = options.timeout_ms;
  const std::string action = "launching " + text;
  auto ready = state_->make_ready(module, plan, arguments);
  if (!ready) return tl::unexpected(ready.error());
  if (auto filled = state_->fill_symbols(module, plan, arguments); !filled)
    return tl::unexpected(filled.error());
  if (auto filled = state_->fill_new_zones(); !filled) return tl::unexpected(filled.error());
  if (auto ok = state_->check(state_->enqueue(*ready), action); !ok) return tl::unexpected(ok.error());
  Event event = state_->take_event();
  const CUresult recorded = state_->driver().event_record(event.get(), state_->context->stream());
  if (auto ok = state_->check(recorded, action); !ok) {
    event.abandon();
    return tl::unexpected(ok.error());
  }
  state_->pending.push_back({std::move(event), "running " + text, options.timeout_ms});
  if (options.counted) {
    if (auto ok = state_->mark_end(); !ok) return tl::unexpected(ok.error());
  }
  return devices::LaunchReport{};
}

Outcome<void> CudaDevice::synchronize() {
  return state_->settle();
}

std::size_t CudaDevice::launches_ended() const {
  std::size_t ended = 0;
  for (; ended < state_->marked; ++ended) {
    std::uint32_t mark = 0;
    std::memcpy(&mark, state_->marks.span().data() + ended * sizeof mark, sizeof mark);
    if (mark == 0) break;
  }
  return ended;
}

Outcome<std::optional<std::uint64_t>> CudaDevice::resident_blocks(devices::ModuleId module,
                                                                  const model::LaunchPlan& plan) {
  State::Kernel& kernel = state_->loaded(module).kernels.at(plan.kernel);
  if (auto ok = state_->opt_in_shared_memory(kernel, plan.dynamic_smem); !ok)
    return tl::unexpected(ok.error());
  const std::string action = "asking how many blocks of " + kernel.entry + " are resident";
  const DriverApi& driver = state_->driver();
  const auto threads = static_cast<int>(plan.block[0] * plan.block[1] * plan.block[2]);
  int blocks = 0, multiprocessors = 0;
  if (auto ok = state_->check(driver.occupancy(&blocks, kernel.function, threads, plan.dynamic_smem), action);
      !ok)
    return tl::unexpected(ok.error());
  if (auto ok =
          state_->check(driver.device_attribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                                state_->context->device()),
                        action);
      !ok)
    return tl::unexpected(ok.error());
  return static_cast<std::uint64_t>(blocks) * static_cast<std::uint64_t>(multiprocessors);
}

Outcome<void> CudaDevice::run(const std::string& name, const StreamWork& work) {
  if (auto settled = state_->settle(); !settled) return settled;
  if (auto filled = state_->fill_new_zones(); !filled) return filled;
  const Outcome<void> put = work(state_->context->stream(), 0);
  // Also after a refusal: what the library did put into the stream, or broke, shows here and not in the next
  // one's turn.
  const Outcome<void> done = state_->drain("running " + name);
  return put ? done : put;
}

std::uint64_t CudaDevice::address(devices::BufferId buffer) const {
  return state_->buffer(buffer).base();
}

}  // namespace evo::evaluators::cuda
