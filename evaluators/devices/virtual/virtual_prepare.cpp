// VirtualDevice: a launch with everything it points to, or why no GPU of this target takes it.
#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/schedules.hpp"
#include "evaluators/devices/virtual/parameter_ranges.hpp"
#include "evaluators/devices/virtual/virtual_device_parts.hpp"

namespace evo::evaluators::devices {
namespace {

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

/// Which bytes rows take that are narrower than their swizzle was not seen on a GPU.
bool has_known_layout(const model::TensorMapPlan& map) {
  return map.swizzle == 0 || map.box.empty() ||
         std::uint64_t{map.box.front()} * static_cast<std::uint64_t>(model::size_of(map.dtype)) ==
             map.swizzle;
}

/// What the kernel takes: zeros where there can be no map, as on a GPU.
std::vector<std::byte> tensor_map_parameter(const model::TensorMapPlan& map, std::uint64_t address,
                                            std::vector<vd::TensorMap>& maps) {
  if (!map.encodable || address % 16 != 0) return std::vector<std::byte>(vd::tensor_map_bytes);
  const auto bytes = vd::encoded_tensor_map(maps.size());
  maps.push_back({map, address});
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Outcome<VirtualDevice::Prepared> VirtualDevice::prepare(ModuleId id, const model::LaunchPlan& plan,
                                                        std::span<const KernelArgument> all_arguments,
                                                        const LaunchOptions& options) {
  const auto found = modules_.find(id);
  if (found == modules_.end()) misuse(fmt::format("there is no module {}", id));
  if (plan.kernel >= found->second.size()) misuse(fmt::format("module {} has no kernel {}", id, plan.kernel));
  Module& module = found->second[plan.kernel];
  std::vector<KernelArgument> arguments = arguments_of(plan, all_arguments);
  const vd::Program& program = *module.program;

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
  launch.all_stop_at = devices::all_stop_at(options.schedule_seed);
  launch.schedule_seed = launch.all_stop_at != 0 ? 0 : options.schedule_seed;
  launch.instruction_budget = options.instruction_budget;
  launch.whole_budget = options.whole_budget;
  launch.equal_writes = options.equal_writes;
  launch.stop_at_fault = options.stop_at_fault;
  launch.resident_blocks = resident_blocks(module, plan);
  launch.coverage = options.coverage;
  launch.same_block = options.same_block;
  if (!options.blocks.empty()) {
    prepared.sample = options.blocks;
    std::sort(prepared.sample.begin(), prepared.sample.end());
    prepared.sample.erase(std::unique(prepared.sample.begin(), prepared.sample.end()), prepared.sample.end());
    // All of them are no sample.
    if (prepared.sample.size() < launch.blocks()) launch.sample = prepared.sample;
  }
  launch.count = options.count;
  if (const auto limit = launch_limit(program, plan, target_, launch.shared_bytes())) {
    return virtual_refusal("launch_limits",
                           fmt::format("Kernel {} cannot be launched with {}.", program.entry, *limit));
  }
  launch.cooperative = module.workspace != nullptr;
  if (launch.cooperative && launch.resident_blocks > 0 && launch.blocks() > launch.resident_blocks) {
    return virtual_refusal("cooperative_launch_too_large",
                           fmt::format("Kernel {} waits for its whole grid, so that its {} blocks have to be "
                                       "there at a time; {} holds {}.",
                                       program.entry, launch.blocks(), target_.name, launch.resident_blocks));
  }
  if (!prepared.sample.empty() && prepared.sample.back() >= launch.blocks()) {
    misuse(fmt::format("block {} of a launch of {}", prepared.sample.back(), launch.blocks()));
  }
  std::vector<BufferId> seen_by_maps;
  for (const model::TensorMapPlan& map : plan.tensor_maps) {
    const auto* viewed = map.argument < all_arguments.size()
                             ? std::get_if<BufferArgument>(&all_arguments[map.argument])
                             : nullptr;
    if (viewed == nullptr) misuse(fmt::format("tensor map {} views no buffer", map.name));
    if (!has_known_layout(map)) {
      return tl::unexpected(model::Failure{
          model::Status::unsupported,
          "tensor_map",
          {{"unsupported",
            fmt::format(
                "{} takes the tensor map {}, whose box has rows of fewer bytes than its swizzle of {}, "
                "which the virtual device does not know",
                program.entry, map.name, map.swizzle),
            {},
            0,
            {}}}});
    }
    arguments.emplace_back(tensor_map_parameter(map, buffer(viewed->buffer).address(), prepared.tensor_maps));
    seen_by_maps.push_back(viewed->buffer);
  }
  if (arguments.size() != program.parameters.size()) {
    return virtual_refusal("arguments",
                           fmt::format("Kernel {} takes {} arguments, {} are given.", program.entry,
                                       program.parameters.size(), arguments.size()));
  }
  std::set<BufferId> reachable(seen_by_maps.begin(), seen_by_maps.end());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const vd::Parameter& parameter = program.parameters[i];
    std::span<const std::byte> bytes;
    std::vector<std::byte> members;
    std::uint64_t address = 0;
    if (const auto* pointer = std::get_if<BufferArgument>(&arguments[i])) {
      address = buffer(pointer->buffer).address();
      if (pointer->texture != nullptr) {
        if (pointer->texture->bytes() > buffer(pointer->buffer).bytes())
          misuse(fmt::format("the buffer of {} is too small for its texels", pointer->texture->name));
        prepared.textures.push_back({*pointer->texture, address, buffer(pointer->buffer).region().data});
        address = vd::texture_handle(pointer->texture->model.surface, prepared.textures.size() - 1);
      }
      bytes = std::as_bytes(std::span(&address, 1));
      reachable.insert(pointer->buffer);
    } else if (const auto* structure = std::get_if<StructArgument>(&arguments[i])) {
      for (const StructArgument::Pointer& member : structure->pointers) reachable.insert(member.buffer);
      members = bytes_of(*structure, [this](BufferId one) { return buffer(one).address(); });
      bytes = members;
    } else {
      bytes = std::get<std::vector<std::byte>>(arguments[i]);
    }
    if (bytes.size() != parameter.bytes) {
      return virtual_refusal("arguments",
                             fmt::format("Argument {} of kernel {} ({}) has {} bytes, {} are given.", i,
                                         program.entry, parameter.name, parameter.bytes, bytes.size()));
    }
    std::memcpy(prepared.parameters.data() + parameter.offset, bytes.data(), bytes.size());
  }
  launch.parameters = prepared.parameters;
  if (options.coverage) prepared.ranges = ranges_of(program, plan, all_arguments, options);
  launch.ranges = prepared.ranges;
  launch.textures = prepared.textures;
  launch.tensor_maps = prepared.tensor_maps;
  for (const BufferId reached : reachable) {
    prepared.buffers.push_back(&buffer(reached));
    if (const auto parts = further_parts_.find(reached); parts != further_parts_.end()) {
      for (const BufferId part : parts->second) prepared.buffers.push_back(&buffer(part));
    }
  }
  if (module.data) prepared.buffers.push_back(module.data.get());
  if (module.workspace) {
    // As a driver leaves it: nobody has arrived.
    const std::array<std::byte, vd::grid_workspace_bytes> nobody{};
    module.workspace->write(nobody);
    prepared.buffers.push_back(module.workspace.get());
  }
  for (const vd::Buffer* mapped : prepared.buffers) prepared.memory->map(mapped->region(), mapped->name());
  return prepared;
}

}  // namespace evo::evaluators::devices
