// What a launch does with a GPU: counters by name, and bounds on them. A value is measured by a profiler or
// modelled by the virtual device; the two stand beside each other and are never mixed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evo::model {

/// A counter that has a name here.
struct CounterName {
  std::string_view name;    ///< "dram_percent"
  std::string_view metric;  ///< of CUPTI and ncu; empty: only modelled, or told by the compiler
  std::string_view text;    ///< what it is, for people
  double scale = 1;         ///< of the metric's value
  bool modelled = false;    ///< the virtual device has it, too
  bool compiled = false;    ///< of the compiler's resource report: the same everywhere

  /// It says how long something takes, or is divided by such a time, so that it differs from launch to
  /// launch. Others count what is done, or say where it hit.
  [[nodiscard]] bool is_timed() const;
};

/// In the order in which they are shown. Names that end in `_percent` are shares of what the unit can do.
/// `stall_*` are the cycles that a warp spends in this state for each instruction that it issues.
[[nodiscard]] std::span<const CounterName> counter_names();
/// nullptr where there is none.
[[nodiscard]] const CounterName* find_counter(std::string_view name);

enum class CounterBasis : std::uint8_t { measured, modelled };
[[nodiscard]] std::string_view name_of(CounterBasis basis);
[[nodiscard]] std::optional<CounterBasis> counter_basis_from_name(std::string_view name);

/// What a launch does at a source line.
struct LineCount {
  std::string file;
  int line = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t sectors = 0;         ///< of global memory, 32 bytes each
  std::uint64_t bank_conflicts = 0;  ///< wavefronts that they add
  std::string text{};                ///< the line, where somebody has looked it up
};

/// Warps that were at a source line when a GPU's schedulers were sampled.
struct LineSamples {
  std::string file;  ///< empty: of no line
  int line = 0;
  /// By what the warp waited for, as `stall_*` has it; "selected": it issued an instruction.
  std::map<std::string, std::uint64_t, std::less<>> stalls{};
  std::string text{};  ///< the line, where somebody has looked it up

  [[nodiscard]] std::uint64_t samples() const;
};

/// One kernel's launch on one workload.
struct KernelCounters {
  std::string workload;
  std::string kernel;
  std::map<std::string, double, std::less<>>
      values;                          ///< by CounterName::name; of several launches the median
  std::string bottleneck;              ///< modelled: ModelledLatency::bottleneck
  std::vector<LineCount> lines;        ///< modelled, the most executed first
  std::vector<LineSamples> sampled{};  ///< measured, the most samples first
  std::uint64_t samples_dropped = 0;   ///< that the hardware took and could not keep
  int launches = 1;                    ///< that were counted
  /// Lowest and highest of several launches, by CounterName::name; empty where one was counted.
  std::map<std::string, std::array<double, 2>, std::less<>> spread{};

  [[nodiscard]] std::optional<double> find(std::string_view name) const;
};

/// How many launches that take so long are counted, each alone: 15 of short ones, one of those of a tenth of
/// a second, since each of them runs once for each group of counters. Odd, so that one of them has the
/// median.
[[nodiscard]] int launches_to_count(double seconds);

struct CounterReading {
  CounterBasis basis = CounterBasis::measured;
  std::string method;  ///< "CUPTI range profiler", "ncu 2025.3.1", "virtual model v2"
  std::string device;  ///< "NVIDIA H200"; modelled: the target's name
  std::vector<KernelCounters> kernels;
};

/// `dram_percent < 60`: what must hold for each kernel that a variant launches, on each workload.
struct CounterBound {
  std::string counter;
  std::string comparison;  ///< "<", "<=", ">" or ">="
  double limit = 0;

  [[nodiscard]] bool holds(double value) const;
  friend bool operator==(const CounterBound&, const CounterBound&) = default;
};
[[nodiscard]] std::string text_of(const CounterBound& bound);

}  // namespace evo::model
