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

/// In the order in which findings are told; the first one told is the reason of the verdict. The rule, here
/// and nowhere else: causes before what they may cause. A wrong address makes accesses meet, or miss, that
/// have nothing to do with one another, so misaligned, out_of_bounds, and stores to inputs and gaps come
/// before the races; a race lets threads read what is not there yet, so the races come before barriers on
/// which threads disagree, and before reads of memory that nothing wrote; a hang may be the end of any of
/// them. Among findings of one kind the one seen first, in the order of the schedule, comes first.
enum class FindingKind : std::uint8_t {
  wrong_texture,     ///< a fetch through what is no handle, or of another kind of texture or surface
  wrong_tensor_map,  ///< a bulk copy through what is no tensor map, or one of another rank
  misaligned,
  out_of_bounds,
  input_written,  ///< a store to an argument that is an input, whatever it writes
  gap_written,    ///< a store to bytes between the elements of a strided output
  async_not_waited,
  wgmma_fence,  ///< a wgmma without a wgmma.fence behind what its registers were computed by
  race_shared,
  race_global,
  proxy_fence,    ///< a bulk copy over what a load may still be reading: see exact/late_reads.hpp
  nc_of_written,  ///< ld.global.nc of bytes that the launch writes, before or after
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
  std::optional<Site> other;  ///< races: the earlier access; nc_of_written: the store; async_not_waited: the
                              ///< copy; uninitialized: where the value was read
  AccessKind access = AccessKind::read, other_access = AccessKind::read;
  Space space = Space::none;                ///< of the access; generic resolved
  std::uint64_t address = 0;                ///< offset in the space, or the global address
  std::uint32_t width = 0;                  ///< bytes; 0 = no access
  std::string variable;                     ///< uninitialized: the register, where no memory was read
  std::optional<std::int64_t> lane_stride;  ///< address difference to the next lane
  std::uint64_t count = 1;                  ///< how often this pair of instructions showed it
  /// barrier_divergence, shuffle_mask, hang, assertion, wgmma_fence, proxy_fence, and async_not_waited of a
  /// register: what a person reads. wrong_texture, and out_of_bounds of a surface: what is wrong.
  /// uninitialized: what the value does, e.g. "decides a branch".
  std::string text;
  bool endless = false;  ///< hang: no way leads out of the code, whatever other threads do
  bool equal = false;    ///< races of two plain stores: the later one stores what stands there
};

/// Findings of one launch that are told, and those of one block that are kept.
constexpr std::size_t most_told = 32, most_kept = 512;

/// Collects the findings of one block, one per kind and pair of instructions: the first one, and how many
/// more.
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
/// summed. At most `most_told`: what is left out is said in a detail "more_findings" of the first.
[[nodiscard]] std::vector<model::Evidence> to_evidence(const Launch& launch, std::vector<Finding> findings);

/// The failure that a launch with these findings ends in (not empty): sanitizer_fail, timeout for a hang,
/// device_fault for trap and assertion, unsupported with the instruction's text. Reason: the first one's
/// kind.
[[nodiscard]] model::Failure to_failure(const Launch& launch, const std::vector<Finding>& findings);

}  // namespace evo::evaluators::virtual_device
