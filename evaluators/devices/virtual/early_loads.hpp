// Strong loads that are made earlier than they stand.
//
// A relaxed or volatile load may be made before what stands in front of it, if that is not an access to the
// same place: a value that is read behind its flag, without a fence between, may be older than the flag (PTX
// ISA, "Memory Consistency Model": "Causality Order" needs an acquire pattern on this side, too). So in a
// permuted launch about every second such load gives what was at its place when its thread last fenced,
// acquired or came from a barrier, or itself last looked there. Loads that a loop waits with are left alone:
// they would only wait longer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "evaluators/devices/virtual/memory.hpp"

namespace evo::evaluators::virtual_device {

/// How far back the loads of a thread may reach, in the time of EarlyLoads.
struct LoadOrder {
  std::uint64_t device = 0;  ///< not before this moment
  std::uint64_t block = 0;   ///< nor before what its own block wrote until this one
};

/// A thread of a launch.
struct ThreadOfLaunch {
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
};

class EarlyLoads {
 public:
  explicit EarlyLoads(const GlobalMap& memory) : memory_(memory) {}

  /// The number of strong writes so far.
  [[nodiscard]] std::uint64_t now() const { return now_; }
  /// `who` is about to write `width` bytes, by a strong store or an atomic operation.
  void writes(ThreadOfLaunch who, std::uint64_t address, unsigned width);
  /// `who` looks at a place: it will not see an older value of it again.
  void looks(ThreadOfLaunch who, std::uint64_t address, unsigned width);
  /// `who` is about to load. To be called for all lanes of one load, then hide().
  void asks(ThreadOfLaunch who, const LoadOrder& order, std::uint64_t address, unsigned width);
  /// Puts the oldest values that all who asked may see in place, until show(). False: what is there is that.
  bool hide();
  void show();

 private:
  static constexpr unsigned granule = 4;  ///< bytes
  static constexpr unsigned widest = 16;
  static constexpr std::size_t most_writes = 8;  ///< of a granule that are remembered
  /// Beyond so many granules others are always loaded as they are: flags, locks and partial results are few.
  static constexpr std::size_t most_places = 1U << 16;

  struct Write {
    std::uint64_t time = 0, block = 0;
    std::array<std::byte, granule> old{};
  };
  struct Place {
    std::vector<Write> writes;                              ///< ascending by time
    std::uint64_t forgotten = 0;                            ///< time of the last write that is not remembered
    std::unordered_map<std::uint64_t, std::uint64_t> seen;  ///< by thread: when it last looked
  };
  struct Asked {
    ThreadOfLaunch who;
    std::uint64_t address = 0;
    unsigned width = 0;
  };
  struct Hidden {
    std::byte* data = nullptr;
    std::array<std::byte, granule> now{};
  };

  [[nodiscard]] static std::uint64_t key(ThreadOfLaunch who) { return who.block << 10 | who.thread; }
  /// Calls visit(number of the granule) for all that the access touches.
  template <class Visit>
  static void for_each_granule(std::uint64_t address, unsigned width, Visit visit) {
    for (std::uint64_t g = address / granule; g <= (address + width - 1) / granule; ++g) visit(g);
  }
  [[nodiscard]] std::byte* data_of(std::uint64_t number) const;

  const GlobalMap& memory_;
  std::unordered_map<std::uint64_t, Place> places_;
  std::vector<Asked> asked_;
  std::uint64_t moment_ = 0;  ///< of those who asked
  std::vector<Hidden> hidden_;
  std::uint64_t now_ = 0;
};

}  // namespace evo::evaluators::virtual_device
