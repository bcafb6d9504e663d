// What became of a suite's fixtures.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "suites/attack_manifest.hpp"

namespace evo::suites {

/// A fixture on one input seed.
struct AttackAttempt {
  std::uint64_t input_seed = 0;
  std::string gate{}, reason{}, message{};  ///< of the refusal; empty when nothing refused it
  std::string outcome{};                    ///< caught, earlier, accepted, missed, or what is wrong
  bool as_expected = false;
  double milliseconds = 0;
};

struct AttackRow {
  Attack attack;
  bool not_run = false;  ///< it needs a GPU, and there is none here
  std::vector<AttackAttempt> attempts{};
  /// It was refused before anything of it ran: one attempt speaks for all seeds.
  bool seed_counts = true;

  [[nodiscard]] bool as_expected() const;
  /// The one to show: the first that is not as expected, or the first.
  [[nodiscard]] const AttackAttempt& shown() const;
  /// Seeds for which it is as expected.
  [[nodiscard]] int expected_seeds(int seeds) const;
};

/// What the seeds were made of.
struct AttackSeeds {
  int count = 1;
  std::uint64_t entropy = 0;
};

struct AttackTotals {
  int attacks = 0, caught = 0, missed = 0, controls = 0, accepted = 0, unexpected = 0, not_run = 0;
  std::map<std::string, int> by_gate;
};

[[nodiscard]] AttackTotals count(const std::vector<AttackRow>& rows);
}  // namespace evo::suites
