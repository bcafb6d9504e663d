// The kernels of a plan: what stands before the first, and their launches one behind the other.
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/code/module_variables.hpp"
#include "evaluators/devices/cuda/buffer_parts.hpp"
#include "evaluators/devices/cuda/device_state.hpp"

namespace evo::evaluators::cuda {

using devices::Outcome;

namespace {

/// What a buffer gets back before every launch, if it does.
template <class Buffer>
void add_restored(const Buffer& buffer, PackedArguments& packed) {
  if (!buffer.original) return;
  std::uint64_t from = buffer.original->get();
  if (buffer.parts.empty()) return packed.restore({buffer.base(), from, contents_of(buffer)});
  for (const devices::BufferPart& part : buffer.parts) {
    packed.restore({buffer.base() + part.offset, from, part.bytes});
    from += part.bytes;
  }
}

}  // namespace

std::string launch_text(const std::string& entry, const model::LaunchPlan& plan) {
  return fmt::format("{}<<<({}), ({}), {}>>>", entry, fmt::join(plan.grid, ","), fmt::join(plan.block, ","),
                     plan.dynamic_smem);
}

std::string CudaDevice::State::text_of(devices::ModuleId module, const model::LaunchPlan& plan) {
  std::string text;
  for (const model::LaunchPlan* kernel : model::kernels_of(plan)) {
    text += fmt::format("{}{}", text.empty() ? "" : " then ",
                        launch_text(loaded(module).kernels.at(kernel->kernel).entry, *kernel));
  }
  return text;
}

Outcome<std::vector<CudaDevice::State::Ready>> CudaDevice::State::make_ready(
    devices::ModuleId module, const model::LaunchPlan& plan,
    std::span<const devices::KernelArgument> arguments) {
  Loaded& held = loaded(module);
  std::vector<Ready> all;
  for (const model::LaunchPlan* one : model::kernels_of(plan)) {
    Kernel& kernel = held.kernels.at(one->kernel);
    if (auto ok = opt_in_shared_memory(kernel, one->dynamic_smem); !ok) return tl::unexpected(ok.error());
    auto packed = pack(kernel, *one, arguments);
    if (!packed) return tl::unexpected(packed.error());
    all.push_back({&kernel, one, std::move(*packed)});
  }
  PackedArguments& first = all.front().arguments;
  for (const devices::KernelArgument& argument : arguments) {
    const auto* pointer = std::get_if<devices::BufferArgument>(&argument);
    if (pointer != nullptr) add_restored(buffer(pointer->buffer), first);
    const bool surface = pointer != nullptr && pointer->texture != nullptr && pointer->texture->model.surface;
    if (surface && (buffer(pointer->buffer).zeroed || buffer(pointer->buffer).original))
      all.front().surfaces.push_back(pointer->buffer);
    if (pointer == nullptr || !buffer(pointer->buffer).zeroed) continue;
    const Buffer& zeroed = buffer(pointer->buffer);
    if (zeroed.parts.empty()) {
      first.zero(zeroed.base(), zeroed.layout.bytes);
    } else {
      for (const devices::BufferPart& part : zeroed.parts)
        first.zero(zeroed.base() + part.offset, part.bytes);
    }
  }
  for (const Kept& kept : held.kept) first.restore({kept.address, kept.original.get(), kept.bytes});
  return all;
}

CUresult CudaDevice::State::enqueue(std::vector<Ready>& all) {
  for (Ready& one : all) {
    // Part of the launch: in a graph that is timed, these are nodes in front of the kernel's.
    for (const ZeroedRange& range : one.arguments.zeroed()) {
      const CUresult filled = driver().fill_bytes(range.address, 0, range.bytes, context->stream());
      if (filled != CUDA_SUCCESS) return filled;
    }
    for (const RestoredRange& range : one.arguments.restored()) {
      const CUresult copied =
          driver().copy_on_device(range.address, range.from, range.bytes, context->stream());
      if (copied != CUDA_SUCCESS) return copied;
    }
    for (const devices::BufferId id : one.surfaces) {
      for (const TextureObject& texture : buffer(id).textures) {
        const CUresult copied = texture.fill(driver(), buffer(id).base(), context->stream());
        if (copied != CUDA_SUCCESS) return copied;
      }
    }
    const model::LaunchPlan& plan = *one.plan;
    const CUresult launched =
        one.kernel->cooperative
            ? driver().launch_cooperative(one.kernel->function, plan.grid[0], plan.grid[1], plan.grid[2],
                                          plan.block[0], plan.block[1], plan.block[2], plan.dynamic_smem,
                                          context->stream(), one.arguments.pointers())
            : driver().launch(one.kernel->function, plan.grid[0], plan.grid[1], plan.grid[2], plan.block[0],
                              plan.block[1], plan.block[2], plan.dynamic_smem, context->stream(),
                              one.arguments.pointers(), nullptr);
    if (launched != CUDA_SUCCESS) return launched;
  }
  return CUDA_SUCCESS;
}

Outcome<void> CudaDevice::State::fill_symbols(devices::ModuleId module, const model::LaunchPlan& plan,
                                              std::span<const devices::KernelArgument> arguments) {
  Loaded& held = loaded(module);
  for (const model::SymbolPlan& symbol : plan.symbols) {
    const std::string action = fmt::format("filling the variable {}", symbol.name);
    const auto* source = std::get_if<devices::BufferArgument>(&arguments[symbol.argument]);
    if (source == nullptr) throw std::logic_error(action + " from what is no buffer");
    const Buffer& from = buffer(source->buffer);
    for (const std::string& variable : code::variables_called(held.ptx, symbol.name)) {
      CUdeviceptr address = 0;
      std::size_t bytes = 0;
      const CUresult found = driver().module_variable(&address, &bytes, held.module.get(), variable.c_str());
      if (found == CUDA_ERROR_NOT_FOUND) continue;  // its code does without
      if (auto ok = check(found, action); !ok) return ok;
      if (from.layout.bytes > bytes) {
        model::Failure failure{model::Status::launch_error, "symbol_size", {}};
        failure.evidence.push_back({"symbol_size",
                                    fmt::format("The module's variable {} has {} bytes; {} has {}.", variable,
                                                bytes, from.name, from.layout.bytes),
                                    {},
                                    0,
                                    {}});
        return tl::unexpected(std::move(failure));
      }
      const CUresult copied =
          driver().copy_on_device(address, from.base(), from.layout.bytes, context->stream());
      if (auto ok = check(copied, action); !ok) return ok;
      for (const Kept& kept : held.kept) {
        if (kept.variable.name != variable) continue;
        const CUresult kept_too =
            driver().copy_on_device(kept.original.get(), from.base(), from.layout.bytes, context->stream());
        if (auto ok = check(kept_too, action); !ok) return ok;
      }
    }
  }
  return {};
}

}  // namespace evo::evaluators::cuda
