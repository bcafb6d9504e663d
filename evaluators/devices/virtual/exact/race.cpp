#include "evaluators/devices/virtual/exact/race.hpp"

#include <algorithm>

namespace evo::evaluators::virtual_device::exact {
namespace {

/// A read stays in the place of its thread when that stores there what depends on reads: a write that is not
/// behind the one is not behind the other, and need not depend on what was read.
bool stays(const Access& known, const Access& now) {
  return now.depends != 0 && known.kind == AccessKind::read && known.thread == now.thread &&
         known.epoch == now.epoch && known.clock == now.clock;
}

}  // namespace

void Clocks::start(std::uint32_t threads, bool whole_block) {
  width_ = whole_block ? std::max(threads, 32U) : 32;
  ++epoch_;
  clocks_.assign(threads, 1);
  known_.assign(std::size_t{threads} * width_, 0);
  joined_.assign(width_, 0);
  for (std::uint32_t t = 0; t < threads; ++t) known_[std::size_t{t} * width_ + t % width_] = 1;
}

void Clocks::release(std::uint32_t thread, std::vector<std::uint32_t>& joined) {
  joined.resize(width_, 0);
  const std::uint32_t* known = &known_[std::size_t{thread} * width_];
  for (std::uint32_t i = 0; i < width_; ++i) joined[i] = std::max(joined[i], known[i]);
  known_[std::size_t{thread} * width_ + thread % width_] = ++clocks_[thread];
}

void Clocks::acquire(std::uint32_t thread, const std::vector<std::uint32_t>& joined) {
  std::uint32_t* known = &known_[std::size_t{thread} * width_];
  for (std::uint32_t i = 0; i < width_; ++i) known[i] = std::max(known[i], joined[i]);
}

void Clocks::meet(std::span<const std::uint32_t> threads) {
  // Nobody knows more of a thread than the thread itself: where all of a group meet, that is all to be known.
  if (threads.size() == width_) {
    for (const std::uint32_t thread : threads) joined_[thread % width_] = clocks_[thread];
  } else {
    std::fill(joined_.begin(), joined_.end(), 0);
    for (const std::uint32_t thread : threads) {
      const std::uint32_t* known = &known_[std::size_t{thread} * width_];
      for (std::uint32_t i = 0; i < width_; ++i) joined_[i] = std::max(joined_[i], known[i]);
    }
  }
  // What each knew is part of it.
  for (const std::uint32_t thread : threads) {
    std::uint32_t* known = &known_[std::size_t{thread} * width_];
    std::copy(joined_.begin(), joined_.end(), known);
    known[thread % width_] = ++clocks_[thread];
  }
}

const Access* RaceChecker::conflicting_reader(const Granule& granule, const Access& access, bool same_value,
                                              bool& agrees) const {
  if (granule.read.epoch != access.epoch) return nullptr;
  const auto in_conflict = [&](const Access& other) {
    if (!conflicts(other, access)) return false;
    if (!same_value || !may_repeat(other, access)) return true;
    agrees = true;
    return false;
  };
  if (in_conflict(granule.other_group)) return &granule.other_group;
  if (!granule.many) return in_conflict(granule.read) ? &granule.read : nullptr;
  for (const Access& reader : tables_[granule.table]) {
    if (in_conflict(reader)) return &reader;
  }
  return nullptr;
}

void RaceChecker::remember_reader(Granule& granule, const Access& access) {
  if (granule.read.epoch != access.epoch) {
    granule.read = access;
    granule.many = false;
    return;
  }
  if (!clocks_.same_group(granule.read.thread, access.thread)) {
    // A plain read says more than a strong one.
    const bool plain = !access.strong && !access.is_volatile;
    if (granule.other_group.epoch != access.epoch || plain) granule.other_group = access;
    return;
  }
  const std::uint32_t width = clocks_.group_size();
  if (granule.many) {
    Access& known = tables_[granule.table][access.thread % width];
    if (!stays(known, access)) known = access;
  } else if (granule.read.thread == access.thread) {
    if (!stays(granule.read, access)) granule.read = access;
  } else {
    if (granule.table == 0) {
      granule.table = static_cast<std::uint32_t>(tables_.size());
      tables_.emplace_back(width);
    }
    std::vector<Access>& table = tables_[granule.table];
    table[granule.read.thread % width] = granule.read;
    table[access.thread % width] = access;
    granule.many = true;
  }
}

const Access* RaceChecker::earlier_writer(const Granule& granule, const Access& access) const {
  const auto in_conflict = [&](const Access& other) {
    return other.kind == AccessKind::write && conflicts(other, access);
  };
  if (in_conflict(granule.other_group)) return &granule.other_group;
  if (!granule.many) return in_conflict(granule.read) ? &granule.read : nullptr;
  const std::vector<Access>& table = tables_[granule.table];
  const auto found = std::ranges::find_if(table, in_conflict);
  return found == table.end() ? nullptr : &*found;
}

const Access* RaceChecker::read(Granule& granule, const Access& access) {
  const Access* conflict = conflicts(granule.write, access) ? &granule.write : nullptr;
  if (conflict == nullptr && granule.keeps_writers) {
    conflict = earlier_writer(granule, access);
    if (conflict != nullptr) {
      found_ = *conflict;  // its place may be taken now
      conflict = &found_;
    }
  }
  remember_reader(granule, access);
  return conflict;
}

const Access* RaceChecker::write(Granule& granule, const Access& access, bool same_value) {
  const Access* conflict = nullptr;
  bool agrees = false;
  if (conflicts(granule.write, access)) {
    agrees = same_value && may_repeat(granule.write, access);
    if (!agrees) conflict = &granule.write;
  }
  if (conflict == nullptr) conflict = conflicting_reader(granule, access, same_value, agrees);
  if (conflict != nullptr) {
    found_ = *conflict;
    conflict = &found_;
  }
  const Access before = granule.write;
  // A plain store stays in front of what its thread does there strongly: it conflicts with more, as where one
  // thread sets a counter and all add to it.
  const bool stays = access.strong && before.epoch == access.epoch && before.thread == access.thread &&
                     !before.strong && !before.is_volatile && before.kind == AccessKind::write;
  if (!stays) granule.write = access;
  if (agrees && conflict == nullptr) {
    // Whoever comes later must be ordered behind both, or store the same.
    remember_reader(granule, before);
    granule.keeps_writers = true;
    return nullptr;
  }
  // Another write may come before a read that this one comes behind: one that is ordered by what it stores
  // alone, or that stores the same and need not be ordered behind this one.
  if (access.depends != 0 || access.repeatable) return conflict;
  granule.keeps_writers = false;
  granule.read.epoch = 0;
  granule.other_group.epoch = 0;
  granule.many = false;
  return conflict;
}

}  // namespace evo::evaluators::virtual_device::exact
