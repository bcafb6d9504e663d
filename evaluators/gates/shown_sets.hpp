// Which input sets a case is shown, where it is launched as it is: see plan_checks() (check_plan.hpp).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/device_job.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {

/// Interpreting a launch of this many floating-point operations takes seconds, and there are a dozen of them
/// to a trial.
inline constexpr double heavy_flops = 268435456;  // 2^28

/// Asked once for each case, in the order of the launches: where sets are taken in turn, the turn goes on.
class ShownSets {
 public:
  /// The first `declared` sets of the job are the problem's own. `job` and `draws` must outlive it.
  ShownSets(const DeviceJob& job, bool virtual_device, std::size_t declared, model::RandomStream& draws);

  /// Tells all cases, lightest first.
  void set_order(const std::vector<std::size_t>& order);
  /// Indices of the sets; `use` is that of the case.
  [[nodiscard]] std::vector<std::size_t> of_case(std::size_t case_index, CaseUse use);

 private:
  [[nodiscard]] bool sees_undeclared_sets(std::size_t case_index) const;
  [[nodiscard]] bool is_large(std::size_t case_index) const;
  [[nodiscard]] std::vector<std::size_t> share_of(std::size_t case_index) const;
  [[nodiscard]] bool skips(std::size_t set_index, std::size_t case_index) const;
  [[nodiscard]] std::vector<std::size_t> late_sets_of(const model::Case& bound) const;
  [[nodiscard]] std::vector<std::size_t> sets_of_named(const model::Case& bound);
  [[nodiscard]] std::vector<std::size_t> sets_of_swept();
  [[nodiscard]] std::vector<std::size_t> of_integers(const model::Case& bound, std::string_view kind) const;
  [[nodiscard]] std::vector<std::size_t> sets_of_alone(const model::Case& bound);

  const DeviceJob& job_;
  bool virtual_;
  std::size_t sets_, declared_;
  model::RandomStream& draws_;
  std::vector<std::size_t> light_;  ///< cases that undeclared sets see, lightest first
  std::vector<std::size_t> large_;  ///< workloads that share the declared sets, lightest first
  std::size_t turn_ = 0, late_turn_ = 0, far_turn_ = 0, first_turn_ = sets_;
};

}  // namespace evo::evaluators::gates
