#include "evaluators/devices/virtual/exact/late_reads.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"

namespace evo::evaluators::virtual_device::exact {
namespace {

/// Of a warp: those before have long come back.
constexpr std::size_t most_loads = 128;

std::uint32_t instruction_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key >> 32);
}

}  // namespace

void LateReads::start(std::uint32_t threads, std::uint32_t registers) {
  registers_ = registers;
  threads_.assign(threads, {});
  held_.assign(std::size_t{threads} * registers, 0);
  warps_.assign((threads + 31) / 32, {});
}

void LateReads::loads(std::uint32_t thread, std::uint32_t instruction, const Clocks& clocks) {
  OfThread& own = threads_[thread];
  Warp& warp = warps_[thread / 32];
  const std::uint64_t key = std::uint64_t{instruction} << 32 | ++own.loads;
  const Id next = warp.first + warp.loads.size();
  const auto [known, fresh] = warp.known.try_emplace(key, next);
  // Lanes that went other ways may have made this one before another that is behind this lane already: the
  // order of a lane's loads is that of their ids.
  if (!fresh && known->second <= own.last) known->second = next;
  own.last = known->second;
  if (own.last == next) {
    warp.loads.emplace_back().key = key;
    if (warp.loads.size() > most_loads) {
      const auto oldest = warp.known.find(warp.loads.front().key);
      if (oldest != warp.known.end() && oldest->second == warp.first) warp.known.erase(oldest);
      warp.loads.pop_front();
      ++warp.first;
    }
  }
  Load& load = warp.loads[own.last - warp.first];
  load.lanes |= 1U << thread % 32;
  load.clocks[thread % 32] = clocks.clock(thread);
}

void LateReads::reads(std::uint32_t thread, const Place& place) {
  Warp& warp = warps_[thread / 32];
  Load& load = warp.loads[threads_[thread].last - warp.first];
  if (load.over) return;
  // Lanes side by side, and those that read the same.
  if (!load.bytes.empty()) {
    Bytes& last = load.bytes.back();
    if (last.address <= place.address && place.address <= last.address + last.width) {
      last.width = std::max(last.width, place.address + place.width - last.address);
      return;
    }
  }
  load.bytes.push_back({place.address, place.width});
}

void LateReads::moves(std::uint32_t thread, std::uint32_t from, std::uint32_t to) {
  held(thread, to) = from == RegisterUse::none ? 0 : held(thread, from);
}

void LateReads::ends(std::uint32_t thread, Id until, const Clocks& clocks) {
  Id& ended = threads_[thread].ended;
  if (until <= ended) return;
  Warp& warp = warps_[thread / 32];
  for (Id id = std::max(ended + 1, warp.first); id <= until; ++id) {
    Load& load = warp.loads[id - warp.first];
    const std::uint32_t lane = thread % 32;
    if ((load.lanes >> lane & 1U) == 0 || load.over) continue;
    // Who knows of the load knows of its end, too.
    load.over = load.clocks[lane] == clocks.clock(thread);
    if (!load.over && load.copy.epoch == 0)
      load.ended.push_back({thread, clocks.epoch(), clocks.clock(thread)});
  }
  ended = until;
}

void LateReads::uses(std::uint32_t thread, std::uint32_t reg, const Clocks& clocks,
                     std::vector<Overtaken>& told) {
  const Id id = held(thread, reg);
  ends(thread, id, clocks);
  Warp& warp = warps_[thread / 32];
  if (id < warp.first) return;
  Load& load = warp.loads[id - warp.first];
  load.used = true;
  if (load.over || load.copy.epoch == 0) return;
  told.push_back({load.copy, thread, instruction_of(load.key)});
  load.over = true;
}

void LateReads::copies(const Access& issue, const Place& place, const Clocks& clocks,
                       std::vector<Overtaken>& told) {
  const auto knows = [&](const End& end) {
    return end.epoch != clocks.epoch() || clocks.knows(issue.thread, end.thread, end.clock);
  };
  const auto meets = [&](const Bytes& bytes) {
    return bytes.address < place.address + place.width && place.address < bytes.address + bytes.width;
  };
  for (Warp& warp : warps_) {
    for (Load& load : warp.loads) {
      if (load.over || load.copy.epoch != 0 || std::ranges::none_of(load.bytes, meets)) continue;
      if (std::ranges::any_of(load.ended, knows)) {
        load.over = true;
      } else if (load.used && !load.ended.empty()) {
        told.push_back({issue, load.ended.front().thread, instruction_of(load.key)});
        load.over = true;
      } else {
        load.copy = issue;
      }
    }
  }
}

void Block::report_late_reads(const std::vector<LateReads::Overtaken>& told) {
  for (const LateReads::Overtaken& one : told) {
    Finding finding;
    finding.kind = FindingKind::proxy_fence;
    finding.here = {index_, one.thread, one.load};
    finding.other = Site{index_, one.copy.thread, one.copy.instruction};
    finding.text = fmt::format(
        "Read not over: {} loads from shared memory at {} and has not used the value when it tells others "
        "that "
        "it is done; the bulk copy that {} issues at {} may overwrite it first: use the value before the "
        "arrival, or put a fence.proxy.async.shared::cta between",
        place_text(launch_, finding.here), line_text(*code_.program, one.load),
        place_text(launch_, *finding.other), line_text(*code_.program, one.copy.instruction));
    log_.add(finding);
  }
}

void Block::take_loaded(const Thread& thread, const Step& step) {
  const RegisterUse& use = code_.loaded_uses[step.takes - 1];
  if (!use.renames) {
    std::vector<LateReads::Overtaken> told;
    for (const std::uint32_t reg : use.reads) late_reads_.uses(thread.index, reg, clocks_, told);
    report_late_reads(told);
  }
  for (const std::uint32_t reg : use.writes)
    late_reads_.moves(thread.index, use.renames ? use.from : RegisterUse::none, reg);
}

void Block::end_loads(const Thread& thread) {
  if (code_.loaded != 0) late_reads_.ends_all(thread.index, clocks_);
}

bool Block::begin_load(const Thread& thread, const Step& step) {
  if (step.takes == 0) return false;
  late_reads_.loads(thread.index, thread.pc, clocks_);
  for (const std::uint32_t reg : code_.loaded_uses[step.takes - 1].writes)
    late_reads_.gives(thread.index, reg);
  return true;
}

void Block::check_late_reads(const BulkCopy& copy) {
  std::vector<LateReads::Overtaken> told;
  late_reads_.copies(copy.issue, copy.shared, clocks_, told);
  report_late_reads(told);
}

}  // namespace evo::evaluators::virtual_device::exact
