#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/devices/virtual/parallel.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/virtual/model/latency_model.hpp"
#include "evaluators/devices/virtual/model/occupancy.hpp"
#include "evaluators/devices/virtual/ptx/load_program.hpp"
#include "evaluators/devices/virtual/virtual_device_parts.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"

namespace evo::evaluators::devices {

namespace {

/// Does it read where the blocks of a cooperative launch meet?
bool waits_for_grid(const vd::Program& program) {
  return std::ranges::any_of(program.code, [](const vd::Instruction& instruction) {
    return std::ranges::any_of(instruction.src, [](const vd::Operand& operand) {
      const auto special = static_cast<vd::SpecialRegister>(operand.index);
      return operand.kind == vd::Operand::Kind::special &&
             (special == vd::SpecialRegister::envreg1 || special == vd::SpecialRegister::envreg2);
    });
  });
}

}  // namespace

void misuse(const std::string& message) {
  throw model::Exception(model::ExitCode::failed, "virtual device: " + message);
}

std::uint64_t VirtualDevice::resident_blocks(const Module& module, const model::LaunchPlan& plan) const {
  // 0, of a target that does not say what it has: as many as are asked for.
  return model::resident_blocks(module.resources, plan, target_);
}

VirtualDevice::VirtualDevice(model::TargetProfile target) : target_(std::move(target)) {}
VirtualDevice::~VirtualDevice() = default;

DeviceUsage VirtualDevice::usage() const {
  return {.helper_cpu_seconds = virtual_device::helper_cpu_seconds()};
}

DeviceInfo VirtualDevice::info() const {
  return {"virtual", "PTX machine", "", "", "", vd::latency_model_name};
}

Outcome<ModuleId> VirtualDevice::load(const model::Artifact& artifact) {
  std::vector<model::FurtherKernel> wanted{{artifact.entry, artifact.resources}};
  wanted.insert(wanted.end(), artifact.others.begin(), artifact.others.end());
  std::vector<Module> kernels;
  for (const model::FurtherKernel& kernel : wanted) {
    const std::string key = model::Hasher().add(artifact.ptx).add(kernel.entry).finish();
    auto known = programs_.find(key);
    if (known == programs_.end()) {
      auto program = vd::ptx::load_program(artifact.ptx, kernel.entry);
      if (!program) return tl::unexpected(std::move(program).error());
      known = programs_.emplace(key, std::make_shared<const vd::Program>(*std::move(program))).first;
    }
    Module module;
    module.program = std::make_shared<vd::Program>(*known->second);
    module.resources = kernel.resources;
    module.only_exact = std::ranges::any_of(module.program->code, [](const vd::Instruction& instruction) {
      return instruction.op == vd::Opcode::mbarrier || instruction.op == vd::Opcode::wgmma ||
             instruction.op == vd::Opcode::bulk_copy;
    });
    if (waits_for_grid(*module.program)) {
      module.workspace = std::make_unique<vd::Buffer>(vd::grid_workspace_slot, "the grid's barrier",
                                                      vd::grid_workspace_bytes, 0);
    }
    module.machine = std::make_unique<vd::warp::Machine>(*module.program);
    if (const auto& image = module.program->global_image; !image.empty()) {
      module.data = std::make_unique<vd::Buffer>(static_cast<std::uint32_t>(vd::global_image_slot),
                                                 "module data", image.size(), 0);
      module.data->write(std::as_bytes(std::span(image)));
      module.kept = artifact.kept;
    }
    kernels.push_back(std::move(module));
  }
  const ModuleId id = next_module_++;
  modules_.emplace(id, std::move(kernels));
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
  const std::vector<BufferPart> whole{{0, spec.bytes}};
  const std::vector<BufferPart>& parts = spec.parts.empty() ? whole : spec.parts;
  const std::uint64_t position = spec.misalignment % 256;
  // How many slots behind the first one a part stands, and how far from the place where a slot's buffers
  // begin.
  const auto slots_on = [](const BufferPart& part) {
    return static_cast<std::uint32_t>((part.offset + vd::slot_bytes / 2) >> vd::slot_shift);
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].bytes > vd::max_buffer_bytes) {
      return virtual_refusal(
          "out_of_memory",
          fmt::format("Buffer {} of {} bytes: the PTX machine's address space gives a buffer "
                      "at most {}.",
                      spec.name, parts[i].bytes, vd::max_buffer_bytes));
    }
    if (i > 0 && slots_on(parts[i]) <= slots_on(parts[i - 1])) {
      return tl::unexpected(model::Failure{
          model::Status::unsupported,
          "buffer_in_parts",
          {{"buffer_in_parts",
            fmt::format("{}: parts of a buffer that lie less than {} bytes apart", spec.name, vd::slot_bytes),
            {},
            0,
            {}}}});
    }
  }
  const std::uint32_t span = slots_on(parts.back()) + 1;
  // Slots are not used again while there are others: a stale pointer then reaches nothing.
  if (next_slot_ + span > vd::max_slots) next_slot_ = vd::first_buffer_slot;
  for (auto taken = buffers_.lower_bound(next_slot_);
       taken != buffers_.end() && taken->first < next_slot_ + span;
       taken = buffers_.lower_bound(next_slot_)) {
    next_slot_ = taken->first + 1;
  }
  const BufferId id = next_slot_;
  next_slot_ += span;
  const std::string name = spec.name.empty() ? fmt::format("buffer {}", id) : spec.name;
  const std::shared_ptr<const vd::ElementMask> elements = vd::ElementMask::of(spec.view);
  std::uint64_t view_offset = 0;
  for (const BufferPart& part : parts) {
    const BufferId own = id + slots_on(part);
    const std::string called =
        part.offset == 0 ? name : fmt::format("{} (its part at byte offset {})", name, part.offset);
    buffers_.emplace(own, std::make_unique<vd::Buffer>(
                              own, called, part.bytes,
                              position + part.offset - std::uint64_t{slots_on(part)} * vd::slot_bytes));
    buffers_.at(own)->restrict(spec.access == BufferAccess::read_only, elements, view_offset);
    if (spec.zeroed) buffers_.at(own)->zero_before_launches();
    if (spec.restored) buffers_.at(own)->restore_before_launches();
    view_offset += part.bytes;
    if (own != id) further_parts_[id].push_back(own);
  }
  return id;
}

void VirtualDevice::release(BufferId id) {
  if (const auto parts = further_parts_.find(id); parts != further_parts_.end()) {
    for (const BufferId part : parts->second) buffers_.erase(part);
    further_parts_.erase(parts);
  }
  buffers_.erase(id);
}

template <class Bytes, class Use>
void VirtualDevice::for_parts(BufferId id, Bytes bytes, const Use& use) {
  const auto visit = [&](vd::Buffer& part) {
    const std::size_t now = std::min<std::size_t>(part.bytes(), bytes.size());
    use(part, bytes.first(now));
    bytes = bytes.subspan(now);
  };
  const std::string& name = buffer(id).name();
  visit(buffer(id));
  if (const auto parts = further_parts_.find(id); parts != further_parts_.end()) {
    for (const BufferId part : parts->second) visit(buffer(part));
  }
  if (!bytes.empty()) misuse(fmt::format("{} bytes too many for {}", bytes.size(), name));
}

Outcome<void> VirtualDevice::write(BufferId id, std::span<const std::byte> bytes) {
  for_parts(id, bytes, [](vd::Buffer& part, std::span<const std::byte> own) { part.write(own); });
  return {};
}

Outcome<void> VirtualDevice::read(BufferId id, std::span<std::byte> bytes) {
  for_parts(id, bytes, [](const vd::Buffer& part, std::span<std::byte> own) { part.read(own); });
  return {};
}

Outcome<void> VirtualDevice::poison(BufferId id, std::uint32_t pattern) {
  std::uint64_t at = 0;  // the pattern goes on from part to part
  for_parts(id, std::span<std::byte>(), [&](vd::Buffer& part, auto) {
    part.poison(std::rotr(pattern, static_cast<int>(8 * (at % 4))));
    at += part.bytes();
  });
  return {};
}

std::vector<std::uint8_t> VirtualDevice::written(BufferId id) {
  std::vector<std::uint8_t> bytes;
  const auto add = [&bytes](const vd::Buffer& part) {
    bytes.insert(bytes.end(), part.shadow().begin(), part.shadow().end());
  };
  add(buffer(id));
  if (const auto parts = further_parts_.find(id); parts != further_parts_.end()) {
    for (const BufferId part : parts->second) add(buffer(part));
  }
  return bytes;
}

Outcome<void> VirtualDevice::check_guards() {
  return {};
}
Outcome<void> VirtualDevice::synchronize() {
  return {};
}

}  // namespace evo::evaluators::devices
