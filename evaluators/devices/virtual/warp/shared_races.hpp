// The filter for races in shared memory. It never misses one; what it suspects, the exact machine settles.
//
// Two accesses of which one writes race unless something orders them: a barrier of the whole block, or a warp
// barrier when both are of one warp, or the program order of one thread. Two levels of precision:
// - coarse: per warp, reads as 64-byte lines touched by the hull of each access, writes exact and as lines;
// warps are
//   compared when a barrier releases the block. Inside a warp, any line read or written after being written,
//   or written after being read, with no warp barrier between, is a suspicion (even if it was the same lane).
// - precise: the last writer and the last reader of each granule, by warp, lane and epochs; checked at each
// access. Lines on which the coarse level once raised a false alarm are known as hot: they are watched
// precisely from then on, the others coarsely. A barrier of some whole warps orders those at the precise
// level (each warp knows up to which epoch it is behind each other one, a vector clock), with those that have
// arrived there without waiting before them, and a barrier of some lanes of a warp orders those lanes
// (lane_order.hpp). At the coarse level neither orders anything, which errs on the safe side.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluators/devices/virtual/warp/copies_in_flight.hpp"
#include "evaluators/devices/virtual/warp/lane_order.hpp"
#include "evaluators/devices/virtual/warp/result.hpp"

namespace evo::evaluators::virtual_device::warp {

struct Op;
struct Warp;

enum class RaceFilter : std::uint8_t { coarse, precise };

/// One bit a 64-byte line of shared memory.
using HotLines = std::vector<std::uint64_t>;

class SharedRaces {
 public:
  /// `granule`: no access of the program is narrower (1, 2 or 4 bytes). `hot` may be shorter than the memory.
  SharedRaces(RaceFilter level, std::uint32_t shared_bytes, std::uint32_t warps, unsigned granule,
              const HotLines& hot);

  /// Forgets everything: a new block.
  void start_block();

  /// One access of `width` bytes a lane by the running lanes; [lowest, end) is its hull.
  void read(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask, unsigned width,
            std::uint32_t lowest, std::uint32_t end) {
    if (!in_flight_.empty()) check_in_flight(warp, op, addresses, mask, width, lowest, end);
    if (level_ == RaceFilter::coarse) {
      coarse_read(warp, op, lowest, end);
      if (!is_hot(lowest, end)) return;
    }
    precise_read(warp, op, addresses, mask, width, lowest, end);
  }
  /// `merged`: lanes that stand for several which store the same value to the same place.
  void write(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask, unsigned width,
             std::uint32_t lowest, std::uint32_t end, std::uint32_t merged = 0);
  /// A read-modify-write: does not race with its like.
  void atomic(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask, unsigned width,
              std::uint32_t lowest, std::uint32_t end);

  /// Rows of a matrix, `width` bytes from each start (at most 32 of them), that the warp reads or writes as
  /// one. True: the lanes are watched, so that read_piece() or write_piece() has to follow for each piece of
  /// `width` bytes that the lanes access, all at once.
  [[nodiscard]] bool read_rows(Warp& warp, const Op* op, const std::uint32_t* starts, unsigned rows,
                               unsigned width);
  [[nodiscard]] bool write_rows(Warp& warp, const Op* op, const std::uint32_t* starts, unsigned rows,
                                unsigned width);
  void read_piece(Warp& warp, const Op* op, const std::uint32_t* addresses, unsigned width);
  void write_piece(Warp& warp, const Op* op, const std::uint32_t* addresses, unsigned width);

  /// A cp.async to these addresses: a write now, and one again when it lands. True: it goes over a copy in
  /// flight, which is a suspicion.
  [[nodiscard]] bool overlaps_copy(Warp& warp, const Op* op, const std::uint32_t* addresses,
                                   std::uint32_t mask, unsigned width);
  void copy_issued(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                   unsigned width, std::uint32_t lowest, std::uint32_t end);
  /// `issued`: moment() at the issue.
  void copy_landed(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                   unsigned width, std::uint64_t issued);
  /// Changes for a warp with each barrier that it passes.
  [[nodiscard]] std::uint64_t moment(const Warp& warp) const { return key(warp); }

  /// All living lanes of a warp met at a warp barrier.
  void warp_barrier(std::uint32_t warp);
  /// These lanes of a warp met at a barrier of no others.
  void lanes_barrier(std::uint32_t warp, std::uint32_t who);
  /// A warp with all its lanes, of which none has exited, arrives at barrier `number` of the block, and goes
  /// on.
  void arrive(std::uint32_t warp, std::uint32_t number);
  /// Who has arrived at `number` has met nobody.
  void forget_arrivals(std::uint32_t number) { arrived_[number].clear(); }
  /// These warps, and each with all its lanes, of which none has exited, met at barrier `number`, behind
  /// those that have arrived.
  void group_barrier(std::span<const std::uint32_t> warps, std::uint32_t number);
  /// All living threads met at a block barrier, or the block ended. `op`: where to tell suspicions.
  void block_barrier(Warp& any, const Op* op);

  /// Lines that raised a coarse suspicion.
  [[nodiscard]] const HotLines& suspected_lines() const { return found_.words; }

 private:
  static constexpr unsigned line_shift = 6;

  /// One bit a line or granule, with the range of words that may be set.
  struct Bits {
    std::vector<std::uint64_t> words;
    std::uint32_t low = 0, high = 0;  ///< [low, high)

    void touch(std::uint32_t first, std::uint32_t last) {
      if (low == high) {
        low = first;
        high = last + 1;
        return;
      }
      if (first < low) low = first;
      if (last >= high) high = last + 1;
    }
    /// Sets [first, last] without the bits of `except` (if given, as long as words); true if any was set
    /// before.
    bool set(std::uint32_t first, std::uint32_t last, const HotLines* except = nullptr);
    [[nodiscard]] bool any(std::uint32_t first, std::uint32_t last) const;
    void merge_into(Bits& other);
    void clear();
  };
  struct WarpBits {
    Bits read_now, wrote_now, wrote_now_exact;  ///< since the last warp barrier
    Bits read, wrote, wrote_exact;              ///< before it, since the last block barrier
    Bits atomics;
    std::uint64_t epoch = 0;
    LaneOrder order;
  };

  void check_in_flight(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                       unsigned width, std::uint32_t lowest, std::uint32_t end);
  void note_write(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                  unsigned width, std::uint32_t lowest, std::uint32_t end, std::uint32_t merged);
  void coarse_read(Warp& warp, const Op* op, std::uint32_t lowest, std::uint32_t end);
  void coarse_write(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                    unsigned width, std::uint32_t lowest, std::uint32_t end);
  void coarse_conflict(Warp& warp, const Op* op, std::uint32_t lowest, std::uint32_t end);
  void precise_read(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                    unsigned width, std::uint32_t lowest, std::uint32_t end);
  void precise_write(Warp& warp, const Op* op, const std::uint32_t* addresses, std::uint32_t mask,
                     unsigned width, bool is_atomic, std::uint32_t merged);
  [[nodiscard]] bool compare_warps();
  [[nodiscard]] bool is_hot(std::uint32_t lowest, std::uint32_t end) const;
  /// Key of lane 0; the lane is or-ed into the low bits.
  [[nodiscard]] std::uint64_t key(const Warp& warp) const;
  /// Is whatever `entry` says ordered before an access with this key?
  [[nodiscard]] bool ordered(std::uint64_t entry, std::uint64_t own) const;
  /// Adds what this warp knows, and does until now.
  void join(std::vector<std::uint64_t>& joined, std::uint32_t warp) const;

  RaceFilter level_;
  unsigned granule_shift_;
  CopiesInFlight in_flight_;
  std::vector<WarpBits> warps_;
  /// By warp, then by other warp: accesses of the other one in epochs below this come before what the warp
  /// does now.
  std::vector<std::uint64_t> behind_;
  /// By barrier of the block: as a row of `behind_`, what those know that have arrived; empty: nobody has.
  std::array<std::vector<std::uint64_t>, 16> arrived_;
  Bits once_, many_, once_exact_, atomics_;
  HotLines hot_;  ///< as long as the bitmaps of lines
  bool any_hot_ = false;
  Bits found_;
  std::uint64_t block_epoch_ = 1;
  struct Cell {
    std::uint64_t writer = 0, reader = 0;
  };
  std::vector<Cell> cells_;  ///< by granule
};

}  // namespace evo::evaluators::virtual_device::warp
