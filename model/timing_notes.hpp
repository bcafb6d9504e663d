// What is kept of a timing besides its figures: the raw samples, what is unusual about them, and whether the
// clocks of the GPU were held down meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evo::model {

/// Whether something held the clocks of a GPU down while it timed, as NVML says.
struct HeldClocks {
  bool watched = false;              ///< false: nobody could tell
  std::uint32_t discarded = 0;       ///< timings thrown away and taken again, for heat or a failing supply
  std::uint32_t kept = 0;            ///< timings that are kept although clocks were held down
  std::vector<std::string> reasons;  ///< each once, of all timings: "power cap", "thermal slowdown"
  friend bool operator==(const HeldClocks&, const HeldClocks&) = default;
};

/// A reason that comes and goes with heat or the supply of power. A power cap does not: it is what a heavy
/// kernel meets always, and it holds both sides of a comparison down.
[[nodiscard]] bool is_slowdown(std::string_view reason);
/// The words of "power cap, thermal slowdown", those that are not among them yet.
void add_reasons(std::string_view text, std::vector<std::string>& reasons);

/// Sides of a comparison in turn. A series of a variant that was timed alone has the empty side.
inline constexpr const char* candidate_side = "candidate";
inline constexpr const char* incumbent_side = "incumbent";

/// Raw samples of one workload, microseconds of one launch, in the order in which they were taken. Of a
/// comparison in turn each is the median of a turn, and the n-th of both sides are one round.
struct SampleSeries {
  std::string workload;
  std::string side;
  std::vector<double> us;
  friend bool operator==(const SampleSeries&, const SampleSeries&) = default;
};

/// What is unusual about a series: "bimodal", "drifting", "few_distinct".
struct OddSeries {
  std::string workload;
  std::string side;
  std::vector<std::string> words;
  friend bool operator==(const OddSeries&, const OddSeries&) = default;
};

struct TimingNotes {
  HeldClocks clocks;
  std::vector<OddSeries> odd;  ///< none of what is as usual
  friend bool operator==(const TimingNotes&, const TimingNotes&) = default;
};

/// No more samples of a series are kept: of a longer one every second, third, ... from the first on.
inline constexpr std::size_t most_kept_samples = 1024;
/// What is kept of a series: as many at most, each as a float of 32 bits, which holds what a GPU's clock
/// tells.
[[nodiscard]] std::vector<double> kept_samples(const std::vector<double>& us);

}  // namespace evo::model
