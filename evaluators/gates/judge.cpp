#include "evaluators/gates/judge.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "evaluators/oracle/compare.hpp"

namespace evo::evaluators::gates {
namespace {

using model::ArgumentRole;
using model::Status;

constexpr std::array<std::string_view, 6> by_weight{"guard_overwritten", "input_modified", "gap_overwritten",
                                                    "unwritten",         "non_finite",     "mismatch"};

std::size_t weight(const std::string& reason) {
  return static_cast<std::size_t>(std::find(by_weight.begin(), by_weight.end(), reason) - by_weight.begin());
}

/// Keeps the evidence of both and the heavier reason.
void merge(std::optional<model::Failure>& all, model::Failure more) {
  if (!all) {
    all = std::move(more);
    return;
  }
  if (weight(more.reason) < weight(all->reason)) {
    all->reason = more.reason;
    all->evidence.insert(all->evidence.begin(), more.evidence.begin(), more.evidence.end());
  } else {
    all->evidence.insert(all->evidence.end(), more.evidence.begin(), more.evidence.end());
  }
}

std::optional<model::Failure> judge_input(const model::BoundArgument& argument,
                                          const std::vector<std::byte>& before,
                                          const std::vector<std::byte>& after) {
  const auto [first, other] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  if (first == before.end()) return std::nullopt;
  return fail(Status::wrong, "input_modified",
              fmt::format("{}: the kernel wrote to an input, first at byte {}", argument.name,
                          first - before.begin()));
}

std::optional<model::Failure> judge_output(const JobContext& context, const model::BoundArgument& argument,
                                           const model::InputSet& set, const std::vector<std::byte>& actual,
                                           const std::vector<double>& reference, std::uint32_t pattern) {
  const double factor = oracle::tolerance_factor(set);
  oracle::CompareOptions options{context.job.tolerance, oracle::wants_exact(set), pattern};
  options.tolerance.relative_frobenius *= factor;
  options.tolerance.max_abs_over_rms *= factor;
  const oracle::Comparison result = oracle::compare(argument, actual, reference, options);
  if (result.pass) return std::nullopt;
  return fail(
      Status::wrong, result.reason, result.text(argument.name),
      {{"relative_frobenius", fmt::format("{:.4g}", result.relative_frobenius)},
       {"max_abs_over_rms", fmt::format("{:.4g}", result.max_abs_over_rms)},
       {"tolerance", fmt::format("{} {:.4g} {:.4g}{}", options.tolerance.accuracy_class,
                                 options.tolerance.relative_frobenius, options.tolerance.max_abs_over_rms,
                                 options.exact ? " exact" : "")}});
}

}  // namespace

std::optional<model::Failure> judge(const JobContext& context, const model::Case& bound,
                                    const model::InputSet& set, const CaseBuffers& buffers,
                                    const oracle::ReferenceData& reference, const Details& details) {
  std::optional<model::Failure> all;
  if (const auto guards = context.device.check_guards(); !guards) merge(all, guards.error());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (argument.role != ArgumentRole::input && argument.role != ArgumentRole::output) continue;
    const auto bytes = buffers.read(i);
    if (!bytes) {
      merge(all, bytes.error());
      break;
    }
    auto failure =
        argument.role == ArgumentRole::input
            ? judge_input(argument, reference.inputs[i], *bytes)
            : judge_output(context, argument, set, *bytes, reference.outputs[i], buffers.pattern(i));
    if (failure) merge(all, std::move(*failure));
  }
  if (all) return located(std::move(*all), details);
  return std::nullopt;
}

}  // namespace evo::evaluators::gates
