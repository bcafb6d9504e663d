#include "evaluators/devices/virtual/early_loads.hpp"

#include <algorithm>
#include <cstring>

namespace evo::evaluators::virtual_device {

std::byte* EarlyLoads::data_of(std::uint64_t number) const {
  const Region* region = memory_.locate(number * granule, granule);
  return region == nullptr ? nullptr : region->data + (number * granule - region->base);
}

void EarlyLoads::writes(ThreadOfLaunch who, std::uint64_t address, unsigned width) {
  ++now_;
  const bool full = places_.size() >= most_places;
  for_each_granule(address, width, [&](std::uint64_t number) {
    const std::byte* data = data_of(number);
    if (data == nullptr) return;
    const auto known = full ? places_.find(number) : places_.try_emplace(number).first;
    if (known == places_.end()) return;
    Place& place = known->second;
    if (full) {
      place.writes.clear();
      place.forgotten = now_;
      return;
    }
    Write& write = place.writes.emplace_back();
    write.time = now_;
    write.block = who.block;
    std::memcpy(write.old.data(), data, granule);
    place.seen[key(who)] = now_;
    if (place.writes.size() <= most_writes) return;
    place.forgotten = place.writes.front().time;
    place.writes.erase(place.writes.begin());
  });
}

void EarlyLoads::looks(ThreadOfLaunch who, std::uint64_t address, unsigned width) {
  if (places_.empty()) return;
  for_each_granule(address, width, [&](std::uint64_t number) {
    const auto place = places_.find(number);
    if (place != places_.end()) place->second.seen[key(who)] = now_;
  });
}

void EarlyLoads::asks(ThreadOfLaunch who, const LoadOrder& order, std::uint64_t address, unsigned width) {
  if (places_.empty() || width > widest) return;
  asked_.push_back({who, address, width});
  // One moment for all that is loaded: a lane's load is one access, and lanes may share a place.
  moment_ = std::max(moment_, order.device);
  for_each_granule(address, width, [&](std::uint64_t number) {
    const auto found = places_.find(number);
    if (found == places_.end()) return;
    const Place& place = found->second;
    moment_ = std::max(moment_, place.forgotten);
    if (const auto seen = place.seen.find(key(who)); seen != place.seen.end())
      moment_ = std::max(moment_, seen->second);
    for (const Write& write : place.writes) {
      if (write.block == who.block && write.time <= order.block) moment_ = std::max(moment_, write.time);
    }
  });
}

bool EarlyLoads::hide() {
  for (const Asked& asked : asked_) {
    for_each_granule(asked.address, asked.width, [&](std::uint64_t number) {
      const auto found = places_.find(number);
      if (found == places_.end()) return;
      Place& place = found->second;
      place.seen[key(asked.who)] = moment_;
      const auto first =
          std::ranges::find_if(place.writes, [&](const Write& write) { return write.time > moment_; });
      std::byte* data = first == place.writes.end() ? nullptr : data_of(number);
      if (data == nullptr) return;
      Hidden& hidden = hidden_.emplace_back();
      hidden.data = data;
      std::memcpy(hidden.now.data(), data, granule);
      std::memcpy(data, first->old.data(), granule);
    });
  }
  asked_.clear();
  moment_ = 0;
  return !hidden_.empty();
}

void EarlyLoads::show() {
  for (auto hidden = hidden_.rbegin(); hidden != hidden_.rend(); ++hidden)
    std::memcpy(hidden->data, hidden->now.data(), granule);
  hidden_.clear();
}

}  // namespace evo::evaluators::virtual_device
