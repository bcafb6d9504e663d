// Textures and surfaces, lane by lane.
#include <array>
#include <bit>

#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

using namespace EVO_ISA;

using Sources = std::array<std::uint64_t, 6>;

Sources sources_of(const Warp& warp, const Wide& wide, unsigned lane) {
  Sources sources{};
  for (unsigned k = 0; k < wide.src_count; ++k) {
    const std::byte* slot = warp.registers + wide.src[k];
    sources[k] =
        wide.src_class[k] == 8 ? read_lane<std::uint64_t>(slot, lane) : read_lane<std::uint32_t>(slot, lane);
  }
  return sources;
}

void tell(Warp& warp, const Op* op, FaultKind kind, unsigned lane, std::string text) {
  Fault fault;
  fault.kind = kind;
  fault.thread = BlockState::thread_of(warp, lane);
  fault.text = std::move(text);
  fail(warp, op, fault);
}

/// Null, and told, where the handle is none that the instruction may use.
const Texture* texture_of(Warp& warp, const Op* op, const Sources& sources, unsigned lane) {
  const std::span<const Texture> textures = warp.block->launch->textures;
  const Instruction& instruction = instruction_of(warp, op);
  if (const Texture* found = usable_texture(textures, instruction, sources[0])) return found;
  tell(warp, op, FaultKind::wrong_texture, lane, texture_fault(textures, instruction, sources[0]));
  return nullptr;
}

std::uint32_t poison_of(const Warp& warp, const Wide& wide) {
  std::uint32_t poisoned = 0;
  for (unsigned k = 0; k < wide.src_count; ++k) poisoned |= warp.poison[wide.src_poison[k]];
  return poisoned;
}

}  // namespace

const Op* texture_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const Instruction& instruction = instruction_of(warp, op);
  const std::uint32_t bad_handle = warp.poison[wide.src_poison[0]] & warp.mask;
  if (bad_handle != 0)
    suspect(warp, op, SuspicionKind::uninitialized, static_cast<std::uint32_t>(std::countr_zero(bad_handle)));
  std::array<std::uint64_t, lanes> addresses{};
  const Texture* counted = nullptr;
  std::uint32_t read = 0;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const Sources sources = sources_of(warp, wide, lane);
    Fetched fetched;
    if (const Texture* texture = texture_of(warp, op, sources, lane)) {
      fetched = fetch(*texture, instruction, sources);
      if (counted == nullptr) counted = texture;
      if (texture == counted && fetched.address != 0) {
        addresses[lane] = fetched.address;
        read |= 1U << lane;
      }
    }
    for (unsigned k = 0; k < wide.dst_count; ++k)
      write_lane<std::uint32_t>(warp.registers + wide.dst[k], lane, fetched.values[k]);
  }
  if (warp.counts != nullptr && read != 0) {
    const Region& region = warp.block->launch->memory->find(counted->base);
    warp.counts->global(op->instruction, region, addresses.data(), read,
                        static_cast<unsigned>(counted->view.texel_bytes()));
  }
  const std::uint32_t poisoned = poison_of(warp, wide);
  for (unsigned k = 0; k < wide.dst_count; ++k) set_poison(warp, wide.dst_poison[k], poisoned);
  return op + 1;
}

const Op* surface_step(Warp& warp, const Op* op) {
  const Wide& wide = warp.wide[op->extra];
  const Instruction& instruction = instruction_of(warp, op);
  if (warp.block->code->checked) check_operands(warp, op, wide);
  std::uint32_t inside = 0;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const Sources sources = sources_of(warp, wide, lane);
    SurfacePlace place;
    if (const Texture* surface = texture_of(warp, op, sources, lane)) {
      place = place_in(*surface, instruction, sources);
      if (place.fault) {
        tell(warp, op, FaultKind::out_of_bounds, lane,
             surface_text(*surface, instruction, sources) + ", beyond the edge");
      }
    }
    write_lane<std::uint64_t>(warp.registers + wide.dst[0], lane, place.address);
    if (place.inside) inside |= 1U << lane;
  }
  std::uint32_t& predicate = warp.predicate(wide.dst[1]);
  predicate = (predicate & ~warp.mask) | (inside & warp.mask);
  set_poison(warp, wide.dst_poison[0], 0);
  set_poison(warp, wide.dst_poison[1], 0);
  return op + 1;
}

}  // namespace evo::evaluators::virtual_device::warp
