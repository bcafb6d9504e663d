#include "evaluators/gates/shown_sets.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/crossed_checks.hpp"
#include "evaluators/gates/small_numbers.hpp"
#include "evaluators/oracle/fill_shapes.hpp"
#include "evaluators/oracle/index_chains.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/longest.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/tails.hpp"

namespace evo::evaluators::gates {
namespace {

/// Data of a workload of this much arithmetic: 14 sets of four of them, at 4096 tokens of 24 heads, took a
/// host 60 s to make.
constexpr double large_flops = 4294967296;  // 2^32

bool has_whole_output(const model::Case& bound) {
  return std::ranges::any_of(bound.arguments, [](const model::BoundArgument& argument) {
    return model::is_judged(argument.role) && !model::is_floating(argument.dtype);
  });
}

}  // namespace

ShownSets::ShownSets(const DeviceJob& job, bool virtual_device, std::size_t declared,
                     model::RandomStream& draws)
    : job_(job), virtual_(virtual_device), sets_(job.input_sets.size()), declared_(declared), draws_(draws) {}

void ShownSets::set_order(const std::vector<std::size_t>& order) {
  for (const std::size_t case_index : order) {
    if (sees_undeclared_sets(case_index)) light_.push_back(case_index);
    if (is_large(case_index)) large_.push_back(case_index);
  }
}

bool ShownSets::sees_undeclared_sets(std::size_t case_index) const {
  const CaseUse use = use_of(job_, case_index);
  return !oracle::has_64bit_strides(job_.cases[case_index]) && job_.cases[case_index].flops <= light_flops &&
         (use == CaseUse::workload || use == CaseUse::odd || use == CaseUse::drawn);
}

/// A workload that shares the declared sets with others of its kind.
bool ShownSets::is_large(std::size_t case_index) const {
  return !virtual_ && !job_.whole_launches && use_of(job_, case_index) == CaseUse::workload &&
         !oracle::has_64bit_strides(job_.cases[case_index]) && job_.cases[case_index].flops > large_flops;
}

/// The first declared set, and of the others every n-th, where n large workloads share them.
std::vector<std::size_t> ShownSets::share_of(std::size_t case_index) const {
  const auto place =
      static_cast<std::size_t>(std::find(large_.begin(), large_.end(), case_index) - large_.begin());
  std::vector<std::size_t> share{0};
  for (std::size_t set_index = 1; set_index < declared_; ++set_index) {
    if (set_index % large_.size() == place) share.push_back(set_index);
  }
  return share;
}

/// In a search an undeclared set sees one of the two heaviest light cases, and on the virtual device, where
/// those run a sample of their blocks, another in turn.
bool ShownSets::skips(std::size_t set_index, std::size_t case_index) const {
  if (set_index < declared_ || light_.size() <= 2) return false;
  // Nothing is nothing at any size, and what is small is small: one of the larger light cases tells, and
  // the heaviest.
  const model::InputSet& set = job_.input_sets[set_index];
  if (set.kind == oracle::all_zero_kind || oracle::is_of_tails(set) || oracle::is_opposed(set)) {
    const std::size_t half = light_.size() / 2;
    return case_index != light_[half + set_index % (light_.size() - half)] &&
           !(job_.whole_launches && case_index == light_.back());
  }
  // Each time dozens of draws are tried out.
  if (set.kind == oracle::longest_kind) {
    const std::size_t place = job_.whole_launches ? light_.size() / 2 : light_.size() - 1;
    return case_index != light_[place] && case_index != light_.back() &&
           !(job_.whole_launches && case_index == light_[light_.size() - 2]);
  }
  if (job_.whole_launches) return false;
  const std::size_t heavy = light_.size() - 1 - set_index % 2;
  if (case_index == light_[heavy]) return false;
  return !virtual_ || case_index != light_[(set_index / 2) % (light_.size() - 2)];
}

/// Of the largest arrays, half as large as any at least: the end of a long row is none of a few lengths'.
std::vector<std::size_t> ShownSets::late_sets_of(const model::Case& bound) const {
  std::vector<std::size_t> late;
  std::int64_t most = 0;
  const auto elements = [&](std::size_t set) {
    const auto argument = static_cast<std::size_t>(oracle::parameter(job_.input_sets[set], "argument", 1e6));
    return argument < bound.arguments.size() ? oracle::element_count(bound.arguments[argument]) : most;
  };
  for (std::size_t i = declared_; i < sets_; ++i) {
    if (job_.input_sets[i].kind != "late_spike") continue;
    late.push_back(i);
    most = std::max(most, elements(i));
  }
  std::erase_if(late, [&](std::size_t set) { return 2 * elements(set) < most; });
  return late;
}

/// A declared set, and where that is light one whose last elements matter most, of each of the large arrays
/// in turn: a path may leave those out.
std::vector<std::size_t> ShownSets::sets_of_named(const model::Case& bound) {
  std::vector<std::size_t> sets{(turn_++) % declared_};
  const std::vector<std::size_t> late = late_sets_of(bound);
  // Another order in each round: those that show one axis and the other may take turns.
  if (bound.flops <= light_flops && !late.empty())
    sets.push_back(late[(late_turn_ + late_turn_ / late.size()) % late.size()]);
  ++late_turn_;
  return sets;
}

/// A declared set, and one in which integers of several arrays are equal, if there is one: where they never
/// are, nothing shows of the sizes at which a match is found.
std::vector<std::size_t> ShownSets::sets_of_swept() {
  std::vector<std::size_t> sets{turn_ % declared_};
  const std::vector<std::size_t> equal = sets_of_equals(job_, declared_);
  if (!equal.empty()) sets.push_back(equal[turn_ % equal.size()]);
  ++turn_;
  return sets;
}

/// The undeclared sets of `kind` for one array of integers each.
std::vector<std::size_t> ShownSets::of_integers(const model::Case& bound, std::string_view kind) const {
  std::vector<std::size_t> found;
  for (std::size_t i = declared_; i < sets_; ++i) {
    const model::InputSet& set = job_.input_sets[i];
    const auto argument = static_cast<std::size_t>(oracle::parameter(set, "argument", 1e6));
    if (set.kind == kind && argument < bound.arguments.size() &&
        !model::is_floating(bound.arguments[argument].dtype))
      found.push_back(i);
  }
  return found;
}

/// In turn one with stretches of equals, one whose integers are all the same: what counts them has room for
/// so many, or has not; one whose integers are 0 beside other arrays, no flag or head of a segment all
/// along; and one with a lone integer in each row.
std::vector<std::size_t> ShownSets::sets_of_alone(const model::Case& bound) {
  std::vector<std::size_t> sets = sets_of_named(bound);
  // Of two axes at once the product is meant, whatever the data.
  if (bound.reference_budget != 0 && bound.flops > light_flops) return sets;
  // Beside last elements that matter most, or in a search in turn with them: long stretches of equals,
  // across all tiles.
  const auto runs = std::ranges::find(job_.input_sets, oracle::runs_kind, &model::InputSet::kind);
  if (runs != job_.input_sets.end() && sets.size() > 1 && turn_ % 2 == 0) {
    const auto of_equals = static_cast<std::size_t>(runs - job_.input_sets.begin());
    if (job_.whole_launches) {
      sets.push_back(of_equals);
    } else {
      sets.back() = of_equals;
    }
  }
  const std::vector<std::size_t> equals = of_integers(bound, "ones");
  if (!equals.empty()) sets.push_back(equals.front());
  const auto arrays = std::ranges::count_if(
      bound.arguments, [](const model::BoundArgument& argument) { return model::is_given(argument.role); });
  constexpr std::size_t most_zeros = 2;
  std::vector<std::size_t> zeros = of_integers(bound, oracle::all_zero_kind);
  zeros.resize(arrays > 1 ? std::min(zeros.size(), most_zeros) : 0);
  sets.insert(sets.end(), zeros.begin(), zeros.end());
  // What a label or a marker is compared with is one of many numbers here, others like it in their low
  // bits.
  const auto scalar = std::ranges::find(job_.input_sets, oracle::held_scalar_kind, &model::InputSet::kind);
  if (job_.whole_launches && scalar != job_.input_sets.end())
    sets.push_back(static_cast<std::size_t>(scalar - job_.input_sets.begin()));
  // And one of a row at the other end than all others, below and above them: a search goes far before it
  // finds that, to one side or the other.
  for (const std::string_view kind : {"plateau", "dominant"}) {
    const std::vector<std::size_t> lone = of_integers(bound, kind);
    if (job_.whole_launches && !lone.empty()) sets.push_back(lone[turn_ % lone.size()]);
  }
  // And numbers that hardly differ, of which a lane has several only in a long row: where it says which.
  const auto close =
      std::find_if(job_.input_sets.begin() + static_cast<std::ptrdiff_t>(declared_), job_.input_sets.end(),
                   [](const model::InputSet& set) { return set.kind == "near_comb"; });
  if (job_.whole_launches && close != job_.input_sets.end() && turn_ % 2 == 0 && has_whole_output(bound))
    sets.push_back(static_cast<std::size_t>(close - job_.input_sets.begin()));
  // And all at the upper end of what they may be, where sums of so many are largest.
  const auto top =
      std::find_if(job_.input_sets.begin() + static_cast<std::ptrdiff_t>(declared_), job_.input_sets.end(),
                   [](const model::InputSet& set) { return set.kind == "top"; });
  if (job_.whole_launches && top != job_.input_sets.end())
    sets.push_back(static_cast<std::size_t>(top - job_.input_sets.begin()));
  return sets;
}

std::vector<std::size_t> ShownSets::of_case(std::size_t case_index, CaseUse use) {
  const model::Case& bound = job_.cases[case_index];
  const bool far = oracle::has_64bit_strides(bound);
  std::size_t count = 0;  // 0: two
  if (sees_undeclared_sets(case_index)) {
    std::vector<std::size_t> seen;
    for (std::size_t set_index = 0; set_index < sets_; ++set_index) {
      if (!skips(set_index, case_index)) seen.push_back(set_index);
    }
    return seen;
  }
  if (is_large(case_index)) return share_of(case_index);
  const bool whole = job_.whole_launches && !virtual_;
  if (!far && use == CaseUse::workload && (!virtual_ || bound.flops <= heavy_flops)) count = declared_;
  if (!far && use == CaseUse::odd && whole) count = declared_;
  if (count > 0) {
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  if (sets_ == 1) return {0};
  if (use == CaseUse::named) return sets_of_named(bound);
  if (use == CaseUse::alone) return sets_of_alone(bound);
  if (use == CaseUse::swept) return sets_of_swept();
  // Far views take sets of their own: what they are for shows on any data. Others go through all sets in
  // turn, beginning somewhere else in each run.
  if (far) return {0, 1 + far_turn_++ % (sets_ - 1)};
  if (first_turn_ == sets_) first_turn_ = draws_.below(sets_ - 1);
  if (use == CaseUse::stretched && !job_.whole_launches) {
    if (bound.flops <= light_flops) return {0};
    return {1 + (first_turn_ + turn_++) % (sets_ - 1)};
  }
  std::vector<std::size_t> sets{0, 1 + (first_turn_ + turn_++) % (sets_ - 1)};
  for (const std::size_t small : sets_of_small_numbers(job_, case_index))
    if (small != sets[1]) sets.push_back(small);
  for (const std::size_t ordered : sets_in_order(job_, case_index, turn_))
    if (ordered != sets[1] && bound.flops <= light_flops) sets.push_back(ordered);
  return sets;
}

}  // namespace evo::evaluators::gates
