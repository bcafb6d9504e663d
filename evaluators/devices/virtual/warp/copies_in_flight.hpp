// Which bytes of shared memory asynchronous copies in flight will write: one bit a granule. Exact, so that
// what touches one is no false alarm.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace evo::evaluators::virtual_device::warp {

class CopiesInFlight {
 public:
  CopiesInFlight(std::uint32_t shared_bytes, unsigned granule_shift)
      : shift_(granule_shift), words_((std::size_t{shared_bytes} >> granule_shift) / 64 + 1) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  void clear() {
    if (count_ != 0) std::fill(words_.begin(), words_.end(), 0);
    count_ = 0;
  }
  [[nodiscard]] bool touches(std::uint32_t address, std::uint32_t width) const {
    std::uint64_t found = 0;
    for_each_word(address, width,
                  [&](std::size_t word, std::uint64_t bits) { found |= words_[word] & bits; });
    return found != 0;
  }
  void add(std::uint32_t address, std::uint32_t width) {
    for_each_word(address, width, [&](std::size_t word, std::uint64_t bits) {
      count_ += static_cast<std::uint32_t>(std::popcount(bits & ~words_[word]));
      words_[word] |= bits;
    });
  }
  void remove(std::uint32_t address, std::uint32_t width) {
    for_each_word(address, width, [&](std::size_t word, std::uint64_t bits) {
      count_ -= static_cast<std::uint32_t>(std::popcount(bits & words_[word]));
      words_[word] &= ~bits;
    });
  }

 private:
  template <class Visit>
  void for_each_word(std::uint32_t address, std::uint32_t width, Visit visit) const {
    const std::uint32_t first = address >> shift_;
    const std::uint32_t last = (address + width - 1) >> shift_;
    for (std::uint32_t word = first / 64; word <= last / 64; ++word) {
      std::uint64_t bits = ~std::uint64_t{0};
      if (word == first / 64) bits &= ~std::uint64_t{0} << (first % 64);
      if (word == last / 64) bits &= ~std::uint64_t{0} >> (63 - last % 64);
      visit(std::size_t{word}, bits);
    }
  }

  unsigned shift_;
  std::uint32_t count_ = 0;  ///< bits set
  std::vector<std::uint64_t> words_;
};

}  // namespace evo::evaluators::virtual_device::warp
