// What launches of a candidate took on the virtual device, so that one that never ends is told from one that
// takes long, at sizes that nobody asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/variant.hpp"

namespace evo::evaluators::gates {

class LaunchEffort {
 public:
  /// A launch of the case on the input set has ended after so many thread instructions.
  void ended(const model::Case& bound, std::size_t set, std::uint64_t instructions);
  /// A launch of the case has not, though one of its blocks has made so many. True: nor will it. A launch on
  /// the same set, with the same scalars and at half the sizes or more, took less than a 64th of that in all,
  /// which is as much as doubled sizes make of work that grows with their sixth power.
  [[nodiscard]] bool is_endless(const model::Case& bound, std::size_t set, std::uint64_t instructions) const;
  /// Instructions after which the virtual device takes a block of the launch for one that hangs.
  [[nodiscard]] static std::uint64_t of_a_block(const model::Case& bound, std::uint64_t budget);
  /// Threads of a launch of the case whose blocks may wait for each other (may_wait_for_blocks): so many that
  /// one lock for all of them takes minutes?
  [[nodiscard]] static bool is_crowd(const model::Case& bound);
  /// It was left out.
  void left_out(const model::Case& bound);
  /// A note of kind `took_too_long`, where one was: which sizes are not shown. Details: launches, axes (of
  /// the first).
  [[nodiscard]] std::optional<model::Evidence> note() const;

 private:
  struct Ended {
    std::vector<std::int64_t> sizes;
    std::size_t set = 0;
    std::optional<std::pair<std::size_t, double>> scalar;  ///< that has a value which nobody declared
    std::uint64_t instructions = 0;
  };
  std::vector<Ended> ended_;
  std::size_t left_out_ = 0;
  std::string first_;
};

}  // namespace evo::evaluators::gates
