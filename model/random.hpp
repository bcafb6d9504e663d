// Counter-based random streams (Philox 4x32-10 of Random123): a draw depends on its key and position only,
// never on threads or on how many draws others made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evo::model {

/// Names one stream. `purpose` separates uses ("mutate", "tournament", "input:Q", ...).
struct StreamKey {
  std::uint64_t seed = 0;
  std::uint64_t generation = 0;
  std::uint64_t slot = 0;
  std::string_view purpose;
};

class RandomStream {
 public:
  explicit RandomStream(const StreamKey& key);

  [[nodiscard]] std::uint32_t next_u32();
  [[nodiscard]] std::uint64_t next_u64();
  /// Goes on as if next_u32() had been called so many times more, at no cost: threads that share out a
  /// stream's numbers find those of one thread.
  void skip(std::uint64_t words);
  /// Uniform in [0, bound), without modulo bias; bound > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1) with 53 bits.
  [[nodiscard]] double uniform();
  /// Standard normal (Box-Muller); takes words_of_normal words of the stream.
  [[nodiscard]] double normal();
  static constexpr std::uint64_t words_of_normal = 4;
  [[nodiscard]] bool chance(double probability) { return uniform() < probability; }

 private:
  std::uint32_t key_[2];
  std::uint64_t counter_ = 0;
  std::uint64_t tag_;
  std::uint32_t block_[4] = {};
  std::size_t used_ = 4;
};

}  // namespace evo::model
