#include <algorithm>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/exact/bytes.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Thread instructions that a block may run after its first fault.
constexpr std::uint64_t after_fault = std::uint64_t{1} << 25;

}  // namespace

std::uint64_t Block::address_of(const Thread& thread, const Step& step) const {
  const std::uint64_t address = thread.frame[step.base] + static_cast<std::uint64_t>(step.offset);
  return step.narrow_base ? address & 0xffffffffU : address;
}

void Block::fault(const Thread& thread, FindingKind kind, AccessKind access, const Place& place) {
  Finding finding;
  finding.kind = kind;
  finding.here = site(thread);
  finding.access = access;
  finding.space = place.space;
  finding.address = place.address;
  finding.width = place.width;
  const LaneTrace& trace = *place.trace;
  if (trace.previous_thread / 32 == thread.warp() && trace.previous_thread != trace.thread) {
    const auto lanes =
        static_cast<std::int64_t>(trace.thread) - static_cast<std::int64_t>(trace.previous_thread);
    const auto distance = static_cast<std::int64_t>(trace.address - trace.previous_address);
    if (distance % lanes == 0) finding.lane_stride = distance / lanes;
  }
  log_.add(finding);
  limit_after_fault();
}

void Block::limit_after_fault() {
  limit_ = std::min(limit_, executed_ + passed_ + after_fault);
  faulted_ = true;
}

bool Block::locate(Thread& thread, const Step& step, AccessKind kind, Place& place) {
  const bool found = resolve(
      thread,
      {address_of(thread, step), step.instruction->space, step.base, step.width, step.width, 2 * thread.pc},
      kind, place);
  if (found && (step.strength != Strength::weak || step.is_volatile)) ++thread.polls;
  return found;
}

bool Block::resolve(Thread& thread, const Target& target, AccessKind kind, Place& place) {
  std::uint64_t address = target.address;
  LaneTrace& trace = traces_[target.trace];
  if (trace.thread != thread.index) {
    trace = {thread.index, trace.thread, address, trace.address};
  }
  place.trace = &trace;
  if (thread.tainted && thread.poison[target.base] != 0) {
    report_uninitialized(thread, thread.poison[target.base], "forms an address");
    return false;
  }
  Space space = target.space;
  if (space == Space::generic) {
    space = space_of(address);
    if (space != Space::global) address = from_generic(space, address);
  }
  place.space = space;
  place.address = address;
  const std::uint64_t width = place.width = target.width;
  const auto inside = [&](std::uint64_t bytes) { return address < bytes && width <= bytes - address; };
  bool mapped = false;
  bool writable = true;
  // A pointer outside its buffer must not even be formed.
  const auto at = [&mapped](std::uint64_t offset) { return mapped ? offset : 0; };
  switch (space) {
    case Space::shared:
      mapped = inside(shared_bytes_);
      place.data = shared_ + at(address);
      place.shadow = &shared_shadow_[at(address)];
      break;
    case Space::local:
      mapped = inside(code_.program->local_bytes);
      place.data = thread.local + at(address);
      place.shadow = thread.local_shadow + at(address);
      break;
    case Space::constant:
    case Space::param: {
      const bool constant = space == Space::constant;
      const auto* bytes = constant ? code_.program->constant_image.data()
                                   : reinterpret_cast<const std::uint8_t*>(launch_.parameters.data());
      mapped = inside(constant ? code_.program->constant_image.size() : launch_.parameters.size());
      writable = false;
      place.data = const_cast<std::uint8_t*>(bytes) + at(address);  // never written: see writable
      break;
    }
    default: {
      const Region& region = launch_.memory->find(address);
      mapped = region.contains(address, width);
      place.region = &region;
      place.data = reinterpret_cast<std::uint8_t*>(region.data) + at(address - region.base);
      place.shadow = region.all_written ? nullptr : region.shadow + at(address - region.base);
      break;
    }
  }
  if (address % target.alignment != 0) {
    fault(thread, FindingKind::misaligned, kind, place);
    if (space == Space::shared) misaligned_.shared |= address;
    if (space == Space::global) misaligned_.global |= address;
  }
  if (!mapped || (kind != AccessKind::read && !writable)) {
    fault(thread, FindingKind::out_of_bounds, kind, place);
    return false;
  }
  if (kind != AccessKind::read && place.region != nullptr && place.region->restricted()) {
    const Trespass trespass = place.region->trespass(address, width);
    if (trespass != Trespass::none) {
      Finding finding;
      finding.kind = trespass == Trespass::input ? FindingKind::input_written : FindingKind::gap_written;
      finding.here = site(thread);
      finding.access = kind;
      finding.space = space;
      finding.address = address;
      finding.width = target.width;
      log_.add(finding);
    }
  }
  if (space == Space::shared && launch_.dynamic_smem != 0) {
    const std::uint32_t dynamic = launch_.dynamic_smem_offset();
    const auto end = static_cast<std::uint32_t>(address + width);
    if (end > dynamic) dynamic_touched_ = std::max(dynamic_touched_, end - dynamic);
  }
  return true;
}

std::uint32_t Block::origin_of(const Thread& thread, const Step& step, const Place& place, unsigned element) {
  const std::uint8_t* shadow = place.shadow + std::size_t{element} * step.element;
  const std::uint64_t address = place.address + std::uint64_t{element} * step.element;
  // Global memory never holds poisoned bytes: storing one there is told at once.
  for (unsigned i = 0; place.space != Space::global && i < step.element; ++i) {
    if (shadow[i] != shadow_poisoned) continue;
    const std::uint64_t thread_key = place.space == Space::local ? std::uint64_t{thread.index + 1} << 32 : 0;
    const auto known = poisoned_bytes_.find(thread_key + address + i);
    if (known != poisoned_bytes_.end()) return known->second;
  }
  std::uint32_t& origin = origin_of_instruction_[thread.pc];
  if (origin == 0) {
    origins_.push_back({site(thread), place.space, address, step.element});
    origin = static_cast<std::uint32_t>(origins_.size());
  }
  return origin;
}

void Block::load(Thread& thread, const Step& step) {
  Place place;
  thread.last_read = 0;
  if (!locate(thread, step, AccessKind::read, place)) {
    for (unsigned i = 0; i < step.vector; ++i) set(thread, step, i, 0, 0);
    return;
  }
  bool hidden = false, early = false;
  if (place.space == Space::shared || place.space == Space::global) {
    Order order = order_of(step, place);
    if (thread.depends != nullptr && place.space == Space::shared) {
      order.read = ++thread.reads;
      thread.last_read = Dependences::of_read(thread.lane(), order.read);
    }
    check_races(site(thread), order, place, AccessKind::read, nullptr);
    if (place.space == Space::shared && begin_load(thread, step)) late_reads_.reads(thread.index, place);
    if (common_.late != nullptr && place.space == Space::global &&
        order_of(step, place).strength != Strength::weak) {
      common_.late->acts(index_);
      hidden = common_.late->hide(index_, place.address, place.width);
      early = !hidden && reads_early(thread, step, place);
    }
    if (order_ != nullptr) read_flag(thread, step, place, hidden);
  }
  for (unsigned i = 0; i < step.vector; ++i) {
    std::uint32_t poison = 0;
    Word undefined = 0;
    if (place.shadow != nullptr) {
      const Word shadow = peek(place.shadow + i * step.element, step.element);
      if (shadow != all_ones(step.element)) {
        poison = origin_of(thread, step, place, i);
        thread.tainted = true;
        for (unsigned byte = 0; byte < step.element; ++byte) {
          const bool written = (shadow >> 8 * byte & 0xff) == shadow_written;
          if (!written) undefined |= Word{0xff} << 8 * byte;
        }
      }
    }
    const Word value = peek(place.data + i * step.element, step.element);
    const auto to_register = [&](Word bits) {
      return extended(bits, step.instruction->type, step.element, step.dst_bytes[i]);
    };
    set(thread, step, i, to_register(value), poison, to_register(undefined));
  }
  const bool strong = step.strength != Strength::weak || step.is_volatile;
  if (step.polls && strong && !hidden && !early) note_poll(thread, step, place);
  if (hidden) common_.late->show();
  if (early) common_.early->show();
  if (step.acquire) orders_loads(thread, order_of(step, place).strength == Strength::device);
}

void Block::mark_written(const Place& place, const Step& step, unsigned element, std::uint32_t poison,
                         Word undefined) {
  if (place.shadow == nullptr) return;
  std::uint8_t* shadow = place.shadow + std::size_t{element} * step.element;
  if (poison == 0 || place.space == Space::global) {
    poke(shadow, step.element, all_ones(step.element));
    return;
  }
  for (unsigned byte = 0; byte < step.element; ++byte) {
    shadow[byte] = (undefined >> 8 * byte & 0xff) != 0 ? shadow_poisoned : shadow_written;
  }
}

void Block::store(Thread& thread, const Step& step) {
  Place place;
  if (!locate(thread, step, AccessKind::write, place)) return;
  alignas(8) std::uint8_t bytes[32] = {};
  bool known = true;
  for (unsigned i = 0; i < step.vector; ++i) {
    poke(bytes + i * step.element, step.element, source(thread, step, i) & all_ones(step.element));
    known &= undefined_bits(thread, step.src[i]) == 0 && !(thread.tainted && thread.poison[step.src[i]] != 0);
  }
  overwrite_mbarriers(place);
  const bool late = note_late_store(thread, step, place, false);
  if (place.space != Space::local) {
    // Nobody knows whether what has no value is the same.
    Order order = order_of(step, place);
    if (thread.depends != nullptr && place.space == Space::shared && step.vector == 1)
      order.depends = thread.depends[step.src[0]];
    check_races(site(thread), order, place, AccessKind::write, known ? bytes : nullptr);
    if (order_ != nullptr) write_flag(thread, step, place, false, late);
  }
  for (unsigned i = 0; i < step.vector; ++i) {
    put(thread, step, place, i, peek(bytes + i * step.element, step.element),
        thread.tainted ? thread.poison[step.src[i]] : 0, undefined_bits(thread, step.src[i]));
  }
}

void Block::put(const Thread& thread, const Step& step, const Place& place, unsigned element, Word value,
                std::uint32_t poison, Word undefined) {
  // What is narrower than its register may leave the undefined bits behind.
  if ((undefined & all_ones(step.element)) == 0) poison = 0;
  if (poison != 0) {
    if (place.space == Space::global) {
      report_uninitialized(thread, poison, "is stored to global memory");
    } else {
      const std::uint64_t key = place.space == Space::local ? std::uint64_t{thread.index + 1} << 32 : 0;
      const std::uint64_t address = place.address + std::uint64_t{element} * step.element;
      for (unsigned b = 0; b < step.element; ++b) poisoned_bytes_[key + address + b] = poison;
    }
  }
  mark_written(place, step, element, poison, undefined);
  std::uint8_t* const data = place.data + element * step.element;
  if (place.space != Space::local && peek(data, step.element) != value) ++progress_;
  poke(data, step.element, value);
}

std::string Block::text_at(std::uint64_t generic_address) const {
  std::string text;
  for (; text.size() < 200; ++generic_address) {
    std::uint8_t byte = 0;
    if (const Region* region = launch_.memory->locate(generic_address, 1); region != nullptr) {
      byte = static_cast<std::uint8_t>(
          peek(reinterpret_cast<const std::uint8_t*>(region->data) + (generic_address - region->base), 1));
    } else if (space_of(generic_address) == Space::constant) {
      const std::uint64_t offset = from_generic(Space::constant, generic_address);
      const auto& image = code_.program->constant_image;
      byte = offset < image.size() ? image[offset] : 0;
    }
    if (byte == 0) break;
    text.push_back(static_cast<char>(byte));
  }
  return text;
}

}  // namespace evo::evaluators::virtual_device::exact
