#include "evaluators/gates/coverage_search.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "evaluators/gates/evidence.hpp"
#include "evaluators/gates/launch_effort.hpp"
#include "evaluators/gates/placement.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Case;
using model::Evidence;

/// A launch of more floating-point operations takes minutes here.
constexpr double most_flops_for_coverage = 1073741824;  // 2^30
constexpr double most_flops_for_placements = 2097152;   // 2^21

/// A basic block that did not run: the message tells blocks of one line apart.
auto block(const Evidence& evidence) {
  return std::tie(evidence.file, evidence.line, evidence.message);
}

bool holds(const std::vector<Evidence>& all, const Evidence& wanted) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Evidence& one) { return block(one) == block(wanted); });
}

void sort_lightest_first(std::vector<const Case*>& cases) {
  std::stable_sort(cases.begin(), cases.end(),
                   [](const Case* a, const Case* b) { return a->flops < b->flops; });
}

/// A path may be for arrays that begin where vectors do not: none of them does, and each of them apart.
std::vector<Placement> placements_of(const Case& shape) {
  std::vector<Placement> placements{in_turn(shape, 0)};
  if (shape.flops <= most_flops_for_placements) {
    placements.push_back(none_aligned(shape));
    for (Placement& placement : each_apart(shape)) placements.push_back(std::move(placement));
  }
  return placements;
}

}  // namespace

void keep_unexecuted(std::vector<Evidence>& never, const std::vector<Evidence>& now) {
  std::erase_if(never, [&](const Evidence& evidence) { return !holds(now, evidence); });
}

void CoverageSearch::sizes(const std::vector<Case>& others, const oracle::InputSource& inputs,
                           bool blocks_share) {
  std::vector<const Case*> order;
  for (const Case& other : others) {
    // Crowds that wait for each other take longer than they may, which says nothing of the kernel.
    const bool crowd = blocks_share && LaunchEffort::is_crowd(other);
    if (other.flops <= most_flops_for_coverage && !crowd) order.push_back(&other);
  }
  sort_lightest_first(order);
  for (const Case* other : order) {
    for (const Placement& placement : placements_of(*other)) {
      if (over()) return;
      auto outcome = run_shape(bench_, *other, placement, inputs);
      budget.charge(outcome);
      if (!outcome) {
        failure = located(std::move(outcome.error()), {{"case", other->name},
                                                       {"axes", axes_text(*other)},
                                                       {"misalignment", text_of(placement, *other)}});
        return;
      }
      keep_unexecuted(left_, outcome->unexecuted);
    }
  }
}

void CoverageSearch::orders(const std::vector<Case>& shapes, const oracle::InputSource& inputs) {
  constexpr std::uint64_t most_orders = 16;
  for (std::uint64_t order = 1; order <= most_orders; ++order) {
    for (const Case& shape : shapes) {
      if (over()) return;
      if (shape.flops > most_flops_for_placements) continue;
      auto outcome =
          run_shape(bench_, shape, in_turn(shape, 0), inputs, {.schedule_seed = order, .numbers = {}});
      budget.charge(outcome);
      if (!outcome) {
        failure = located(std::move(outcome.error()),
                          {{"case", shape.name}, {"schedule", fmt::format("{}", order)}});
        return;
      }
      keep_unexecuted(left_, outcome->unexecuted);
    }
  }
}

void CoverageSearch::data(const std::vector<Case>& shapes, const std::vector<Case>& others,
                          const oracle::Catalogue& known, std::span<const model::InputSet> further) {
  constexpr std::size_t most_cases = 6;
  std::vector<const Case*> cases;
  for (const Case& shape : shapes) cases.push_back(&shape);
  for (const Case& other : others) {
    if (other.flops <= most_flops_for_placements) cases.push_back(&other);
  }
  sort_lightest_first(cases);
  // Not the smallest alone: a path may need a row that is longer than a block.
  while (cases.size() > most_cases)
    cases.erase(cases.begin() + static_cast<std::ptrdiff_t>(cases.size() / 3));
  for (const model::InputSet& set : further) {
    for (const Case* shape : cases) {
      if (over() || bench_.device.lost()) return;
      const std::vector<Evidence> before = left_;
      const auto outcome = run_shape(bench_, *shape, in_turn(*shape, 0), {known, set});
      budget.charge(outcome);
      if (!outcome) continue;
      keep_unexecuted(left_, outcome->unexecuted);
      for (const Evidence& entry : before) {
        if (holds(left_, entry)) continue;
        notes.push_back({"reached_by_data",
                         fmt::format("{}:{} runs on special data, as in the input set {}; what was tried "
                                     "before does not run it",
                                     entry.file, entry.line, set.name),
                         entry.file,
                         entry.line,
                         {{"input_set", set.name}, {"case", shape->name}}});
      }
    }
  }
}

void CoverageSearch::whole(const std::vector<const Case*>& sampled, const oracle::InputSource& inputs) {
  for (const Case* shape : sampled) {
    if (left_.empty()) return;
    auto outcome = run_shape(bench_, *shape, in_turn(*shape, 0), inputs);
    if (!outcome) {
      failure = located(std::move(outcome.error()), {{"case", shape->name}, {"axes", axes_text(*shape)}});
      return;
    }
    keep_unexecuted(left_, outcome->unexecuted);
  }
}

}  // namespace evo::evaluators::gates
