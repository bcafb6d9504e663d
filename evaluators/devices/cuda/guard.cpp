#include "evaluators/devices/cuda/guard.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace evo::evaluators::cuda {

namespace {

/// Eight bytes of the pattern: a multiplicative mix of position and seed. Every aligned element is a NaN in
/// f16, bf16, f32 and f64, so that a read past a buffer's end shows in the result.
std::uint64_t guard_word(std::uint64_t index, std::uint32_t seed) {
  std::uint64_t mixed =
      (index + 1) * 0x9e3779b97f4a7c15ULL ^ (std::uint64_t{seed} + 1) * 0xd1b54a32d192ed03ULL;
  mixed ^= mixed >> 32;
  mixed *= 0xda942042e4dd58b5ULL;
  return (mixed & 0x800e800e800e800eULL) | 0x7ff17ff17ff17ff1ULL;
}

std::byte guard_byte(std::uint64_t position, std::uint32_t seed) {
  return static_cast<std::byte>(guard_word(position / 8, seed) >> (position % 8 * 8));
}

/// Word by word, as a zone is found after nearly every launch.
bool is_intact(std::span<const std::byte> zone, std::uint64_t first, std::uint32_t seed) {
  std::uint64_t different = 0;
  const auto compare_byte = [&](std::size_t i) {
    different |= static_cast<std::uint64_t>(zone[i] ^ guard_byte(first + i, seed));
  };
  std::size_t i = 0;
  for (; i < zone.size() && (first + i) % 8 != 0; ++i) compare_byte(i);
  for (; i + 8 <= zone.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &zone[i], sizeof word);
    different |= word ^ guard_word((first + i) / 8, seed);
  }
  for (; i < zone.size(); ++i) compare_byte(i);
  return different == 0;
}

}  // namespace

GuardedLayout guarded_layout(std::uint64_t bytes, std::uint32_t misalignment, std::uint64_t zone) {
  const std::uint64_t front = zone + misalignment;
  if (zone == 0) return {front, bytes, 0};
  const std::uint64_t end = front + bytes + zone;
  const std::uint64_t total = (end + base_alignment - 1) / base_alignment * base_alignment;
  return {front, bytes, total - front - bytes};
}

void fill_guard(std::span<std::byte> zone, std::uint64_t first, std::uint32_t seed) {
  std::size_t i = 0;
  for (; i < zone.size() && (first + i) % 8 != 0; ++i) zone[i] = guard_byte(first + i, seed);
  for (; i + 8 <= zone.size(); i += 8) {
    const std::uint64_t word = guard_word((first + i) / 8, seed);
    std::memcpy(&zone[i], &word, sizeof word);
  }
  for (; i < zone.size(); ++i) zone[i] = guard_byte(first + i, seed);
}

std::optional<GuardDamage> find_damage(std::span<const std::byte> zone, std::uint64_t first,
                                       std::uint32_t seed) {
  if (is_intact(zone, first, seed)) return std::nullopt;
  std::vector<std::byte> intact(zone.size());
  fill_guard(intact, first, seed);
  std::optional<GuardDamage> damage;
  for (std::size_t i = 0; i < zone.size(); ++i) {
    if (zone[i] == intact[i]) continue;
    if (!damage) damage = GuardDamage{i, 0};
    ++damage->count;
  }
  return damage;
}

}  // namespace evo::evaluators::cuda
