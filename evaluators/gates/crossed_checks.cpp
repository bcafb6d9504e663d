#include "evaluators/gates/crossed_checks.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "evaluators/oracle/index_chains.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/matching.hpp"
#include "model/hash.hpp"

namespace evo::evaluators::gates {
namespace {

/// Kinds of sets that a path for long rows fails on which loses their end, or takes a maximum to be positive.
constexpr std::array<std::string_view, 3> telling_kinds{"late_spike", "huge_negative", "falling"};
constexpr std::int64_t long_axis = 256;
/// Longer than the number of steps after which a kernel may give up, as often as not.
constexpr std::int64_t long_chain = 64;

/// The same for all launches of a variant: a search draws by it.
std::uint64_t identity_of(const DeviceJob& job) {
  return job.whole_launches
             ? 0
             : std::stoull(model::Hasher().add(job.artifact.ptx).finish().substr(0, 16), nullptr, 16);
}

}  // namespace

std::vector<std::size_t> sets_of_equals(const DeviceJob& job, std::size_t declared) {
  std::vector<std::size_t> equal;
  for (std::size_t i = declared; i < job.input_sets.size(); ++i) {
    const model::InputSet& set = job.input_sets[i];
    if (set.kind == oracle::matches_kind || (set.kind == "ones" && !set.parameters.contains("argument")))
      equal.push_back(i);
  }
  return equal;
}

CrossedChecks::CrossedChecks(const DeviceJob& job, std::size_t declared)
    : job_(job),
      declared_(declared),
      draws_({.seed = job.input_seed ^ identity_of(job),
              .generation = 0,
              .slot = 0,
              .purpose = "crossed checks"}) {
  for (std::size_t i = 0; i < job.input_sets.size(); ++i) {
    if (std::ranges::find(telling_kinds, job.input_sets[i].kind) != telling_kinds.end())
      telling_.push_back(i);
    if (oracle::leads_on(job.input_sets[i].kind)) leading_.push_back(i);
  }
  equal_ = sets_of_equals(job, declared);
  if (std::ranges::none_of(equal_,
                           [&](std::size_t i) { return job.input_sets[i].kind == oracle::matches_kind; }))
    equal_.clear();
}

Placement CrossedChecks::drawn_placement(const model::Case& bound) {
  if (draws_.below(2) == 0) return none_aligned(bound);
  return one_apart(bound, static_cast<std::size_t>(draws_.below(bound.arguments.size())), draws_);
}

bool CrossedChecks::is_long(const model::Case& bound) const {
  return std::ranges::any_of(job_.reduced_axes, [&](const std::string& axis) {
    const auto value = bound.axes.find(axis);
    return value != bound.axes.end() && value->second > long_axis;
  });
}

bool CrossedChecks::has_long_chains(const model::Case& bound) const {
  return !leading_.empty() &&
         std::ranges::any_of(bound.axes, [](const auto& axis) { return axis.second > long_chain; });
}

std::size_t CrossedChecks::other_set(std::size_t case_index) {
  if (!telling_.empty() && is_long(job_.cases[case_index])) return telling_[long_data_++ % telling_.size()];
  return data_++ % job_.input_sets.size();
}

void CrossedChecks::add(std::size_t case_index, std::vector<Check>& checks) {
  const model::Case& bound = job_.cases[case_index];
  const std::size_t nth = cases_++, set = nth % declared_;
  const bool light = !is_stretched(job_, case_index);
  if (!job_.whole_launches) {
    const bool moved = !light && draws_.below(2) == 0;
    checks.push_back({case_index, set, moved ? drawn_placement(bound) : Placement{}});
    if (light) checks.push_back({case_index, set, drawn_placement(bound)});
    return;
  }
  if (light) {
    checks.push_back({case_index, set, {}});
    if (bound.flops <= light_flops) {
      checks.push_back({case_index, other_set(case_index), {}});
      for (const std::size_t equal : equal_) checks.push_back({case_index, equal, {}});
      if (has_long_chains(bound)) checks.push_back({case_index, leading_[chains_++ % leading_.size()], {}});
    }
  }
  checks.push_back({case_index, set, none_aligned(bound)});
  checks.push_back({case_index, set, one_apart(bound, nth, draws_)});
}

void CrossedChecks::misalign_some(std::vector<Check>& checks) {
  if (job_.whole_launches) return;
  for (Check& check : checks) {
    const CaseUse use = use_of(job_, check.case_index);
    const model::Case& bound = job_.cases[check.case_index];
    if ((use != CaseUse::workload && use != CaseUse::stretched) || !check.placement.empty() ||
        oracle::has_64bit_strides(bound))
      continue;
    // Of a workload the first set is seen where vectors are aligned.
    if (use == CaseUse::workload ? check.set_index > 0 && draws_.below(3) == 0 : draws_.below(2) == 0)
      check.placement = drawn_placement(bound);
  }
}

}  // namespace evo::evaluators::gates
