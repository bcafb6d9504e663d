#include "evaluators/gates/small_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "evaluators/oracle/matching.hpp"

namespace evo::evaluators::gates {
namespace {

/// A threshold that numbers of a set of ties are equal to, which those at random never are.
bool becomes_round(const model::BoundArgument& scalar, const model::BoundArgument& usual) {
  const double size = std::abs(scalar.scalar_float);
  return model::is_floating(scalar.dtype) && (size == 1 || size == 0.5) &&
         usual.scalar_float != scalar.scalar_float;
}

/// One far below the usual: what it keeps from 0 is nothing beside it where inputs are as small.
bool becomes_small(const model::BoundArgument& scalar, const model::BoundArgument& usual) {
  constexpr double share = 0x1p-9;
  return model::is_floating(scalar.dtype) && scalar.scalar_float != 0 &&
         std::abs(scalar.scalar_float) < share * std::abs(usual.scalar_float);
}

/// No size, which other shapes change.
bool is_another_integer(const model::BoundArgument& scalar, const model::BoundArgument& usual) {
  return !model::is_floating(scalar.dtype) && usual.scalar_range &&
         usual.scalar_range->least == usual.scalar_range->most &&
         scalar.scalar_integer != usual.scalar_integer;
}

/// More than one integer is another than usual: what two do together, or what goes along with one.
bool has_integers_together(const model::Case& bound, const model::Case& declared) {
  std::size_t others = 0;
  for (std::size_t i = 0; i < bound.arguments.size() && i < declared.arguments.size(); ++i) {
    const model::BoundArgument& scalar = bound.arguments[i];
    if (scalar.role == model::ArgumentRole::scalar && is_another_integer(scalar, declared.arguments[i]))
      ++others;
  }
  return others > 1;
}

using ScalarChange = bool (*)(const model::BoundArgument&, const model::BoundArgument&);

bool has_scalar(const model::Case& bound, const model::Case& declared, ScalarChange change) {
  for (std::size_t i = 0; i < bound.arguments.size() && i < declared.arguments.size(); ++i) {
    const model::BoundArgument& scalar = bound.arguments[i];
    const model::BoundArgument& usual = declared.arguments[i];
    if (scalar.role == model::ArgumentRole::scalar && change(scalar, usual)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> sets_of_small_numbers(const DeviceJob& job, std::size_t case_index) {
  const CaseUse use = use_of(job, case_index);
  if (!job.whole_launches || (use != CaseUse::changed && use != CaseUse::ranged)) return {};
  std::vector<std::size_t> sets;
  const model::Case &bound = job.cases[case_index], &declared = job.cases.front();
  if (has_scalar(bound, declared, becomes_small)) {
    const auto set = std::ranges::find_if(job.input_sets, [](const model::InputSet& each) {
      return each.kind == "small" && !each.parameters.contains("argument");
    });
    if (set != job.input_sets.end()) sets.push_back(static_cast<std::size_t>(set - job.input_sets.begin()));
  }
  if (!has_scalar(bound, declared, becomes_round) && !has_scalar(bound, declared, is_another_integer))
    return sets;
  // Of all alike each decides, whatever its place: of numbers drawn at random the one that a scalar names
  // mostly loses.
  for (const std::string_view kind :
       std::to_array<std::string_view>({"ties", "extremes", oracle::matches_kind, "ones"})) {
    const auto set = std::ranges::find(job.input_sets, kind, &model::InputSet::kind);
    if (set != job.input_sets.end()) sets.push_back(static_cast<std::size_t>(set - job.input_sets.begin()));
  }
  // Sums of products of two factors are as large as they can be where all are at their ends.
  if (use == CaseUse::ranged && has_integers_together(bound, declared)) {
    for (const std::string_view kind : std::to_array<std::string_view>({"top", "bottom"})) {
      const auto set = std::ranges::find_if(job.input_sets, [&](const model::InputSet& each) {
        return each.kind == kind && !each.parameters.contains("argument");
      });
      if (set != job.input_sets.end()) sets.push_back(static_cast<std::size_t>(set - job.input_sets.begin()));
    }
  }
  return sets;
}

std::vector<std::size_t> sets_in_order(const DeviceJob& job, std::size_t case_index, std::size_t turn) {
  if (!job.cases[case_index].undeclared_scalar) return {};
  std::vector<std::size_t> sets;
  const std::size_t declared = job.declared_sets == 0 ? job.input_sets.size() : job.declared_sets;
  for (const std::string_view kind : {"rising", "falling"}) {
    std::vector<std::size_t> of_kind;
    for (std::size_t i = declared; i < job.input_sets.size(); ++i)
      if (job.input_sets[i].kind == kind) of_kind.push_back(i);
    if (!of_kind.empty()) sets.push_back(of_kind[turn % of_kind.size()]);
  }
  return sets;
}

}  // namespace evo::evaluators::gates
