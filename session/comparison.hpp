// `evo compare`: is the second kernel slower than the first by more than a threshold?
#pragma once

#include <array>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "evaluators/benchmark/in_pairs.hpp"
#include "evaluators/compile/compiler.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "session/baseline_file.hpp"
#include "session/compared.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// The second kernel against the first. Undecided: the interval is too wide to tell.
enum class Change : std::uint8_t { same, improved, regression, undecided };
[[nodiscard]] std::string_view name_of(Change change);

/// What a ratio second / first says at a threshold (0.03: 3 %), symmetric in the two kernels:
/// same        the whole interval is nearer to 1 than the threshold
/// regression  the whole interval is beyond it, or the interval is narrower than half of the threshold and
///             reaches it: slower for certain, and not for certain by less than the threshold
/// improved    the same on the other side
[[nodiscard]] Change change_of(const std::array<double, 2>& ratio, double threshold);
/// Of several workloads: regression if one is, else undecided if one is, else improved if one is.
[[nodiscard]] Change change_of(const std::vector<Change>& changes);

/// Exit codes of `evo compare` besides model::ExitCode; docs/reference/exit-codes.md.
inline constexpr int regression_exit_code = 7, undecided_exit_code = 8;
[[nodiscard]] int exit_code_of(Change change);

struct ComparisonSettings {
  double threshold = 0.03;
  double error = 0.01;  ///< chance that any interval of the whole comparison misses the truth
  double seconds = 60;  ///< for a workload's pairs, about; each workload gets as much
  bool cold = false;
  std::uint64_t seed = 1;  ///< of inputs and of the order in pairs
};

struct ComparedWorkload {
  evaluators::benchmark::PairedCase times;  ///< modelled: one pair, an interval that is a point
  Change change = Change::undecided;
};

/// Why there is no comparison: a kernel that is wrong, or does not run.
struct Refusal {
  std::size_t side = 0;
  std::string reason;
};

struct Comparison {
  std::string latency_kind;  ///< "measured" or "modelled"
  std::string device_kind, device_name, driver, uuid, toolchain;
  std::string cache;                     ///< "hot" or "cold", what a launch found in the L2; empty: modelled
  double threshold = 0, confidence = 0;  ///< confidence of each interval
  std::vector<ComparedWorkload> workloads;
  /// Of a measured one: loads in which the GPU slowed itself down are no part of the samples.
  model::HeldClocks clocks;
  std::optional<Refusal> refused;
  std::vector<std::string> notes;

  [[nodiscard]] Change change() const;
  [[nodiscard]] int exit_code() const;
};

/// Both up the ladder of the virtual device; the ratio of modelled latencies is exact.
[[nodiscard]] Comparison compare_modelled(const std::array<Compared, 2>& sides,
                                          const ComparisonSettings& settings);
/// The same on a stack that makes `stacks(side)`, for tests.
[[nodiscard]] Comparison compare_modelled(
    const std::array<Compared, 2>& sides, const ComparisonSettings& settings,
    const std::function<std::unique_ptr<EvaluationStack>(const model::Experiment&)>& stack_of);

/// Where pairs are timed. What is pointed to outlives the comparison.
struct PairDevice {
  evaluators::devices::Device* device = nullptr;
  evaluators::compile::Compiler* compiler = nullptr;
  evaluators::oracle::Catalogue known{};
  std::int64_t l2_bytes = 0;
};
[[nodiscard]] Comparison compare_in_pairs(const std::array<Compared, 2>& sides,
                                          const ComparisonSettings& settings, const PairDevice& on,
                                          const std::stop_token& stop);
/// On the GPU `device` ("cuda:N"). Throws model::Exception(environment) where NVRTC or the GPU is missing.
[[nodiscard]] Comparison compare_on_gpu(const std::array<Compared, 2>& sides,
                                        const ComparisonSettings& settings, const std::string& device,
                                        const std::stop_token& stop);

/// What `evo baseline save` stores: the second side of a comparison of a kernel with itself.
[[nodiscard]] StoredBaseline baseline_of(const Compared& side, const Comparison& with_itself);

}  // namespace evo::session
