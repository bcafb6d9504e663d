#include "evaluators/devices/cuda/device_state.hpp"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "evaluators/devices/cuda/buffer_parts.hpp"
#include "evaluators/devices/cuda/tensor_maps.hpp"
#include "model/error.hpp"

namespace evo::evaluators::cuda {

using devices::Outcome;

CudaDevice::State::~State() {
  try {
    if (settle()) {
      for (auto& [id, held] : buffers) give_back(std::move(held));
      if (mark.get() != 0) context->memory().give_back(sizeof(std::uint32_t), std::move(mark));
      return;
    }
  } catch (const std::exception&) {
    // The environment broke; whoever calls next on the context hears of it.
  }
  for (auto& [id, held] : buffers) held.abandon();
  for (auto& [id, held] : kernels) {
    held.module.abandon();
    for (Kept& kept : held.kept) kept.original.abandon();
  }
  for (Pending& launch : pending) launch.event.abandon();
  for (Event& event : idle_events) event.abandon();
  mark.abandon();
}

Outcome<void> CudaDevice::State::check(CUresult result, const std::string& action) {
  if (result == CUDA_SUCCESS) return {};
  return tl::unexpected(context->fail(result, action));
}

Outcome<void> CudaDevice::State::wait_for(CUevent event, const std::string& action, double allowed_ms,
                                          double due_ms) {
  const CUresult result = context->wait(event, allowed_ms, due_ms);
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
  marked = 0;
  return {};
}

Outcome<void> CudaDevice::State::make_marks() {
  if (mark.get() != 0) return {};
  constexpr std::size_t word = sizeof(std::uint32_t);
  const std::string action = "making marks of launches that have ended";
  auto memory = take_memory(word, action);
  if (!memory) return tl::unexpected(memory.error());
  mark = std::move(*memory);
  marks = context->pinned().take(max_pending * word);
  return check(driver().fill_words(mark.get(), 1, 1, context->stream()), action);
}

Outcome<void> CudaDevice::State::mark_end() {
  constexpr std::size_t word = sizeof(std::uint32_t);
  std::byte* const place = marks.span().data() + marked * word;
  std::memset(place, 0, word);
  ++marked;
  return check(driver().copy_to_host(place, mark.get(), word, context->stream()),
               "marking the end of a launch");
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
    in_flight.clear();
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

Outcome<PackedArguments> CudaDevice::State::pack(const Kernel& held, const model::LaunchPlan& plan,
                                                 std::span<const devices::KernelArgument> arguments) {
  std::vector<devices::KernelArgument> all = devices::arguments_of(plan, arguments);
  for (devices::KernelArgument& argument : all) {
    const auto* viewed = std::get_if<devices::BufferArgument>(&argument);
    if (viewed == nullptr || viewed->texture == nullptr) continue;
    const auto handle = texture_handle(*viewed);
    if (!handle) return tl::unexpected(handle.error());
    std::vector<std::byte> bytes(sizeof *handle);
    std::memcpy(bytes.data(), &*handle, sizeof *handle);
    argument = std::move(bytes);
  }
  for (const model::TensorMapPlan& map : plan.tensor_maps) {
    const auto* viewed = map.argument < arguments.size()
                             ? std::get_if<devices::BufferArgument>(&arguments[map.argument])
                             : nullptr;
    if (viewed == nullptr) throw std::logic_error(fmt::format("tensor map {} views no buffer", map.name));
    auto encoded = encode_tensor_map(driver(), map, buffer(viewed->buffer).base());
    if (!encoded) {
      model::Failure failure{model::Status::launch_error, "tensor_map", {}};
      failure.evidence.push_back(
          {"tensor_map", fmt::format("{}: {}", held.entry, encoded.error()), {}, 0, {{"map", map.name}}});
      return tl::unexpected(std::move(failure));
    }
    all.emplace_back(std::move(*encoded));
  }
  auto packed = PackedArguments::pack(all, held.parameter_bytes, [this](devices::BufferId id) {
    return static_cast<std::uint64_t>(buffer(id).base());
  });
  if (packed) return std::move(*packed);
  model::Failure failure{model::Status::launch_error, "argument_mismatch", {}};
  failure.evidence.push_back(
      {"argument_mismatch", fmt::format("{}: {}", held.entry, packed.error()), {}, 0, {}});
  return tl::unexpected(std::move(failure));
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

Outcome<CudaDevice::State::Buffer> CudaDevice::State::scatter(const devices::BufferSpec& spec,
                                                              const std::string& action) {
  Buffer made;
  made.name = spec.name;
  made.zeroed = spec.zeroed;
  made.layout = {spec.misalignment % base_alignment, spec.bytes, 0};
  made.parts = spec.parts;
  made.geometry = fmt::format("{}", spec.bytes);
  for (const devices::BufferPart& part : spec.parts)
    made.geometry += fmt::format(" {}+{}", part.offset, part.bytes);
  made.scattered = context->memory().take(made.geometry);
  if (made.scattered) return made;
  auto memory = ScatteredMemory::make(context->driver_pointer(), context->device(), spec.bytes, spec.parts,
                                      base_alignment);
  if (!memory) return tl::unexpected(check(memory.error(), action).error());
  made.scattered = std::move(*memory);
  return made;
}

GuardZones CudaDevice::State::zones_of(devices::BufferId id, const Buffer& buffer) {
  const GuardedLayout& layout = buffer.layout;
  return {.base = buffer.memory.get(),
          .back = layout.front + layout.bytes,
          .front = static_cast<std::uint32_t>(layout.front),
          .back_bytes = static_cast<std::uint32_t>(layout.back),
          .seed = id};
}

Outcome<void> CudaDevice::State::fill_new_zones() {
  std::vector<GuardZones> zones;
  for (const devices::BufferId id : without_zones) {
    if (const auto found = buffers.find(id); found != buffers.end())
      zones.push_back(zones_of(id, found->second));
  }
  without_zones.clear();
  if (zones.empty()) return {};
  return check(context->helpers().fill_guards(zones, context->stream()), "filling guard zones");
}

Outcome<void> CudaDevice::State::keep_original(const devices::BufferSpec& spec, Buffer& buffer,
                                               const std::string& action) {
  if (!spec.restored) return {};
  auto memory = take_memory(contents_of(buffer), action);
  if (!memory) return tl::unexpected(memory.error());
  buffer.original = std::move(*memory);
  return {};
}

void CudaDevice::State::give_back(Buffer held) {
  if (held.original) context->memory().give_back(contents_of(held), std::move(*held.original));
  if (held.scattered) {
    context->memory().give_back(held.geometry, std::move(*held.scattered));
  } else {
    context->memory().give_back(held.layout.total(), std::move(held.memory));
  }
}

Outcome<void> CudaDevice::State::fill(CUdeviceptr address, std::uint64_t bytes, std::uint32_t pattern,
                                      std::uint64_t at, const std::string& action) {
  const auto pattern_byte = [&](std::uint64_t offset) {
    return static_cast<unsigned char>(pattern >> ((at + offset) % 4 * 8));
  };
  const auto fill_bytes = [&](std::uint64_t from, std::uint64_t to) -> Outcome<void> {
    for (std::uint64_t offset = from; offset < to; ++offset) {
      const CUresult result =
          driver().fill_bytes(address + offset, pattern_byte(offset), 1, context->stream());
      if (auto ok = check(result, action); !ok) return ok;
    }
    return {};
  };
  // The word fill needs a 4-byte aligned address: bytes up to it and after it go one by one, and the word is
  // turned so that the pattern still counts from its start.
  const std::uint64_t head = std::min<std::uint64_t>(bytes, (4 - address % 4) % 4);
  const std::uint64_t words = (bytes - head) / 4;
  std::uint32_t turned = 0;
  for (std::uint64_t i = 0; i < 4; ++i) turned |= std::uint32_t{pattern_byte(head + i)} << (i * 8);
  if (auto ok = fill_bytes(0, head); !ok) return ok;
  if (words > 0) {
    const CUresult result = driver().fill_words(address + head, turned, words, context->stream());
    if (auto ok = check(result, action); !ok) return ok;
  }
  return fill_bytes(head + words * 4, bytes);
}

const CudaDevice::State::Buffer& CudaDevice::State::buffer(devices::BufferId id) const {
  const auto found = buffers.find(id);
  if (found == buffers.end()) throw std::logic_error(fmt::format("no buffer {} on this device", id));
  return found->second;
}

CudaDevice::State::Loaded& CudaDevice::State::loaded(devices::ModuleId id) {
  const auto found = kernels.find(id);
  if (found == kernels.end()) throw std::logic_error(fmt::format("no module {} on this device", id));
  return found->second;
}

}  // namespace evo::evaluators::cuda
