// Port: where an artifact runs. Real: cuda/ (inside a worker process) and virtual/. The gates are written
// against it and know neither.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/devices/kernel_arguments.hpp"
#include "model/artifact.hpp"
#include "model/counters.hpp"
#include "model/measurement.hpp"
#include "model/variant.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::devices {

template <class T>
using Outcome = tl::expected<T, model::Failure>;

struct DeviceInfo {
  std::string kind;    ///< "virtual" or "cuda"
  std::string name;    ///< "NVIDIA H200", "PTX machine"
  std::string arch;    ///< "sm_90"; empty for the virtual device, which takes any
  std::string driver;  ///< "580.159"; empty for the virtual device
  std::string uuid;
  std::string latency_model{};  ///< of the virtual device: "virtual model v2"
  std::int64_t l2_bytes = 0;    ///< of its L2; 0: not known, or none
};

/// A stretch of a buffer, in bytes from its first one.
struct BufferPart {
  std::uint64_t offset = 0, bytes = 0;
};

/// What a kernel may do with a buffer. The virtual device, which sees every store, tells one that breaks it.
enum class BufferAccess : std::uint8_t { read_write, read_only };

/// Where the elements of a strided view lie in the buffer's bytes, as write() and read() see them. What lies
/// between elements belongs to nobody, and a store there is a mistake whatever it leaves.
struct BufferView {
  std::uint32_t element_bytes = 0;           ///< 0: all of the buffer is elements
  std::vector<std::int64_t> shape, strides;  ///< elements, by dimension
};

struct BufferSpec {
  std::uint64_t bytes = 0;  ///< from the first to the last
  /// The base address is this many bytes past a 256-byte boundary (a multiple of the element size).
  std::uint32_t misalignment = 0;
  std::string name;  ///< the argument's, for findings
  /// Empty: all of it is memory. Otherwise only these stretches are (in order, apart from each other by 64
  /// GiB or more): write(), read() and poison() then see them as if they followed each other. What lies
  /// between them costs nothing, and nobody may touch it.
  std::vector<BufferPart> parts{};
  BufferAccess access = BufferAccess::read_write;
  BufferView view{};
  /// The device fills it with zeros before every launch that gets it as an argument, the timed ones included.
  bool zeroed = false;
  /// The device puts back what write() gave it last before every launch that gets it as an argument, the
  /// timed ones included. Not with `zeroed`.
  bool restored = false;
};

/// How much the virtual device looks at. A real device ignores it.
enum class CheckLevel : std::uint8_t {
  none,      ///< bounds only (a candidate can never reach anything else)
  filtered,  ///< all checks through the fast filter; a suspicion is settled by an exact re-run of the launch
  exact,     ///< every launch in the exact mode
};

/// What an integer argument may be in any launch that is allowed, this one or another: from least to most, of
/// these the multiples of `multiple`.
struct ArgumentRange {
  std::int64_t least = 0, most = 0;
  std::int64_t multiple = 1;
};

/// Virtual: thread instructions after which one block of a launch is taken for one that hangs. `budget` is
/// the launch's.
[[nodiscard]] constexpr std::uint64_t instructions_of_a_block(std::uint64_t budget, std::uint64_t blocks) {
  constexpr std::uint64_t least = 64'000'000;
  return std::min(budget, std::max(least, 16 * (budget / std::max<std::uint64_t>(1, blocks))));
}

struct LaunchOptions {
  CheckLevel checks = CheckLevel::filtered;
  std::uint64_t schedule_seed = 0;  ///< virtual: 0 natural order; otherwise permuted warp and block orders
  std::uint64_t instruction_budget = 20'000'000'000;  ///< virtual: thread instructions before "hang"
  /// Virtual: thread instructions of all blocks together, after which the launch ends as one that hangs,
  /// though no block took what it may; 0: no such end. For those who only ask what a launch costs.
  std::uint64_t whole_budget = 0;
  double timeout_ms = 2000;  ///< real: watchdog
  /// Real: launches_ended() knows of this launch. Something small then runs behind it.
  bool counted = false;
  /// Virtual: plain stores of the bytes that another thread has just stored there are no race with that
  /// store. Whatever else is unordered to either still is a race.
  bool equal_writes = false;
  /// Virtual: the launch ends with its first fault, and its evidence counts no others. For those who only ask
  /// whether there is one.
  bool stop_at_fault = false;
  bool coverage = false;  ///< virtual: fill LaunchReport::unexecuted
  /// Virtual, with coverage: by argument, where known. Code that no such value leads to is not asked for.
  std::vector<std::optional<ArgumentRange>> ranges{};
  /// Virtual, with coverage: each launch of the kernel has this one's block. Code that no thread of it gets
  /// to, as what is for several warps where it is one, is not asked for.
  bool same_block = false;
  bool count = false;  ///< virtual: fill LaunchReport::counts
  /// Virtual: linear numbers (x + y*nx + z*nx*ny) of the blocks that run; the others do not run at all.
  /// Empty: all. A real device runs all in any case. What such a sample writes is what all blocks would have
  /// written only where LaunchReport::blocks_independent says so. Counts of a sample are of its blocks
  /// alone.
  std::vector<std::uint64_t> blocks{};
};

/// Dynamic counts of one launch on the virtual device, in warp instructions unless said otherwise.
struct LaunchCounts {
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  std::uint64_t fp32 = 0, fp64 = 0, fp16 = 0, integer = 0, conversion = 0, special = 0, control = 0;
  std::uint64_t tensor = 0;  ///< in units of an m16n8k8 multiplication of 16-bit operands
  std::uint64_t shared_accesses = 0, shared_wavefronts = 0;  ///< wavefronts include bank conflicts
  std::uint64_t global_accesses = 0, global_sectors = 0;     ///< 32-byte sectors
  /// Of the shared and global accesses, those of cp.async; the bytes they read; and the waits that leave none
  /// of them in flight.
  std::uint64_t async_copies = 0, async_bytes = 0, async_waits = 0;
  std::uint64_t local_accesses = 0, barriers = 0, shuffles = 0, atomics = 0;
  std::uint64_t unique_global_bytes = 0;        ///< footprint in DRAM
  std::uint64_t longest_warp_instructions = 0;  ///< of the busiest warp: the serial path
};

struct LaunchReport {
  std::vector<model::Evidence> unexecuted;  ///< blocks with a memory access or barrier that never ran
  std::uint64_t dynamic_smem_touched = 0;   ///< highest dynamic shared byte touched + 1
  LaunchCounts counts;
  /// Virtual, with `count`: by source line, in no order; instructions without one stand under line 0.
  std::vector<model::LineCount> lines;
  std::uint64_t thread_instructions = 0;
  /// Virtual, with checks: what each block that ran has done is what it would have done whichever other
  /// blocks run. False where one of them made an atomic on global memory, loaded from a buffer that is no
  /// input bytes which it had not stored itself, or stored to an input. A buffer is an input if write() has
  /// filled it and poison() never. Always false where nothing looks: without checks, and on a real device.
  ///
  /// A sample of blocks that is not independent stops where it shows. It has no findings then, since what it
  /// saw may only be the absence of the others; what its buffers hold means nothing, and all blocks have to
  /// run on buffers that are filled anew.
  bool blocks_independent = false;
  std::uint64_t idle_blocks = 0;  ///< virtual: blocks that ran and stored nothing to global memory
};

/// What a launch finds around it on a real device, in the hands of the gates. Not thread-safe, like the
/// device.
class LaunchConditions {
 public:
  virtual ~LaunchConditions() = default;
  /// Leaves `pattern` in the shared memory of every multiprocessor, for the launch that follows to find.
  [[nodiscard]] virtual Outcome<void> fill_shared(std::uint32_t pattern) = 0;
  /// Writes other data than any buffer's through the whole L2.
  [[nodiscard]] virtual Outcome<void> flush_cache() = 0;
  /// From now on, and for about this long, a kernel of our own moves memory on half of the multiprocessors,
  /// beside what is launched meanwhile. synchronize() waits for it too.
  [[nodiscard]] virtual Outcome<void> start_load(std::chrono::microseconds duration) = 0;
};

/// So many times what it holds must pass an L2 for nothing that was there to be left.
inline constexpr int emptying_l2s = 5;

/// How to time on a real device; the virtual device models the latency of one launch instead.
struct TimingProtocol {
  int warmup = 5;  ///< untimed samples
  int samples = 60;
  int launches = 20;  ///< per sample
  /// Real: before each sample, outside its time, emptying_l2s times the L2 is read from memory of nobody's.
  bool empty_cache = false;
  /// A kernel whose warm-up takes longer than this a launch is only screened: six samples, which still give
  /// a 95 % interval of the median. 0 = never.
  double screen_us = 0;
  /// Samples beyond the tenth are taken only as long as all of them fit into this time. 0 = no limit.
  double budget_ms = 0;
  /// Real: after these shares of the samples (ascending, 0 to 1) the device is made idle and `spot_check` is
  /// called with the number of samples taken so far; then one untimed replay brings caches and clocks back.
  /// `prepare` is called behind it, and behind the warm-up: all that is launched between it and the look
  /// after it is timed. A failure of either ends the timing. Both may be empty.
  std::vector<double> spot_checks{};
  std::function<Outcome<void>(std::size_t samples)> spot_check{};
  std::function<Outcome<void>()> prepare{};
};

/// Bytes of the host that a device copies into fastest (a GPU: page-locked, used again and again). May be
/// given back on any thread; may outlive the device.
class HostBytes {
 public:
  HostBytes() = default;
  HostBytes(std::shared_ptr<std::byte> first, std::size_t size) : first_(std::move(first)), size_(size) {}
  [[nodiscard]] std::span<std::byte> span() const { return {first_.get(), size_}; }
  /// `bytes` of them from `offset` on; keeps all of them alive.
  [[nodiscard]] HostBytes part(std::size_t offset, std::size_t bytes) const {
    return {std::shared_ptr<std::byte>(first_, first_.get() + offset), bytes};
  }

 private:
  std::shared_ptr<std::byte> first_;
  std::size_t size_ = 0;
};

/// The first bytes of a buffer.
struct BufferPiece {
  BufferId buffer = 0;
  std::size_t bytes = 0;
  /// Device::digest() of what should still stand there: where it does, nothing is copied.
  std::optional<std::uint64_t> unchanged{};
};

/// What a launch left behind.
struct Contents {
  std::vector<HostBytes> bytes;  ///< of each piece that was asked for; none of one that is unchanged
  /// What Device::check_guards() would have said at that moment. It may take its time and needs no device:
  /// to be called outside of a turn, on any thread.
  std::function<Outcome<void>()> guards;
};

/// Held while a device works for its holder; several processes may share one GPU, one at a time.
using DeviceLock = std::shared_ptr<void>;

/// What a device has used since it was made.
struct DeviceUsage {
  double device_seconds = 0;      ///< real: of turns that were held
  double waiting_seconds = 0;     ///< real: for a turn
  double helper_cpu_seconds = 0;  ///< virtual: of threads other than the caller's
};

/// A loaded artifact. Released by its device.
using ModuleId = std::uint32_t;

/// Not thread-safe: one owner. A Failure here is the candidate's (launch_error, device_fault, timeout,
/// sanitizer_fail, unsupported); a broken environment throws model::Exception.
/// After a device_fault or timeout a real device is lost: lost() is true and its worker must be replaced.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual DeviceInfo info() const = 0;
  [[nodiscard]] virtual bool lost() const { return false; }

  [[nodiscard]] virtual Outcome<ModuleId> load(const model::Artifact& artifact) = 0;
  virtual void unload(ModuleId module) = 0;

  /// Contents are undefined (virtual: uninitialised) until written. Guard zones stand on both sides.
  [[nodiscard]] virtual Outcome<BufferId> allocate(const BufferSpec& spec) = 0;
  virtual void release(BufferId buffer) = 0;
  [[nodiscard]] virtual Outcome<void> write(BufferId buffer, std::span<const std::byte> bytes) = 0;
  /// The same from host_bytes(), which is faster; the device holds on to `bytes` until they are copied, and
  /// nobody changes them.
  [[nodiscard]] virtual Outcome<void> write_from(BufferId buffer, const HostBytes& bytes) {
    return write(buffer, bytes.span());
  }
  [[nodiscard]] virtual Outcome<void> read(BufferId buffer, std::span<std::byte> bytes) = 0;
  /// Memory for read() and write_from(), of arbitrary contents.
  [[nodiscard]] virtual HostBytes host_bytes(std::size_t bytes) {
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-c-arrays): uninitialised on purpose
    auto block = std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(bytes, 1));
    return {std::shared_ptr<std::byte>(block, block.get()), bytes};
  }
  /// Waits until no other process that takes turns uses the device; until the returned value is gone, none
  /// does. A second turn of the same holder is the first one. Calls outside of a turn work, but may disturb
  /// somebody's timing.
  [[nodiscard]] virtual DeviceLock lock_device() { return nullptr; }
  [[nodiscard]] virtual DeviceUsage usage() const { return {}; }
  /// Fills with a repeated 32-bit pattern; on the virtual device the bytes also count as uninitialised.
  [[nodiscard]] virtual Outcome<void> poison(BufferId buffer, std::uint32_t pattern) = 0;
  /// Which bytes of the buffer have been written since poison() (or allocate()): one byte for each, not 0
  /// where a write() or a launch with checks has written. Empty where the device does not know (a real one).
  [[nodiscard]] virtual std::vector<std::uint8_t> written(BufferId) { return {}; }
  /// Guard zones of every buffer untouched? Otherwise wrong / "guard_overwritten", naming buffer and offset.
  [[nodiscard]] virtual Outcome<void> check_guards() = 0;
  /// What read_with_guards() can compare a buffer with instead of copying it. A kernel cannot know other
  /// bytes that have it. nullopt: such a device always copies.
  [[nodiscard]] virtual std::optional<std::uint64_t> digest(std::span<const std::byte>) const {
    return std::nullopt;
  }
  /// read() of these, and check_guards(), with one wait for all.
  [[nodiscard]] virtual Outcome<Contents> read_with_guards(std::span<const BufferPiece> wanted) {
    auto intact = check_guards();
    auto contents = read_pieces(wanted);
    if (contents) contents->guards = [intact = std::move(intact)] { return intact; };
    return contents;
  }
  /// The same without check_guards().
  [[nodiscard]] virtual Outcome<Contents> read_pieces(std::span<const BufferPiece> wanted) {
    Contents contents;
    for (const BufferPiece& piece : wanted) {
      contents.bytes.push_back(host_bytes(piece.bytes));
      if (piece.bytes == 0) continue;
      if (auto copied = read(piece.buffer, contents.bytes.back().span()); !copied)
        return tl::unexpected(copied.error());
    }
    return contents;
  }

  /// Launches; does not wait on a real device unless `synchronize` follows. The kernel's parameters are the
  /// arguments that the plan names and then its tensor maps, which view buffers among all of them. The
  /// kernels in LaunchPlan::then follow, each on what the one before left. Before the first, buffers that are
  /// zeroed are filled, and LaunchPlan::symbols are copied into the module's variables (launch_error /
  /// "symbol_size" where one is too small).
  [[nodiscard]] virtual Outcome<LaunchReport> launch(ModuleId module, const model::LaunchPlan& plan,
                                                     std::span<const KernelArgument> arguments,
                                                     const LaunchOptions& options) = 0;
  [[nodiscard]] virtual Outcome<void> synchronize() = 0;
  /// Real: of the launches since the last synchronize() that gave no failure, how many of those with
  /// LaunchOptions::counted have run to their end. What says which one took a lost device down.
  [[nodiscard]] virtual std::size_t launches_ended() const { return 0; }
  /// How many blocks of the plan's own kernel (not of those in LaunchPlan::then) can be at work at once.
  /// Blocks beyond those start when others have ended: waiting for one of them never ends. nullopt: any
  /// number (the virtual device).
  [[nodiscard]] virtual Outcome<std::optional<std::uint64_t>> resident_blocks(ModuleId,
                                                                              const model::LaunchPlan&) {
    return std::nullopt;
  }
  /// nullptr on a device whose launches find nothing: on the virtual one shared memory is uninitialised
  /// before every launch, there are no caches, and orders are permuted with LaunchOptions::schedule_seed.
  [[nodiscard]] virtual LaunchConditions* launch_conditions() = 0;

  /// Why the device holds its clocks down now: "power cap, thermal slowdown"; empty: it does not. nullopt
  /// where nobody tells. To ask costs a real device's driver some time.
  [[nodiscard]] virtual std::optional<std::string> held_clocks() { return std::nullopt; }

  /// Real: raw samples in microseconds per launch. Virtual: one modelled sample (kind modelled, method
  /// named).
  struct Timing {
    model::LatencyKind kind = model::LatencyKind::measured;
    std::string method;
    std::vector<double> samples_us;
    /// Virtual: what a launch did, by name (model::archive_axes()): "sectors" and the like. Empty otherwise.
    std::vector<std::pair<std::string, std::string>> behaviour{};
  };
  /// `argument_sets` are rotated through, one per launch; all kernels of the plan are one launch. Variables
  /// that hold an argument are filled once, from the first set, before anything is timed.
  [[nodiscard]] virtual Outcome<Timing> time(ModuleId module, const model::LaunchPlan& plan,
                                             std::span<const std::vector<KernelArgument>> argument_sets,
                                             const TimingProtocol& protocol) = 0;
};

}  // namespace evo::evaluators::devices
