// What a thread's loads and stores may overtake: see early_loads.hpp and late_stores.hpp.
#include <algorithm>
#include <map>

#include "evaluators/devices/virtual/exact/block.hpp"

namespace evo::evaluators::virtual_device::exact {

bool Block::reads_early(Thread& thread, const Step& step, const Place& place) {
  EarlyLoads* const early = common_.early;
  if (early == nullptr) return false;
  const ThreadOfLaunch who{index_, thread.index};
  if (!step.may_be_early || !give_way_.late()) {
    early->looks(who, place.address, place.width);
    return false;
  }
  early->asks(who, thread.load_order, place.address, place.width);
  return early->hide();
}

void Block::orders_loads(Thread& thread, bool device) {
  if (common_.early == nullptr) return;
  LoadOrder& order = thread.load_order;
  order.block = common_.early->now();
  order.device = device ? order.block : std::max(order.device, most_ordered_);
  most_ordered_ = std::max(most_ordered_, order.device);
}

void Block::note_meeting(std::span<const std::uint32_t> threads) {
  for (const std::uint32_t t : threads) orders_loads(threads_[t], true);
  if (common_.late == nullptr) return;
  // By warp: a barrier of many threads looks at all late stores once for each.
  std::map<std::uint32_t, std::uint32_t> lanes;
  for (const std::uint32_t t : threads) lanes[threads_[t].warp()] |= 1U << threads_[t].lane();
  for (const auto& [warp, mask] : lanes) common_.late->tell({index_, warp, mask});
}

void Block::note_fence(Thread& thread, const Step& step) {
  const bool device = step.strength == Strength::device;
  if (step.acquire) orders_loads(thread, device);
  if (common_.late == nullptr || !step.release) return;
  if (device) {
    common_.late->fence(only(thread));
  } else {
    common_.late->tell(only(thread));
  }
}

/// Others may see a strong store to global memory late, and what an atomic one changes where they only load
/// it. Is it late?
bool Block::note_late_store(const Thread& thread, const Step& step, const Place& place, bool atomic) {
  LateStores* const late = common_.late;
  if (late == nullptr) return false;
  const Strength strength = order_of(step, place).strength;
  const bool strong = strength != Strength::weak;
  if (step.release) {
    if (strength == Strength::device) {
      late->settle(only(thread));
    } else {
      late->tell(only(thread));
    }
  }
  if (place.space != Space::global) return false;
  if (strong || atomic) late->acts(index_);
  const bool may_be_late = atomic ? common_.early != nullptr : strong;
  if (common_.early != nullptr && (strong || atomic))
    common_.early->writes({index_, thread.index}, place.address, place.width);
  if (may_be_late && !step.release && give_way_.late())
    return late->delay(index_, thread.index, place.address, place.width);
  late->settle_at(place.address);
  return false;
}

}  // namespace evo::evaluators::virtual_device::exact
