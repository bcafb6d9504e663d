#include "evaluators/gates/scalar_cases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "evaluators/gates/crossed_cases.hpp"
#include "evaluators/gates/scalar_rows.hpp"
#include "evaluators/gates/unusual_scalars.hpp"
#include "evaluators/oracle/elements.hpp"

namespace evo::evaluators::gates {
namespace {

/// The least share of its usual value that a floating-point scalar is shown with.
constexpr double least_of_a_scalar = 0x1p-10;

/// An end of a range that is no float: the next one within it.
double as_the_kernel_gets_it(model::DType dtype, double end, const model::ScalarRange& range) {
  if (dtype == model::DType::f64) return end;
  const auto near = static_cast<float>(end);
  if (range.has(static_cast<double>(near))) return static_cast<double>(near);
  return static_cast<double>(std::nextafter(
      near, end == range.least ? std::numeric_limits<float>::max() : std::numeric_limits<float>::lowest()));
}

/// A floating-point scalar as the kernel gets it, so that the reference multiplies with the same number.
void show_scalar(CaseBuilder& to, const model::Workload& workload, std::size_t i,
                 const model::BoundArgument& scalar, double value, const std::string& name,
                 std::uint64_t reference_budget) {
  model::CaseChanges changes;
  changes.scalars[i] =
      scalar.dtype == model::DType::f64 ? value : static_cast<double>(static_cast<float>(value));
  to.add(CaseUse::changed, workload, name, changes, reference_budget);
}

}  // namespace

void change_scalars(CaseBuilder& to, const model::Workload& workload,
                    const std::map<std::size_t, std::vector<std::int64_t>>& further,
                    const std::map<std::size_t, std::vector<double>>& beside) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
    const model::BoundArgument& scalar = bound->arguments[i];
    if (scalar.role != model::ArgumentRole::scalar || !oracle::is_floating(scalar.dtype)) continue;
    // Of a neutral one only the value that is declared changes nothing.
    if (to.problem().arguments[i].neutral) continue;
    if (to.problem().arguments[i].fixed) continue;
    // Smaller, larger, and far beyond what the expression gives; the sign stays, which a kernel may count
    // on.
    const double usual = scalar.scalar_float == 0 ? 1 : scalar.scalar_float;
    std::vector<double> values;
    for (const double factor : {0.5, 2.0, 12.0})
      values.push_back(usual * factor * (0.75 + 0.5 * to.stream().uniform()));
    // Many a kernel has a path of its own for a factor of one.
    values.push_back(usual < 0 ? -1 : 1);
    // Of whole numbers one half makes ties of a rounding.
    if (to.problem().arguments[i].scalar.form == model::ScalarValue::Form::number)
      values.push_back(usual < 0 ? -0.5 : 0.5);
    if (const auto more = further.find(i); more != further.end()) {
      for (const std::int64_t value : more->second) values.push_back(static_cast<double>(value));
    }
    const std::size_t meant = values.size();
    // What is added to keep a root or a quotient apart from 0 is far below it, see sets_of_small_numbers().
    if (to.problem().arguments[i].scalar.form == model::ScalarValue::Form::number)
      values.push_back(usual * least_of_a_scalar);
    if (const auto more = beside.find(i); more != beside.end())
      values.insert(values.end(), more->second.begin(), more->second.end());
    // Of what may be no value of the problem: the reference may fault, or go on for ever.
    const std::set<double> far(values.begin() + static_cast<std::ptrdiff_t>(meant), values.end());
    std::erase_if(values, [&](double value) { return to.is_beyond_range(i, value); });
    for (const double value : values) {
      show_scalar(to, workload, i, scalar, value,
                  fmt::format("{}, {} = {:.4g}", workload.name, scalar.name, value),
                  far.contains(value) ? budget_of_a_scalar : 0);
    }
  }
}

void show_beside(CaseBuilder& to, const model::Workload& workload,
                 const std::map<std::size_t, std::vector<double>>& beside) {
  const auto bound = to.bind(workload);
  if (!bound || bound->flops > light_flops) return;
  for (const auto& [i, values] : beside) {
    for (const double value : values) {
      if (to.is_beyond_range(i, value)) continue;
      const model::BoundArgument& scalar = bound->arguments[i];
      show_scalar(to, workload, i, scalar, value,
                  fmt::format("{}, {} = {:.6g}", workload.name, scalar.name, value), budget_of_a_scalar);
    }
  }
}

void cross_scalars(CaseBuilder& to, const std::vector<model::Workload>& shapes,
                   const std::map<std::size_t, std::vector<std::int64_t>>& further, std::uint64_t entropy) {
  const auto bound = to.bind(shapes.front());
  if (!bound) return;
  model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "rows of scalars"});
  for (const ScalarRow& row : scalar_rows(*bound, further, shapes.size(), stream)) {
    const bool beyond = std::ranges::any_of(
        row.scalars, [&](const auto& scalar) { return to.is_beyond_range(scalar.first, scalar.second); });
    if (beyond) continue;
    model::CaseChanges changes;
    changes.scalars = row.scalars;
    std::string name = shapes[row.shape].name;
    for (const auto& [i, value] : row.scalars)
      name += fmt::format(", {} = {:.4g}", bound->arguments[i].name, value);
    to.add(CaseUse::changed, shapes[row.shape], name, changes);
  }
}

void set_unusual_scalars(CaseBuilder& to, const model::Workload& workload, std::uint64_t entropy) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "unusual scalars"});
  for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
    const model::BoundArgument& scalar = bound->arguments[i];
    const model::Argument& declared = to.problem().arguments[i];
    if (scalar.role != model::ArgumentRole::scalar || !oracle::is_floating(scalar.dtype) ||
        declared.neutral || declared.fixed || declared.scalar.form != model::ScalarValue::Form::number)
      continue;
    for (const double value : unusual_values(scalar.scalar_float, stream)) {
      if (to.is_beyond_range(i, value)) continue;
      model::CaseChanges changes;
      changes.scalars[i] =
          scalar.dtype == model::DType::f64 ? value : static_cast<double>(static_cast<float>(value));
      to.add(CaseUse::unusual, workload, fmt::format("{}, {} = {:.4g}", workload.name, scalar.name, value),
             changes);
    }
  }
}

void set_ends_of_ranges(CaseBuilder& to, const model::Workload& workload) {
  const auto bound = to.bind(workload);
  if (!bound) return;
  for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
    const model::BoundArgument& scalar = bound->arguments[i];
    const model::Argument& declared = to.problem().arguments[i];
    if (scalar.role != model::ArgumentRole::scalar || !oracle::is_floating(scalar.dtype) ||
        declared.neutral || declared.fixed || !declared.range)
      continue;
    for (const double end : {declared.range->least, declared.range->most}) {
      const double value = as_the_kernel_gets_it(scalar.dtype, end, *declared.range);
      if (value == scalar.scalar_float || !std::isfinite(value)) continue;
      to.add_scalar(CaseUse::ranged, workload, *bound, i, value);
    }
  }
}

}  // namespace evo::evaluators::gates
