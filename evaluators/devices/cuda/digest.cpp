#include "evaluators/devices/cuda/digest.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace evo::evaluators::cuda {
namespace {

std::uint64_t mixed(std::uint64_t word, std::uint64_t index, std::uint64_t key) {
  // The step from place to place is secret, too: by a public one two words could be exchanged unseen.
  word = (word ^ key) + (index + 1) * (key * 0xd1b54a32d192ed03ULL | 1);
  word ^= word >> 32;
  word *= 0xda942042e4dd58b5ULL;
  word ^= word >> 29;
  word *= 0xd1b54a32d192ed03ULL;
  return word ^ word >> 32;
}

}  // namespace

std::uint64_t digest_key() {
  static const std::uint64_t key = [] {
    std::random_device source;
    return (std::uint64_t{source()} << 32) | source();
  }();
  return key;
}

std::uint64_t digest_of(std::span<const std::byte> bytes, std::uint64_t key) {
  std::uint64_t sum = 0, index = 0;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t), ++index) {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[at], std::min(sizeof word, bytes.size() - at));
    sum += mixed(word, index, key);
  }
  return sum;
}

std::optional<std::uint64_t> content_digest(std::span<const std::byte> bytes) {
  constexpr std::size_t least = 256 * 1024;
  if (bytes.size() < least) return std::nullopt;
  return digest_of(bytes, digest_key());
}

}  // namespace evo::evaluators::cuda
