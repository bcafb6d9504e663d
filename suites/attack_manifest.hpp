// suites/attacks/expected.yaml: what each attack is and what must become of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "suites/seeded_bugs.hpp"

namespace evo::suites {

enum class AttackVerdict { reject, accept, missed };

struct Attack {
  std::string id;              ///< of the catalogue, e.g. "M-02"; "control"
  std::string title;           ///< what it does, one clause
  std::string name;            ///< file or check, without folder and ending
  std::filesystem::path file;  ///< of a kernel; empty for a check of the loop or the statistics
  std::string problem, kernel, workload, target;  ///< as `evo check` takes them
  AttackVerdict verdict = AttackVerdict::reject;
  std::string gate;                  ///< that must refuse it, or an earlier one
  std::vector<std::string> reasons;  ///< any of these; "*" is any
  std::vector<std::string> set;      ///< settings, as `evo check --set` takes them
  std::string why;                   ///< of a missed one: why no gate can catch it
  std::optional<SeededBug> bug;      ///< instead of a file: an edit of a template of `problem`

  [[nodiscard]] bool is_kernel() const { return bug.has_value() || !file.empty(); }
};

/// Throws model::Exception(invalid_configuration) with file and line.
[[nodiscard]] std::vector<Attack> read_attacks(const std::filesystem::path& folder);

/// The same of FOLDER/bugs.yaml: each bug is an attack that must be refused.
[[nodiscard]] std::vector<Attack> read_bugs(const std::filesystem::path& folder);

}  // namespace evo::suites
