// An experiment: what to run. Read by config/ from experiments/NAME.yaml.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/counters.hpp"
#include "model/language_model.hpp"
#include "model/preset.hpp"
#include "model/problem.hpp"
#include "model/target.hpp"

namespace evo::model {

/// Several proposals a slot, of which one goes to the device: the fastest by a model of latency, or now and
/// then one that the model would have left out.
struct ScreenSettings {
  int pool = 1;                      ///< proposals a slot; 1: every proposal goes to the device
  double explore = default_explore;  ///< probability that one which is not the model's best goes

  [[nodiscard]] bool on() const { return pool > 1; }

  static constexpr int default_pool = 4;  ///< of an experiment that screens
  static constexpr double default_explore = 0.1;
};

struct SearchSettings {
  std::string strategy = "genetic";  ///< genetic, random, local, surrogate
  int population = 16;
  int generations = 8;
  int max_in_flight = 8;  ///< W: proposal k sees results up to k - W
  std::uint64_t seed = 1;
  int tournament = 3;
  int elite = 2;
  double mutation = 0.15;  ///< probability per gene
  bool insights = true;    ///< insights bias the mutation
  /// Operator -> weight; those not named have the strategy's default (mutators/weights.hpp).
  std::map<std::string, double, std::less<>> mutators;
  bool bandit = false;  ///< weights of operators and models follow what they brought (engine/bandit.hpp)
  double bandit_cost = default_bandit_cost;  ///< logarithm of a speed-up that a unit of cost is worth
  std::vector<LanguageModel> models{};       ///< language models that edit the text, beside the mutators

  /// Axes of an archive of correct variants by how they behave (model/archive.hpp); empty: none.
  std::vector<std::string> archive{};
  double archive_share = default_archive_share;  ///< of the parents that are drawn from its cells
  ScreenSettings screen{};
  /// What operators use of what was found (model/preset.hpp); models have a preset of their own.
  std::string preset{default_preset};

  static constexpr double default_bandit_cost = 0.05;
  static constexpr double default_archive_share = 0.5;
};

/// When a run that no longer gains is ended: the champion's latency fell by less than `gain` (a share) over
/// the last `trials` trials, or over the last `seconds` of the run. Unset while both are 0.
struct StopIf {
  double gain = 0;
  std::int64_t trials = 0;  ///< 0 = trials do not count
  double seconds = 0;       ///< 0 = time does not count

  [[nodiscard]] bool set() const { return trials > 0 || seconds > 0; }
  friend bool operator==(const StopIf&, const StopIf&) = default;
};

/// "no gain of 1 % in 200 trials or 10 minutes", which config reads back to the same; "" while unset.
[[nodiscard]] std::string text_of(const StopIf& stop_if);

struct Budget {
  std::int64_t trials = 0;    ///< 0 = generations * population
  double wall_seconds = 0;    ///< 0 = no limit
  double device_seconds = 0;  ///< 0 = no limit
  double cost = 0;            ///< 0 = no limit
  double hourly_price = 0;    ///< price of one device hour
  StopIf stop_if{};
  /// Variants that are tried after the last trial to test which of the champion's genes and edits matter;
  /// 0 = none.
  std::int64_t insight_checks = default_insight_checks;

  static constexpr std::int64_t default_insight_checks = 0;
};

struct GateSettings {
  int repeated_launches = 100;   ///< bit-equal launches on a real device
  int permuted_runs = 3;         ///< permuted warp and block orders on the virtual device
  int champion_launches = 1000;  ///< the champion's, bit-equal under perturbation on a real device
  int champion_orders = 12;      ///< the champion's permuted orders on the virtual device
  /// Seconds that each tool of compute-sanitizer gets for a champion on a real device; 0 = do not run it.
  double sanitizer_timeout_s = 300;
  /// Seconds for a champion's correctness on the virtual device where the run's GPUs are a farm's alone; 0:
  /// as long as it takes.
  double virtual_proof_s = 60;
  std::int64_t max_spill_bytes = 0;  ///< resources gate
  std::uint64_t instruction_budget =
      20'000'000'000;               ///< thread instructions per launch on the virtual device
  double launch_timeout_ms = 2000;  ///< watchdog on a real device
  double compile_timeout_s = 60;
  std::int64_t compile_memory_mb = 4096;
  int timing_samples = 60;
  int timing_launches = 20;  ///< launches per sample
  int timing_warmup = 5;
  int paired_rounds = 16;  ///< in which a candidate is timed in turn with the incumbent that it seems to beat
  /// Share of a latency below which two variants count as equal: what copies of one kernel differ by when
  /// they are loaded and timed again.
  double timing_resolution = 0.005;
  /// The chance that a run makes a candidate its champion that is not faster than the champion before, over
  /// all its comparisons.
  double promotion_error = 0.01;
  /// What a timed launch finds in the L2, wherever this run times: "hot", what launches shortly before left
  /// there, or "cold", nothing of its buffers.
  std::string cache = "hot";
  /// A gain or a loss below this share of the baseline's latency is none in the final verdict.
  double final_margin = 0.01;
  /// What the final verdict on a GPU times besides the pairs that decide: "cache", champion and baseline with
  /// the other L2 than `cache`; "comparators", the champion and what else computes the problem; "all",
  /// "none".
  std::string final_beside = "all";

  [[nodiscard]] bool cold() const { return cache == "cold"; }
  /// Whether final_beside names `what`: "cache" or "comparators".
  [[nodiscard]] bool times_beside(std::string_view what) const {
    return final_beside == "all" || final_beside == what;
  }
  std::vector<CounterBound> counters{};  ///< the profile gate's; not among settings_of
};

/// A design that a run tries directly behind its baseline.
struct InitialDesign {
  std::string template_name;
  Genome genome;       ///< complete, and legal in the experiment
  std::string origin;  ///< who names it, for people: "the experiment", "runs/a, trial 57"
};

/// A run whose best designs a new run begins with.
struct Prior {
  std::string run;  ///< its folder
  int best = default_best;
  std::string place;  ///< "FILE:LINE", where the experiment names it

  static constexpr int default_best = 4;
};

struct Experiment {
  std::string name;
  std::string file;
  Problem problem;
  std::vector<Workload> workloads;
  TargetProfile target;
  /// The target is the user's own, no shipped one: the resolved experiment holds all of it, not its name.
  bool own_target = false;
  /// GPU models by whose figures a device that ran is judged, found by the name that it gives itself.
  std::vector<TargetProfile> known_targets{};
  std::int64_t smem_limit = 0;         ///< 0 = the target's opt-in limit
  std::string device = "auto";         ///< auto, virtual, cuda:N, cuda:0,2, cuda:all
  std::vector<std::string> templates;  ///< which of the problem's; empty = all
  /// Templates that nobody named and that the target cannot run, one sentence each.
  std::vector<std::string> left_out;
  std::string baseline_template;
  Genome baseline;  ///< complete
  std::string accuracy_class;
  std::vector<InitialDesign> initial_designs{};  ///< distinct, none is the baseline
  std::vector<Prior> priors{};                   ///< until session/priors.hpp makes `starts` of them
  SearchSettings search;
  Budget budget;
  GateSettings gates;
  std::optional<std::uint64_t> input_seed;  ///< --input-seed; otherwise drawn from the system once a run
  std::string resolved_yaml;                ///< the resolved experiment, as stored in the run folder
};

/// The one value that the workloads give each compile-time axis; an axis that none names is missing.
[[nodiscard]] std::map<std::string, std::int64_t, std::less<>> compile_time_axes(
    const Experiment& experiment);

}  // namespace evo::model
