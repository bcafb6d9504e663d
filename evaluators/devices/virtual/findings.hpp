// What the checks see, as data, and its translation to evidence that a kernel engineer reads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/program.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::virtual_device {

/// In the order in which findings are told: causes before what they cause (a race often shows first as a read
/// of memory that nothing wrote).
enum class FindingKind : std::uint8_t {
  async_not_waited,
  race_shared,
  race_global,
  out_of_bounds,
  misaligned,
  barrier_divergence,
  shuffle_mask,
  uninitialized,
  assertion,
  trap,
  hang,
  unsupported,
};
/// The word in Evidence::kind and Failure::reason.
[[nodiscard]] std::string_view name_of(FindingKind kind);

/// copy: the write of a cp.async (its source is an ordinary read).
enum class AccessKind : std::uint8_t { read, write, atomic, copy };

/// A thread at an instruction.
struct Site {
  std::uint64_t block = 0;        ///< linear: x + y*nx + z*nx*ny
  std::uint32_t thread = 0;       ///< linear in its block
  std::uint32_t instruction = 0;  ///< index into Program::code

  friend bool operator==(const Site&, const Site&) = default;
};

struct Finding {
  FindingKind kind = FindingKind::race_shared;
  Site here;
  std::optional<Site> other;  ///< races: the earlier access; async_not_waited: the copy; uninitialized: where
                              ///< the value was read
  AccessKind access = AccessKind::read, other_access = AccessKind::read;
  Space space = Space::none;                ///< of the access; generic resolved
  std::uint64_t address = 0;                ///< offset in the space, or the global address
  std::uint32_t width = 0;                  ///< bytes; 0 = no access
  std::optional<std::int64_t> lane_stride;  ///< address difference to the next lane
  std::uint64_t count = 1;                  ///< how often this pair of instructions showed it
  /// barrier_divergence, shuffle_mask, hang, assertion: what a person reads. uninitialized: what the value
  /// does, e.g. "decides a branch".
  std::string text;
};

/// Collects the findings of one block, one per kind and pair of instructions.
class FindingLog {
 public:
  void add(const Finding& finding);
  [[nodiscard]] bool empty() const { return findings_.empty(); }
  [[nodiscard]] std::vector<Finding>& findings() { return findings_; }
  void clear();

 private:
  using Key = std::tuple<FindingKind, std::uint32_t, std::uint32_t>;
  std::vector<Finding> findings_;
  std::map<Key, std::size_t> index_;
};

/// "block (0,0,0) thread (5,0,0)".
[[nodiscard]] std::string place_text(const Launch& launch, const Site& site);
/// "line 42" or, without line information, "PTX line 17".
[[nodiscard]] std::string line_text(const Program& program, std::uint32_t instruction);

[[nodiscard]] model::Evidence to_evidence(const Launch& launch, const Finding& finding);
/// One evidence per kind and pair of source lines, in the order of FindingKind, then as found; counts are
/// summed.
[[nodiscard]] std::vector<model::Evidence> to_evidence(const Launch& launch, std::vector<Finding> findings);

/// The failure that a launch with these findings ends in (not empty): sanitizer_fail, timeout for a hang,
/// device_fault for trap and assertion, unsupported with the instruction's text. Reason: the first one's
/// kind.
[[nodiscard]] model::Failure to_failure(const Launch& launch, const std::vector<Finding>& findings);

}  // namespace evo::evaluators::virtual_device
