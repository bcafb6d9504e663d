// Latencies of two kernels whose true ratio is known, drawn from a model of a GPU's noise or from recorded
// runs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/random.hpp"

namespace evo::bench {

/// How samples of one kernel vary, as factors of its true latency; logarithms.
struct Noise {
  std::string name;
  double turn = 0;      ///< standard deviation of a turn
  double load = 0;      ///< of what a fresh load of the modules changes, for each kernel
  double common = 0;    ///< of what changes between rounds for both (clocks, heat)
  double outliers = 0;  ///< share of turns that are a fifth slower
  bool heavy = false;   ///< turns and loads are Student's t with 3 degrees of freedom, not normal
  double drift = 0;     ///< what each turn adds, whosever it is: a GPU that warms up
  double slow = 0;      ///< of a process of each kernel alone that remembers itself from round to round
  double memory = 0;    ///< of that process: its correlation with the round before
  double throttled =
      0;  ///< share of turns on clocks a tenth slower; such a time lasts five turns in the mean
  /// Recorded runs of configurations: a turn draws one of its runs. Used in the place of the figures where it
  /// is not empty.
  std::vector<std::vector<double>> recorded{};
};

/// Noises of figures: a quiet GPU, one with load effects, a noisy one; and such as break what a test takes
/// for granted: heavy tails, drift, noise that remembers itself, clocks that jump.
[[nodiscard]] std::vector<Noise> modelled_noises();
/// Of Kernel Tuner's cache FILE.json.gz: the configurations within 2 times of the best, each with its runs
/// but for the first. Throws model::Exception where it cannot be read.
[[nodiscard]] Noise recorded_noise(const std::string& file);

/// All configurations of such a cache that have eight runs or more, each without its first.
[[nodiscard]] Noise recorded_configurations(const std::string& file);

/// A comparison's turns. `ratio`: candidate's true latency over the incumbent's, which is 1.
class Turns {
 public:
  Turns(const Noise& noise, double ratio, std::uint64_t seed, std::uint64_t number);
  /// Two recorded configurations: candidate and incumbent, each with its runs.
  Turns(const Noise& noise, const std::vector<double>& candidate, const std::vector<double>& incumbent,
        std::uint64_t number);
  void load();  ///< both modules afresh
  /// Candidate, incumbent; one after the other. Who begins is drawn for every two rounds.
  std::array<double, 2> round();
  double alone(bool candidate);  ///< a turn of one of them, without the other; both are a round
  [[nodiscard]] int rounds() const { return rounds_; }
  /// Of all turns so far, in the unit of the latencies.
  [[nodiscard]] double spent() const { return spent_; }

 private:
  double turn(const std::vector<double>* runs);
  double deviate();  ///< of one standard deviation
  double one(bool candidate);

  const Noise& noise_;
  double ratio_;
  model::RandomStream draws_;
  std::array<double, 2> loaded_{}, slowly_{};
  bool throttled_ = false, candidate_begins_ = false;
  int turns_ = 0;
  const std::vector<double>*candidate_ = nullptr, *incumbent_ = nullptr;
  int rounds_ = 0;
  double spent_ = 0;
};

}  // namespace evo::bench
