#include "evaluators/gates/check_plan.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include "evaluators/gates/block_sample.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/crossed_checks.hpp"
#include "evaluators/gates/shown_sets.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/error.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

class Planner {
 public:
  Planner(const DeviceJob& job, bool virtual_device)
      : job_(job),
        virtual_(virtual_device),
        sets_(job.input_sets.size()),
        declared_(job.declared_sets == 0 ? sets_ : std::min(job.declared_sets, sets_)),
        draws_({.seed = job.input_seed, .generation = 0, .slot = 0, .purpose = "checks"}),
        shown_(job, virtual_device, declared_, draws_),
        crossed_(job, declared_) {}

  std::vector<Check> run() {
    std::vector<std::size_t> order(job_.cases.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return job_.cases[a].flops < job_.cases[b].flops; });
    shown_.set_order(order);
    for (const std::size_t case_index : order) plan_case(case_index);
    // Every declared set and every alignment occurs, whatever the cases.
    for (std::size_t set_index = 0; set_index < declared_; ++set_index) {
      const bool seen = std::any_of(checks_.begin(), checks_.end(),
                                    [&](const Check& check) { return check.set_index == set_index; });
      if (!seen) add(order.front(), set_index);
    }
    if (job_.whole_launches) {
      long_equals();
      long_sums_of_ends();
    }
    while (checks_.size() < placement_count) add(0, 0);
    crossed_.misalign_some(checks_);
    model::RandomStream stream({.seed = job_.input_seed, .generation = 0, .slot = 0, .purpose = "poison"});
    std::set<std::size_t> seen;
    for (std::size_t i = 0; i < checks_.size(); ++i) {
      Check& check = checks_[i];
      if (check.placement.empty()) check.placement = in_turn_or_aligned(job_.cases[check.case_index], i);
      check.poison = stream.next_u32();
      check.finite_poison = i % 3 == 2;
      const bool first = seen.insert(check.case_index).second;
      if (virtual_)
        check.blocks = sample_blocks(job_, check.case_index, {check.set_index == 0, first}, stream);
    }
    return std::move(checks_);
  }

 private:
  void add(std::size_t case_index, std::size_t set_index, Placement placement = {}) {
    checks_.push_back({case_index, set_index, std::move(placement)});
  }

  /// Integers that are all the same, where they are most: what counts them in bytes, or in 16 bits,
  /// overflows. What is alone has its own.
  void long_equals() {
    for (std::size_t i = declared_; i < sets_; ++i) {
      const auto argument = static_cast<std::size_t>(oracle::parameter(job_.input_sets[i], "argument", 1e6));
      if (job_.input_sets[i].kind != "ones") continue;
      std::optional<std::size_t> longest;
      std::int64_t most = 0;
      for (std::size_t index = 0; index < job_.cases.size(); ++index) {
        const model::Case& bound = job_.cases[index];
        const CaseUse use = use_of(job_, index);
        if ((use != CaseUse::stretched && use != CaseUse::named) || argument >= bound.arguments.size() ||
            bound.flops > light_flops || oracle::has_64bit_strides(bound))
          continue;
        if (model::is_floating(bound.arguments[argument].dtype) || bound.arguments[argument].extent() <= most)
          continue;
        most = bound.arguments[argument].extent();
        longest = index;
      }
      if (longest) add(*longest, i);
    }
  }

  /// All integers at one end of what they may be, where most of them go into each output: sums that leave
  /// 16 or 32 bits there, or what a float holds, stay within them everywhere else.
  void long_sums_of_ends() {
    std::optional<std::size_t> longest;
    double most = 0;
    for (std::size_t index = 0; index < job_.cases.size(); ++index) {
      const CaseUse use = use_of(job_, index);
      if ((use != CaseUse::stretched && use != CaseUse::named) || job_.cases[index].flops > light_flops ||
          oracle::has_64bit_strides(job_.cases[index]))
        continue;
      const double terms = integers_to_an_output(job_.cases[index]);
      if (terms <= most) continue;
      most = terms;
      longest = index;
    }
    constexpr double few = 256;  // whole launches of other cases have as many
    for (const std::string_view kind : {"top", "bottom"}) {
      if (!longest || most < few) return;
      // The first is that of all arrays, if there is one.
      const auto set =
          std::find_if(job_.input_sets.begin() + static_cast<std::ptrdiff_t>(declared_),
                       job_.input_sets.end(), [&](const model::InputSet& each) { return each.kind == kind; });
      if (set != job_.input_sets.end())
        add(*longest, static_cast<std::size_t>(set - job_.input_sets.begin()));
    }
  }

  [[nodiscard]] static double integers_to_an_output(const model::Case& bound) {
    double given = 0, judged = 1;
    for (const model::BoundArgument& argument : bound.arguments) {
      const auto elements = static_cast<double>(oracle::element_count(argument));
      if (model::is_judged(argument.role)) judged = std::max(judged, elements);
      if (model::is_given(argument.role) && !model::is_floating(argument.dtype))
        given = std::max(given, elements);
    }
    return given / judged;
  }

  void plan_case(std::size_t case_index) {
    const CaseUse use = use_of(job_, case_index);
    if (use == CaseUse::placed) {
      std::size_t turn = 0;
      for (Placement& placement : each_apart(job_.cases[case_index]))
        add(case_index, turn++ % declared_, std::move(placement));
      for (Placement& placement : alike(job_.cases[case_index], draws_))
        add(case_index, turn++ % declared_, std::move(placement));
      for (int i = 0; i < 2; ++i) add(case_index, 0, anywhere(job_.cases[case_index], draws_));
      return;
    }
    if (use == CaseUse::crossed || use == CaseUse::rescaled) {
      crossed_.add(case_index, checks_);
      return;
    }
    for (const std::size_t set_index : shown_.of_case(case_index, use)) add(case_index, set_index);
  }

  const DeviceJob& job_;
  bool virtual_;
  std::size_t sets_, declared_;
  model::RandomStream draws_;
  ShownSets shown_;
  CrossedChecks crossed_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> plan_checks(const DeviceJob& job, bool virtual_device) {
  if (job.cases.empty() || job.input_sets.empty()) {
    throw model::Exception(model::ExitCode::invalid_configuration,
                           "the correctness gate has no workload or no input set: nothing would be proven");
  }
  return Planner(job, virtual_device).run();
}

std::size_t repeated_case(const DeviceJob& job, bool virtual_device) {
  if (!virtual_device || job.cases.front().flops <= heavy_flops) return 0;
  std::size_t best = job.cases.size();
  for (std::size_t i = 0; i < job.cases.size(); ++i) {
    const double flops = job.cases[i].flops;
    if (use_of(job, i) != CaseUse::workload && use_of(job, i) != CaseUse::odd) continue;
    if (flops <= heavy_flops && (best == job.cases.size() || flops > job.cases[best].flops)) best = i;
  }
  return best == job.cases.size() ? 0 : best;
}

}  // namespace evo::evaluators::gates
