#include "evaluators/devices/cuda/guard.hpp"

namespace evo::evaluators::cuda {

namespace {

/// One byte of the pattern. Every aligned element of a zone is a NaN in f16, bf16, f32 and f64, so that a
/// read past a buffer's end shows in the result; which NaN depends on position and seed.
std::byte guard_byte(std::uint64_t position, std::uint32_t seed) {
  std::uint64_t mixed =
      (position + 1) * 0x9e3779b97f4a7c15ULL ^ (std::uint64_t{seed} + 1) * 0xd1b54a32d192ed03ULL;
  mixed ^= mixed >> 32;
  mixed *= 0xda942042e4dd58b5ULL;
  const auto top = static_cast<std::uint32_t>(mixed >> 56);
  return static_cast<std::byte>(position % 2 != 0 ? 0x7f | (top & 0x80) : 0xf0 | (1 + top % 15));
}

}  // namespace

GuardedLayout guarded_layout(std::uint64_t bytes, std::uint32_t misalignment) {
  const std::uint64_t front = guard_bytes + misalignment;
  const std::uint64_t end = front + bytes + guard_bytes;
  const std::uint64_t total = (end + base_alignment - 1) / base_alignment * base_alignment;
  return {front, bytes, total - front - bytes};
}

void fill_guard(std::span<std::byte> zone, std::uint64_t first, std::uint32_t seed) {
  for (std::size_t i = 0; i < zone.size(); ++i) zone[i] = guard_byte(first + i, seed);
}

std::optional<GuardDamage> find_damage(std::span<const std::byte> zone, std::uint64_t first,
                                       std::uint32_t seed) {
  std::optional<GuardDamage> damage;
  for (std::size_t i = 0; i < zone.size(); ++i) {
    if (zone[i] == guard_byte(first + i, seed)) continue;
    if (!damage) damage = GuardDamage{i, 0};
    ++damage->count;
  }
  return damage;
}

}  // namespace evo::evaluators::cuda
