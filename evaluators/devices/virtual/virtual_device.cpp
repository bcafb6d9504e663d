#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/devices/virtual/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/virtual/ptx/load_program.hpp"
#include "evaluators/devices/virtual/virtual_device_parts.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"

namespace evo::evaluators::devices {

namespace {

tl::unexpected<model::Failure> refuse(std::string reason, std::string message) {
  model::Failure failure;
  failure.status = model::Status::launch_error;
  failure.reason = reason;
  failure.evidence.push_back({std::move(reason), std::move(message), "", 0, {}});
  return tl::unexpected(std::move(failure));
}

[[noreturn]] void misuse(const std::string& message) {
  throw model::Exception(model::ExitCode::failed, "virtual device: " + message);
}

/// nullopt when a GPU of this target takes the plan.
std::optional<std::string> launch_limit(const vd::Program& program, const model::LaunchPlan& plan,
                                        const model::TargetProfile& target, std::uint64_t shared_bytes) {
  const std::uint64_t threads = std::uint64_t{plan.block[0]} * plan.block[1] * plan.block[2];
  const auto most_threads = static_cast<std::uint64_t>(std::min(target.max_threads_per_block, 1024));
  if (threads == 0 || threads > most_threads) {
    return fmt::format("a block of {}x{}x{} threads; {} takes 1 to {}", plan.block[0], plan.block[1],
                       plan.block[2], target.name, most_threads);
  }
  if (plan.block[0] > 1024 || plan.block[1] > 1024 || plan.block[2] > 64) {
    return fmt::format("a block of {}x{}x{} threads; the largest dimensions are 1024x1024x64", plan.block[0],
                       plan.block[1], plan.block[2]);
  }
  if (plan.grid[0] == 0 || plan.grid[1] == 0 || plan.grid[2] == 0 || plan.grid[0] > 0x7fffffffU ||
      plan.grid[1] > 65535 || plan.grid[2] > 65535) {
    return fmt::format("a grid of {}x{}x{} blocks; dimensions are 1 to 2147483647, 65535 and 65535",
                       plan.grid[0], plan.grid[1], plan.grid[2]);
  }
  constexpr std::uint64_t most_blocks = std::uint64_t{1} << 30;
  if (std::uint64_t{plan.grid[0]} * plan.grid[1] * plan.grid[2] >= most_blocks) {
    return fmt::format("a grid of {}x{}x{} blocks; the PTX machine runs less than {}", plan.grid[0],
                       plan.grid[1], plan.grid[2], most_blocks);
  }
  if (target.smem_per_block_optin > 0 &&
      shared_bytes > static_cast<std::uint64_t>(target.smem_per_block_optin)) {
    return fmt::format("{} bytes of shared memory a block; {} has {}", shared_bytes, target.name,
                       target.smem_per_block_optin);
  }
  if (program.required_threads != 0 && threads != program.required_threads) {
    return fmt::format("a block of {} threads; the kernel requires {}", threads, program.required_threads);
  }
  if (program.max_threads != 0 && threads > program.max_threads) {
    return fmt::format("a block of {} threads; the kernel is built for at most {}", threads,
                       program.max_threads);
  }
  return std::nullopt;
}

}  // namespace

VirtualDevice::VirtualDevice(model::TargetProfile target) : target_(std::move(target)) {}
VirtualDevice::~VirtualDevice() = default;

DeviceUsage VirtualDevice::usage() const {
  return {.helper_cpu_seconds = virtual_device::helper_cpu_seconds()};
}

DeviceInfo VirtualDevice::info() const {
  return {"virtual", "PTX machine", "", "", ""};
}

Outcome<ModuleId> VirtualDevice::load(const model::Artifact& artifact) {
  const std::string key = model::Hasher().add(artifact.ptx).add(artifact.entry).finish();
  auto known = programs_.find(key);
  if (known == programs_.end()) {
    auto program = vd::ptx::load_program(artifact.ptx, artifact.entry);
    if (!program) return tl::unexpected(std::move(program).error());
    known = programs_.emplace(key, std::make_shared<const vd::Program>(*std::move(program))).first;
  }
  Module module{known->second, std::make_unique<vd::warp::Machine>(*known->second), artifact.resources,
                nullptr};
  if (const auto& image = module.program->global_image; !image.empty()) {
    module.data = std::make_unique<vd::Buffer>(static_cast<std::uint32_t>(vd::global_image_slot),
                                               "module data", image.size(), 0);
    module.data->write(std::as_bytes(std::span(image)));
  }
  const ModuleId id = next_module_++;
  modules_.emplace(id, std::move(module));
  return id;
}

void VirtualDevice::unload(ModuleId module) {
  modules_.erase(module);
}

vd::Buffer& VirtualDevice::buffer(BufferId id) {
  const auto found = buffers_.find(id);
  if (found == buffers_.end()) misuse(fmt::format("there is no buffer {}", id));
  return *found->second;
}

Outcome<BufferId> VirtualDevice::allocate(const BufferSpec& spec) {
  if (spec.bytes > vd::max_buffer_bytes) {
    return refuse("out_of_memory",
                  fmt::format("Buffer {} of {} bytes: the PTX machine's address space gives a buffer "
                              "at most {}.",
                              spec.name, spec.bytes, vd::max_buffer_bytes));
  }
  // Slots are not used again while there are others: a stale pointer then reaches nothing.
  if (next_slot_ >= vd::max_slots) next_slot_ = vd::first_buffer_slot;
  while (buffers_.contains(next_slot_)) ++next_slot_;
  const BufferId id = next_slot_++;
  const std::string name = spec.name.empty() ? fmt::format("buffer {}", id) : spec.name;
  buffers_.emplace(id, std::make_unique<vd::Buffer>(id, name, spec.bytes, spec.misalignment));
  return id;
}

void VirtualDevice::release(BufferId id) {
  buffers_.erase(id);
}

Outcome<void> VirtualDevice::write(BufferId id, std::span<const std::byte> bytes) {
  vd::Buffer& target = buffer(id);
  if (bytes.size() > target.bytes())
    misuse(fmt::format("write of {} bytes to {}", bytes.size(), target.name()));
  target.write(bytes);
  return {};
}

Outcome<void> VirtualDevice::read(BufferId id, std::span<std::byte> bytes) {
  const vd::Buffer& source = buffer(id);
  if (bytes.size() > source.bytes())
    misuse(fmt::format("read of {} bytes from {}", bytes.size(), source.name()));
  source.read(bytes);
  return {};
}

Outcome<void> VirtualDevice::poison(BufferId id, std::uint32_t pattern) {
  buffer(id).poison(pattern);
  return {};
}

Outcome<void> VirtualDevice::check_guards() {
  return {};
}
Outcome<void> VirtualDevice::synchronize() {
  return {};
}

Outcome<VirtualDevice::Prepared> VirtualDevice::prepare(ModuleId id, const model::LaunchPlan& plan,
                                                        std::span<const KernelArgument> arguments,
                                                        const LaunchOptions& options) {
  const auto found = modules_.find(id);
  if (found == modules_.end()) misuse(fmt::format("there is no module {}", id));
  Module& module = found->second;
  const vd::Program& program = *module.program;
  if (!plan.tensor_maps.empty()) {
    return tl::unexpected(model::Failure{
        model::Status::unsupported,
        "tensor_map",
        {{"unsupported",
          fmt::format("{} takes tensor maps, which the virtual device does not know", program.entry),
          {},
          0,
          {}}}});
  }

  Prepared prepared;
  prepared.module = &module;
  prepared.memory = std::make_unique<vd::GlobalMap>();
  prepared.parameters.resize(program.parameter_bytes);
  vd::Launch& launch = prepared.launch;
  launch.program = &program;
  launch.memory = prepared.memory.get();
  launch.grid = plan.grid;
  launch.block = plan.block;
  launch.dynamic_smem = plan.dynamic_smem;
  launch.schedule_seed = options.schedule_seed;
  launch.instruction_budget = options.instruction_budget;
  launch.coverage = options.coverage;
  launch.count = options.count;
  if (const auto limit = launch_limit(program, plan, target_, launch.shared_bytes())) {
    return refuse("launch_limits",
                  fmt::format("Kernel {} cannot be launched with {}.", program.entry, *limit));
  }
  if (arguments.size() != program.parameters.size()) {
    return refuse("arguments", fmt::format("Kernel {} takes {} arguments, {} are given.", program.entry,
                                           program.parameters.size(), arguments.size()));
  }
  std::set<BufferId> reachable;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const vd::Parameter& parameter = program.parameters[i];
    std::span<const std::byte> bytes;
    std::uint64_t address = 0;
    if (const auto* pointer = std::get_if<BufferArgument>(&arguments[i])) {
      address = buffer(pointer->buffer).address();
      bytes = std::as_bytes(std::span(&address, 1));
      reachable.insert(pointer->buffer);
    } else {
      bytes = std::get<std::vector<std::byte>>(arguments[i]);
    }
    if (bytes.size() != parameter.bytes) {
      return refuse("arguments", fmt::format("Argument {} of kernel {} ({}) has {} bytes, {} are given.", i,
                                             program.entry, parameter.name, parameter.bytes, bytes.size()));
    }
    std::memcpy(prepared.parameters.data() + parameter.offset, bytes.data(), bytes.size());
  }
  launch.parameters = prepared.parameters;
  for (const BufferId reached : reachable) prepared.buffers.push_back(&buffer(reached));
  if (module.data) prepared.buffers.push_back(module.data.get());
  for (const vd::Buffer* mapped : prepared.buffers) prepared.memory->map(mapped->region(), mapped->name());
  return prepared;
}

}  // namespace evo::evaluators::devices
