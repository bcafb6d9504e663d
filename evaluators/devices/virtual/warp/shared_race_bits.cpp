#include "evaluators/devices/virtual/warp/shared_races.hpp"

#include <algorithm>

namespace evo::evaluators::virtual_device::warp {
namespace {

constexpr std::uint64_t bits_from(std::uint32_t bit) {
  return ~std::uint64_t{0} << (bit & 63U);
}
constexpr std::uint64_t bits_to(std::uint32_t bit) {
  return ~std::uint64_t{0} >> (63U - (bit & 63U));
}

}  // namespace

bool SharedRaces::Bits::set(std::uint32_t first, std::uint32_t last, const HotLines* except) {
  const std::uint32_t first_word = first >> 6;
  const std::uint32_t last_word = last >> 6;
  touch(first_word, last_word);
  std::uint64_t before = 0;
  for (std::uint32_t word = first_word; word <= last_word; ++word) {
    std::uint64_t bits = ~std::uint64_t{0};
    if (word == first_word) bits &= bits_from(first);
    if (word == last_word) bits &= bits_to(last);
    if (except != nullptr) bits &= ~(*except)[word];
    before |= words[word] & bits;
    words[word] |= bits;
  }
  return before != 0;
}

bool SharedRaces::Bits::any(std::uint32_t first, std::uint32_t last) const {
  const std::uint32_t first_word = first >> 6;
  const std::uint32_t last_word = last >> 6;
  if (last_word < low || first_word >= high) return false;
  for (std::uint32_t word = first_word; word <= last_word; ++word) {
    std::uint64_t bits = ~std::uint64_t{0};
    if (word == first_word) bits &= bits_from(first);
    if (word == last_word) bits &= bits_to(last);
    if ((words[word] & bits) != 0) return true;
  }
  return false;
}

void SharedRaces::Bits::merge_into(Bits& other) {
  if (low == high) return;
  other.touch(low, high - 1);
  for (std::uint32_t word = low; word < high; ++word) {
    other.words[word] |= words[word];
    words[word] = 0;
  }
  low = high = 0;
}

void SharedRaces::Bits::clear() {
  std::fill(words.begin() + low, words.begin() + high, 0);
  low = high = 0;
}

}  // namespace evo::evaluators::virtual_device::warp
