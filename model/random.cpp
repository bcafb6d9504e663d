#include "model/random.hpp"

#include <cmath>
#include <numbers>

#include <Random123/philox.h>

namespace evo::model {
namespace {

// FNV-1a and a finaliser (Stafford's mix 13, as in SplitMix64): enough to keep streams of different purposes
// apart.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix(h);
}

}  // namespace

RandomStream::RandomStream(const StreamKey& key) {
  key_[0] = static_cast<std::uint32_t>(key.seed);
  key_[1] = static_cast<std::uint32_t>(key.seed >> 32);
  tag_ = mix(hash_text(key.purpose) ^ mix(key.generation * 0x9e3779b97f4a7c15ULL + 1) ^
             mix(key.slot * 0xd1b54a32d192ed03ULL + 2));
}

std::uint32_t RandomStream::next_u32() {
  if (used_ == 4) {
    r123::Philox4x32 generator;
    r123::Philox4x32::ctr_type counter{
        {static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32),
         static_cast<std::uint32_t>(tag_), static_cast<std::uint32_t>(tag_ >> 32)}};
    r123::Philox4x32::key_type key{{key_[0], key_[1]}};
    const auto block = generator(counter, key);
    for (std::size_t i = 0; i < 4; ++i) block_[i] = block[i];
    ++counter_;
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t RandomStream::next_u64() {
  const std::uint64_t high = next_u32();
  return (high << 32) | next_u32();
}

void RandomStream::skip(std::uint64_t words) {
  const std::uint64_t left = 4 - used_;
  if (words <= left) {
    used_ += words;
    return;
  }
  words -= left;
  counter_ += words / 4;
  used_ = 4;
  for (std::uint64_t rest = words % 4; rest > 0; --rest) static_cast<void>(next_u32());
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  if (bound <= 1) return 0;
  // Rejects the last, incomplete interval.
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % bound + 1) % bound;
  std::uint64_t draw = next_u64();
  while (draw > limit) draw = next_u64();
  return draw % bound;
}

double RandomStream::uniform() {
  return static_cast<double>(next_u64() >> 11) * 0x1.0p-53;
}

double RandomStream::normal() {
  const double u = 1.0 - uniform();  // in (0, 1]
  const double v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace evo::model
