#include "evaluators/devices/virtual/warp/shared_races.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "evaluators/devices/virtual/warp/shared_races_key.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {

SharedRaces::SharedRaces(RaceFilter level, std::uint32_t shared_bytes, std::uint32_t warps, unsigned granule,
                         const HotLines& hot)
    : level_(level),
      granule_shift_(static_cast<unsigned>(std::countr_zero(granule))),
      in_flight_(shared_bytes, granule_shift_),
      warps_(warps),
      behind_(std::size_t{warps} * warps, 0) {
  const std::size_t granules = (std::size_t{shared_bytes} >> granule_shift_) + 1;
  const std::size_t line_words = (std::size_t{shared_bytes} >> line_shift) / 64 + 1;
  hot_ = hot;
  hot_.resize(line_words, 0);
  any_hot_ = std::any_of(hot_.begin(), hot_.end(), [](std::uint64_t word) { return word != 0; });
  found_.words.assign(line_words, 0);
  if (level_ == RaceFilter::precise || any_hot_) cells_.resize(granules);
  if (level_ == RaceFilter::precise) return;
  const std::size_t exact_words = granules / 64 + 1;
  for (WarpBits& bits : warps_) {
    for (Bits* lines : {&bits.read_now, &bits.wrote_now, &bits.read, &bits.wrote, &bits.atomics}) {
      lines->words.assign(line_words, 0);
    }
    for (Bits* exact : {&bits.wrote_now_exact, &bits.wrote_exact}) exact->words.assign(exact_words, 0);
  }
  for (Bits* lines : {&once_, &many_, &atomics_}) lines->words.assign(line_words, 0);
  once_exact_.words.assign(exact_words, 0);
}

bool SharedRaces::is_hot(std::uint32_t lowest, std::uint32_t end) const {
  if (!any_hot_) return false;
  const std::uint32_t last = (end - 1) >> line_shift;
  for (std::uint32_t line = lowest >> line_shift; line <= last; ++line) {
    if ((hot_[line >> 6] >> (line & 63U) & 1U) != 0) return true;
  }
  return false;
}

void SharedRaces::coarse_conflict(Warp& warp, const Op* op, std::uint32_t lowest, std::uint32_t end) {
  found_.set(lowest >> line_shift, (end - 1) >> line_shift);
  suspect(warp, op, SuspicionKind::race_shared, 0, lowest);
}

void SharedRaces::start_block() {
  for (WarpBits& bits : warps_) {
    for (Bits* set : {&bits.read_now, &bits.wrote_now, &bits.wrote_now_exact, &bits.read, &bits.wrote,
                      &bits.wrote_exact, &bits.atomics}) {
      set->clear();
    }
    bits.epoch = 0;
    bits.order.met(0);
  }
  std::fill(behind_.begin(), behind_.end(), 0);
  for (std::vector<std::uint64_t>& joined : arrived_) joined.clear();
  in_flight_.clear();
  ++block_epoch_;
}

void SharedRaces::coarse_read(Warp& warp, const Op* op, std::uint32_t lowest, std::uint32_t end) {
  WarpBits& own = warps_[warp.index];
  const std::uint32_t first = lowest >> line_shift;
  const std::uint32_t last = (end - 1) >> line_shift;
  if (own.wrote_now.low != own.wrote_now.high && own.wrote_now.any(first, last)) {
    coarse_conflict(warp, op, lowest, end);
  }
  own.read_now.set(first, last, any_hot_ ? &hot_ : nullptr);
}

void SharedRaces::write(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                        unsigned width, std::uint32_t lowest, std::uint32_t end, std::uint32_t merged) {
  if (!in_flight_.empty()) check_in_flight(warp, op, addresses, mask, width, lowest, end);
  note_write(warp, op, addresses, mask, width, lowest, end, merged);
}

void SharedRaces::note_write(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                             unsigned width, std::uint32_t lowest, std::uint32_t end, std::uint32_t merged) {
  const bool hot = is_hot(lowest, end);
  if (level_ == RaceFilter::coarse) coarse_write(warp, op, addresses, mask, width, lowest, end);
  if (level_ == RaceFilter::precise || hot) precise_write(warp, op, addresses, mask, width, false, merged);
}

void SharedRaces::coarse_write(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                               unsigned width, std::uint32_t lowest, std::uint32_t end) {
  WarpBits& own = warps_[warp.index];
  const bool hot = is_hot(lowest, end);
  const std::uint32_t granules = std::max(1U, width >> granule_shift_);
  bool conflict = own.read_now.any(lowest >> line_shift, (end - 1) >> line_shift);
  const auto count = static_cast<std::uint32_t>(std::popcount(mask));
  bool dense = !hot && end - lowest == count * width;
  if (dense) {
    // The hull is as long as the lanes together: no two overlap if they come in order.
    std::uint32_t expected = lowest;
    for (std::uint32_t left = mask; left != 0; left &= left - 1, expected += width) {
      dense &= addresses[std::countr_zero(left)] == expected;
    }
  }
  if (dense) {
    conflict |= own.wrote_now_exact.set(lowest >> granule_shift_, (end - 1) >> granule_shift_);
    own.wrote_now.set(lowest >> line_shift, (end - 1) >> line_shift);
  } else {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const std::uint32_t address = addresses[std::countr_zero(left)];
      if (hot && is_hot(address, address + width)) continue;
      const std::uint32_t first = address >> granule_shift_;
      conflict |= own.wrote_now_exact.set(first, first + granules - 1);
      own.wrote_now.set(address >> line_shift, (address + width - 1) >> line_shift);
    }
  }
  if (conflict) coarse_conflict(warp, op, lowest, end);
}

void SharedRaces::atomic(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                         unsigned width, std::uint32_t lowest, std::uint32_t end) {
  if (!in_flight_.empty()) check_in_flight(warp, op, addresses, mask, width, lowest, end);
  if (level_ == RaceFilter::coarse) {
    warps_[warp.index].atomics.set(lowest >> line_shift, (end - 1) >> line_shift, any_hot_ ? &hot_ : nullptr);
    if (!is_hot(lowest, end)) return;
  }
  precise_write(warp, op, addresses, mask, width, true, 0);
}

void SharedRaces::warp_barrier(std::uint32_t warp) {
  WarpBits& own = warps_[warp];
  own.order.met(++own.epoch);
  if (level_ == RaceFilter::precise) return;
  own.read_now.merge_into(own.read);
  own.wrote_now.merge_into(own.wrote);
  own.wrote_now_exact.merge_into(own.wrote_exact);
}

void SharedRaces::lanes_barrier(std::uint32_t warp, std::uint32_t who) {
  WarpBits& own = warps_[warp];
  own.order.met(who, own.epoch++);
}

void SharedRaces::join(std::vector<std::uint64_t>& joined, std::uint32_t warp) const {
  const std::size_t count = warps_.size();
  joined.resize(count, 0);
  for (std::size_t other = 0; other < count; ++other)
    joined[other] = std::max(joined[other], behind_[warp * count + other]);
  joined[warp] = warps_[warp].epoch + 1;
}

void SharedRaces::arrive(std::uint32_t warp, std::uint32_t number) {
  join(arrived_[number], warp);
  // What it does from now on nobody knows; its lanes have not met.
  lanes_barrier(warp, 0);
}

void SharedRaces::group_barrier(std::span<const std::uint32_t> warps, std::uint32_t number) {
  std::vector<std::uint64_t> joined = std::move(arrived_[number]);
  arrived_[number].clear();
  for (const std::uint32_t warp : warps) join(joined, warp);
  for (const std::uint32_t warp : warps) {
    std::copy(joined.begin(), joined.end(),
              behind_.begin() + static_cast<std::ptrdiff_t>(warp * warps_.size()));
    warp_barrier(warp);
  }
}

void SharedRaces::check_in_flight(Warp& warp, const Op* op, const std::uint32_t* addresses,
                                  std::uint32_t mask, unsigned width, std::uint32_t lowest,
                                  std::uint32_t end) {
  if (in_flight_.touches(lowest, end - lowest))
    static_cast<void>(overlaps_copy(warp, op, addresses, mask, width));
}

bool SharedRaces::overlaps_copy(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                                unsigned width) {
  for (std::uint32_t left = in_flight_.empty() ? 0 : mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (!in_flight_.touches(addresses[lane], width)) continue;
    suspect(warp, op, SuspicionKind::async_not_waited, lane, addresses[lane]);
    return true;
  }
  return false;
}

void SharedRaces::copy_issued(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                              unsigned width, std::uint32_t lowest, std::uint32_t end) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    in_flight_.add(addresses[std::countr_zero(left)], width);
  }
  note_write(warp, op, addresses, mask, width, lowest, end, 0);
}

void SharedRaces::copy_landed(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                              unsigned width, std::uint64_t issued) {
  std::uint32_t lowest = ~0U;
  std::uint32_t end = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint32_t address = addresses[std::countr_zero(left)];
    in_flight_.remove(address, width);
    lowest = std::min(lowest, address);
    end = std::max(end, address + width);
  }
  // With no barrier since the issue, the write noted there stands for this one too.
  if (issued != moment(warp)) note_write(warp, op, addresses, mask, width, lowest, end, 0);
}

bool SharedRaces::compare_warps() {
  bool conflict = false;
  bool exact_needed = false;
  const auto found = [&](std::uint32_t word, std::uint64_t lines) {
    if (lines == 0) return;
    conflict = true;
    found_.words[word] |= lines;
  };
  for (WarpBits& bits : warps_) {
    for (std::uint32_t word = bits.wrote.low; word < bits.wrote.high; ++word) {
      const std::uint64_t both = once_.words[word] & bits.wrote.words[word];
      exact_needed |= both != 0;
      many_.words[word] |= both;
      once_.words[word] |= bits.wrote.words[word];
    }
    if (bits.wrote.low != bits.wrote.high) {
      once_.touch(bits.wrote.low, bits.wrote.high - 1);
      many_.touch(bits.wrote.low, bits.wrote.high - 1);
    }
    bits.atomics.merge_into(atomics_);
  }
  for (const WarpBits& bits : warps_) {
    const std::uint32_t low = std::max(bits.read.low, once_.low);
    const std::uint32_t high = std::min(bits.read.high, once_.high);
    for (std::uint32_t word = low; word < high; ++word) {
      const std::uint64_t others = many_.words[word] | (once_.words[word] & ~bits.wrote.words[word]);
      found(word, bits.read.words[word] & others);
    }
    for (std::uint32_t word = atomics_.low; word < atomics_.high; ++word) {
      found(word, atomics_.words[word] & (bits.read.words[word] | bits.wrote.words[word]));
    }
  }
  if (exact_needed) {
    for (const WarpBits& bits : warps_) {
      for (std::uint32_t word = bits.wrote_exact.low; word < bits.wrote_exact.high; ++word) {
        if ((once_exact_.words[word] & bits.wrote_exact.words[word]) != 0) {
          // A word of granules covers 1, 2 or 4 lines.
          const std::uint32_t first = word << granule_shift_;
          for (std::uint32_t line = first; line < first + (1U << granule_shift_); ++line) {
            found(line >> 6, std::uint64_t{1} << (line & 63U));
          }
        }
        once_exact_.words[word] |= bits.wrote_exact.words[word];
      }
      if (bits.wrote_exact.low != bits.wrote_exact.high) {
        once_exact_.touch(bits.wrote_exact.low, bits.wrote_exact.high - 1);
      }
    }
    once_exact_.clear();
  }
  once_.clear();
  many_.clear();
  atomics_.clear();
  for (WarpBits& bits : warps_) {
    bits.read.clear();
    bits.wrote.clear();
    bits.wrote_exact.clear();
  }
  return conflict;
}

void SharedRaces::block_barrier(Warp& any, const Op* op) {
  for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) warp_barrier(warp);
  if (level_ == RaceFilter::coarse && compare_warps()) suspect(any, op, SuspicionKind::race_shared, 0);
  ++block_epoch_;
}

std::uint64_t SharedRaces::key(const Warp& warp) const {
  return block_epoch_ << block_at | std::uint64_t{warp.index} << warp_at |
         warps_[warp.index].epoch << epoch_at;
}

bool SharedRaces::ordered(std::uint64_t entry, std::uint64_t own) const {
  if (entry < block_epoch_ << block_at || entry == own) return true;
  const std::uint64_t warp = entry >> warp_at & warp_bits;
  const std::uint64_t own_warp = own >> warp_at & warp_bits;
  if (warp == own_warp)
    return warps_[warp].order.ordered(entry >> epoch_at & epoch_bits, entry & lane_bits,
                                      own >> epoch_at & epoch_bits, own & lane_bits);
  return warp != many_warps && (entry >> epoch_at & epoch_bits) < behind_[own_warp * warps_.size() + warp];
}

void SharedRaces::precise_read(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                               unsigned width, std::uint32_t lowest, std::uint32_t end) {
  const std::uint32_t granules = std::max(1U, width >> granule_shift_);
  const std::uint64_t base = key(warp);
  const std::uint64_t old = block_epoch_
                            << block_at;  ///< whatever is below was before the last block barrier
  const std::uint64_t everyone = old | many_warps << warp_at | many_lanes;
  // All lanes at one address are one reader.
  const bool uniform = end - lowest == width && (mask & (mask - 1)) != 0;
  if (uniform) mask &= 0U - mask;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t own = base | (uniform ? many_lanes : lane);
    const std::uint32_t first = addresses[lane] >> granule_shift_;
    for (std::uint32_t granule = first; granule < first + granules; ++granule) {
      Cell& cell = cells_[granule];
      if (cell.writer >= old && !ordered(cell.writer, own)) {
        suspect(warp, op, SuspicionKind::race_shared, lane, addresses[lane]);
      }
      if (cell.reader < old) {
        cell.reader = own;
      } else if (cell.reader == everyone || cell.reader == own) {
        continue;
      } else if (cell.reader >> epoch_at == base >> epoch_at) {
        cell.reader = base | many_lanes;
      } else {
        cell.reader = ordered(cell.reader, own) ? own : everyone;
      }
    }
  }
}

void SharedRaces::precise_write(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                                unsigned width, bool is_atomic, std::uint32_t merged) {
  const std::uint32_t granules = std::max(1U, width >> granule_shift_);
  const std::uint64_t base = key(warp);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const bool stands_for_many = (merged >> lane & 1U) != 0;
    const std::uint64_t own = base | (stands_for_many ? merging_lanes : lane);
    const std::uint32_t first = addresses[lane] >> granule_shift_;
    for (std::uint32_t granule = first; granule < first + granules; ++granule) {
      Cell& cell = cells_[granule];
      const bool writer_ordered = ordered(cell.writer, own);
      const bool atomic_before = !writer_ordered && (cell.writer & lane_bits) == atomic_lane;
      if (!ordered(cell.reader, own) || !(writer_ordered || (is_atomic && atomic_before))) {
        suspect(warp, op, SuspicionKind::race_shared, lane, addresses[lane]);
      }
      if (!is_atomic) {
        cell.writer = stands_for_many ? base | merged_lanes : own;
      } else if (atomic_before && cell.writer >> warp_at != own >> warp_at) {
        cell.writer = block_epoch_ << block_at | many_warps << warp_at | atomic_lane;
      } else {
        cell.writer = base | atomic_lane;
      }
    }
  }
}

}  // namespace evo::evaluators::virtual_device::warp
