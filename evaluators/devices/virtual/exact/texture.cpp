// Textures and surfaces: what is read from a texture nothing writes, so that no access can race there; a
// surface's texels are read and written by the load or store that follows.
#include <array>

#include "evaluators/devices/virtual/exact/block.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Null, and told, where the handle is none that the instruction may use.
const Texture* Block::texture_of(Thread& thread, const Step& step, std::span<Word> sources) {
  for (unsigned i = 0; i < step.src_count; ++i) sources[i] = source(thread, step, i);
  const Instruction& instruction = *step.instruction;
  if (thread.tainted && thread.poison[step.src[0]] != 0) {
    report_uninitialized(thread, thread.poison[step.src[0]], "is the handle of a texture or surface");
    return nullptr;
  }
  if (const Texture* found = usable_texture(launch_.textures, instruction, sources[0])) return found;
  report_texture(thread, FindingKind::wrong_texture,
                 texture_fault(launch_.textures, instruction, sources[0]));
  return nullptr;
}

void Block::report_texture(const Thread& thread, FindingKind kind, std::string text) {
  Finding finding;
  finding.kind = kind;
  finding.here = site(thread);
  finding.text = std::move(text);
  log_.add(finding);
  limit_after_fault();
}

void Block::fetch_texture(Thread& thread, const Step& step) {
  std::array<Word, 6> sources{};
  Fetched fetched;
  if (const Texture* texture = texture_of(thread, step, sources))
    fetched = fetch(*texture, *step.instruction, sources);
  const std::uint32_t poison = thread.tainted ? poison_of(thread, step) : 0;
  for (unsigned i = 0; i < step.dst_count; ++i) set(thread, step, i, fetched.values[i], poison);
}

void Block::find_in_surface(Thread& thread, const Step& step) {
  std::array<Word, 6> sources{};
  SurfacePlace place;
  const Texture* surface = texture_of(thread, step, sources);
  const std::uint32_t poison = thread.tainted ? poison_of(thread, step) : 0;
  if (surface != nullptr && poison != 0) {
    report_uninitialized(thread, poison, "is a coordinate of a surface");
  } else if (surface != nullptr) {
    place = place_in(*surface, *step.instruction, sources);
    if (place.fault) {
      report_texture(thread, FindingKind::out_of_bounds,
                     surface_text(*surface, *step.instruction, sources) +
                         ", beyond the edge, where an access without cudaBoundaryModeClamp or "
                         "cudaBoundaryModeZero ends the kernel");
    }
  }
  set(thread, step, 0, place.address, 0);
  set(thread, step, 1, place.inside ? 1 : 0, 0);
}

}  // namespace evo::evaluators::virtual_device::exact
