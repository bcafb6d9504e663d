#include "evaluators/devices/virtual/warp/spinning.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

/// Some milliseconds of polls a launch; and of a block, a turn of one warp.
constexpr std::uint64_t in_full_of_launch = std::uint64_t{1} << 18, in_full_of_block = 2048;
/// Turns that pass at most without a look.
constexpr std::uint32_t turns_of_waiting = 32;
/// Places in the code, and sets of lanes there, that are remembered of a warp.
constexpr std::size_t most_remembered = 16;

std::uint64_t value_at(const std::byte* data, std::uint32_t width) {
  std::uint64_t value = 0;
  std::memcpy(&value, data, std::min<std::uint32_t>(width, 8));
  return value;
}

/// Where a lane looks; null outside of all memory.
const std::byte* place_of(const Warp& warp, Space space, std::uint64_t address, std::uint32_t width) {
  if (space == Space::generic || space == Space::none) {
    space = space_of(address);
    address = from_generic(space, address);
  }
  if (space == Space::shared) {
    const bool inside = address < warp.shared_bytes && width <= warp.shared_bytes - address;
    return inside ? warp.shared + address : nullptr;
  }
  if (space != Space::global) return nullptr;
  // A load that misses a late store sees something else, and comes on by looking again.
  if (warp.block->late != nullptr && warp.block->late->is_late(address)) return nullptr;
  const Region* region = warp.block->launch->memory->locate(address, width);
  return region != nullptr ? region->data + (address - region->base) : nullptr;
}

/// What the running lanes will see. False: not all of it can be told.
bool look(const Warp& warp, const Op* poll, std::vector<SpinningLanes::Word>& words) {
  words.clear();
  const std::byte* bases = warp.registers + poll->a;
  const Space space = instruction_of(warp, poll).space;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t base = value_at(bases + std::size_t{lane} * poll->c, poll->c);
    const std::byte* data =
        place_of(warp, space, base + static_cast<std::uint64_t>(poll->offset), poll->extra);
    if (data == nullptr) return false;
    const bool known = std::ranges::any_of(words, [&](const auto& word) { return word.data == data; });
    if (!known) words.push_back({data, poll->extra, value_at(data, poll->extra)});
  }
  return true;
}

SpinningLanes* remembered(Warp& warp, const Op* op, std::uint32_t mask) {
  const auto found = std::ranges::find_if(
      warp.spinning, [&](const SpinningLanes& known) { return known.op == op && known.mask == mask; });
  return found == warp.spinning.end() ? nullptr : &*found;
}

}  // namespace

std::uint64_t polls_in_full(std::uint64_t blocks) {
  return std::max(in_full_of_block, in_full_of_launch / std::max<std::uint64_t>(blocks, 1));
}

bool spins(Warp& warp, const Op* poll) {
  if (poll->extra == 0) return false;
  std::vector<SpinningLanes::Word> words;
  if (!look(warp, poll, words)) return false;
  SpinningLanes* before = remembered(warp, poll + 1, warp.mask);
  if (before == nullptr) {
    if (warp.spinning.size() >= most_remembered) warp.spinning.clear();
    before = &warp.spinning.emplace_back();
    before->op = poll + 1;
    before->mask = warp.mask;
  }
  before->waits = before->words == words;
  before->turns = turns_of_waiting;
  before->words = std::move(words);
  return before->waits;
}

bool waits(Warp& warp, const Fragment& fragment) {
  if (warp.spinning.empty()) return false;
  SpinningLanes* const spinning = remembered(warp, fragment.op, fragment.mask);
  if (spinning == nullptr || !spinning->waits) return false;
  spinning->waits = std::ranges::all_of(spinning->words, [](const SpinningLanes::Word& word) {
    return value_at(word.data, word.width) == word.value;
  });
  return spinning->waits;
}

bool only_waits(Warp& warp) {
  if (warp.spinning.empty()) return false;
  for (const Fragment& fragment : warp.fragments) {
    if (fragment.state == FragmentState::runnable && !waits(warp, fragment)) return false;
  }
  bool still = true;
  for (SpinningLanes& spinning : warp.spinning) {
    if (!spinning.waits) continue;
    spinning.waits = --spinning.turns != 0;
    still &= spinning.waits;
  }
  return still;
}

}  // namespace evo::evaluators::virtual_device::warp
