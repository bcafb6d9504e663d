// The table of `evo bench --attacks` and `--bugs`: who caught what.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/attack_manifest.hpp"

namespace evo::cli {

struct AttackRow {
  Attack attack;
  std::string gate, reason, message;  ///< of the refusal; empty when nothing refused it
  std::string outcome;                ///< caught, earlier, accepted, missed, or what is wrong
  bool as_expected = false;
  bool not_run = false;  ///< it needs a GPU, and there is none here
  double milliseconds = 0;
};

struct AttackTotals {
  int attacks = 0, caught = 0, missed = 0, controls = 0, accepted = 0, unexpected = 0, not_run = 0;
  std::map<std::string, int> by_gate;
};

[[nodiscard]] AttackTotals count(const std::vector<AttackRow>& rows);
/// `what` is a row: "attack" or "bug".
void print_attack_text(const std::vector<AttackRow>& rows, const std::string& device,
                       const std::string& what);
void print_attack_json(const std::vector<AttackRow>& rows, const std::string& device);

}  // namespace evo::cli
