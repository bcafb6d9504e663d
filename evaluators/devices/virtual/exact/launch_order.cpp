#include "evaluators/devices/virtual/exact/launch_order.hpp"

#include <algorithm>

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Accesses of one block and epoch that are kept, and all of one granule.
constexpr std::size_t most_of_epoch = 4, most_of_granule = 4096;

/// Both are strong with scopes that include the other's thread: no data race (PTX ISA, "Morally Strong
/// Operations"). Scopes only count between blocks: inside of one, every scope includes the other thread.
bool morally_strong(const GlobalAccess& a, const GlobalAccess& b) {
  return a.strength == Strength::device && b.strength == Strength::device;
}

bool ordered(const GlobalAccess& earlier, const GlobalAccess& now, const SharedKnowledge& known) {
  if (earlier.site.block == now.site.block) return true;  // the block's own checks see to that
  const BlockKnowledge* about = of_block(known, earlier.site.block);
  return about != nullptr && covers(*about, earlier.epoch, earlier.site.thread, earlier.clock);
}

/// Does `earlier`, of any block, come before what the thread of `now` does?
bool comes_before(const GlobalAccess& earlier, const GlobalAccess& now, const SharedKnowledge& known,
                  const Clocks& clocks) {
  if (earlier.site.block != now.site.block) return ordered(earlier, now, known);
  return earlier.site.thread == now.site.thread || earlier.epoch < clocks.epoch() ||
         clocks.knows(now.site.thread, earlier.site.thread, earlier.clock);
}

/// Strong writes up to this moment were seen by a strong read that comes before `now`, and so come before it
/// themselves, though not what their threads did before (PTX ISA, "Causality Order", through observation): as
/// for the last block that has counted all others and then resets the counter.
std::uint64_t observed_until(const std::vector<GlobalAccess>& readers, const GlobalAccess& now,
                             const SharedKnowledge& known, const Clocks& clocks) {
  std::uint64_t until = 0;
  for (const GlobalAccess& access : readers) {
    const bool sees = access.strength == Strength::device &&
                      (access.kind == AccessKind::read || access.kind == AccessKind::atomic);
    if (sees && access.sequence > until && comes_before(access, now, known, clocks)) until = access.sequence;
  }
  return until;
}

/// Plain stores of one value: one of them lands, whichever.
bool agree(const GlobalAccess& a, const GlobalAccess& b) {
  const auto plain = [](const GlobalAccess& access) {
    return access.kind == AccessKind::write && access.strength == Strength::weak && access.value != 0;
  };
  return plain(a) && plain(b) && a.value == b.value;
}

const GlobalAccess* conflict_in(const std::vector<GlobalAccess>& earlier, const GlobalAccess& now,
                                const SharedKnowledge& known, std::uint64_t observed = 0) {
  for (const GlobalAccess& access : earlier) {
    const bool seen = access.sequence < observed && access.strength == Strength::device;
    if (!seen && !morally_strong(access, now) && !agree(access, now) && !ordered(access, now, known))
      return &access;
  }
  return nullptr;
}

/// Adds `now`. A later access of the same block stands for those of its earlier epochs, and for its thread's
/// own: who knows of the later one knows of them. A strong one stands for no plain one. Of more blocks than
/// have room the newest stay: a block that reads a counter and then resets it needs its own reading.
void remember(std::vector<GlobalAccess>& accesses, const GlobalAccess& now) {
  const auto same = [&](const GlobalAccess& a) {
    return a.site.block == now.site.block && a.site.thread == now.site.thread && a.strength == now.strength;
  };
  if (!accesses.empty() && same(accesses.back())) {
    accesses.back() = now;
    return;
  }
  std::size_t same_epoch = 0;
  std::size_t newest = 0;
  for (std::size_t i = accesses.size(); i-- > 0;) {
    GlobalAccess& known = accesses[i];
    if (known.site.block != now.site.block) continue;
    const bool stands_for = now.strength == Strength::weak || known.strength == now.strength;
    if (!stands_for) continue;
    if (known.epoch < now.epoch || known.site.thread == now.site.thread) {
      accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(i));
      if (same_epoch > 0) --newest;
      continue;
    }
    if (same_epoch++ == 0) newest = i;
  }
  if (same_epoch >= most_of_epoch) {
    accesses[newest] = now;
  } else if (accesses.size() < most_of_granule) {
    accesses.push_back(now);
  } else {
    accesses[most_of_granule / 2 + now.sequence % (most_of_granule / 2)] = now;
  }
}

}  // namespace

LaunchOrder::LaunchOrder(const GlobalMap& memory, std::uint32_t granule)
    : pages_(memory.regions().size()), watched_(memory.regions().size()) {
  for (const Region& region : memory.regions()) {
    if (region.bytes == 0) continue;
    // Who reads an input needs no record: a store there is a finding whatever orders it.
    watched_[region.index] = !region.read_only;
    pages_[region.index].resize((region.bytes / granule + 2) / page_granules + 1);
  }
}

LaunchOrder::History& LaunchOrder::at(std::uint32_t region, std::uint64_t granule) {
  std::unique_ptr<History[]>& page = pages_[region][granule / page_granules];
  if (page == nullptr) page = std::make_unique<History[]>(page_granules);
  return page[granule % page_granules];
}

const GlobalAccess* LaunchOrder::access(std::uint32_t region, std::uint64_t granule, GlobalAccess now,
                                        const SharedKnowledge& known, const Clocks& clocks) {
  if (!watched_[region]) return nullptr;
  now.sequence = ++sequence_;
  History& history = at(region, granule);
  const GlobalAccess* conflict = nullptr;
  const bool agrees = history.written && agree(history.plain_write, now);
  if (history.written && !agrees && !ordered(history.plain_write, now, known))
    conflict = told(history.plain_write);
  const auto look = [&](const std::vector<GlobalAccess>& earlier, std::uint64_t observed) {
    if (conflict != nullptr || earlier.empty()) return;
    const GlobalAccess* found = conflict_in(earlier, now, known, observed);
    if (found != nullptr) conflict = told(*found);
  };
  std::uint64_t observed = 0;
  if (now.strength == Strength::weak && !history.strong_writes.empty()) {
    observed = std::max(observed_until(history.reads, now, known, clocks),
                        observed_until(history.strong_writes, now, known, clocks));
  }
  look(history.strong_writes, observed);
  if (now.kind == AccessKind::read) {
    for (const GlobalAccess& writer : history.reads) {
      if (conflict == nullptr && writer.kind == AccessKind::write && !ordered(writer, now, known))
        conflict = told(writer);
    }
    remember(history.reads, now);
    return conflict;
  }
  look(history.reads, 0);
  if (now.strength == Strength::weak) {
    if (agrees) {
      // Whoever comes later must be ordered behind both, or store the same.
      remember(history.reads, history.plain_write);
      history.plain_write = now;
      return conflict;
    }
    history.plain_write = now;
    history.written = true;
    // Whoever comes later and is ordered behind this write is ordered behind what it is ordered behind. Who
    // stores the same need not be.
    if (now.value == 0) {
      history.strong_writes.clear();
      history.reads.clear();
    }
  } else {
    remember(history.strong_writes, now);
  }
  return conflict;
}

}  // namespace evo::evaluators::virtual_device::exact
