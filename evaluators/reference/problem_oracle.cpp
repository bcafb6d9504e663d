#include "evaluators/reference/problem_oracle.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::reference {
namespace {

using oracle::InputBuffers;
using oracle::ReferenceOutputs;

/// How far two answers of this rounding may be apart, relative to the norm and, for one element, to the root
/// mean square. Two in fp64: long sums that cancel to a thousandth of their size. One that was computed or
/// kept in a narrower type has errors of its own, and a lost term must still show.
struct Apart {
  double norm, element;
};
Apart apart(double rounding) {
  if (rounding <= 0x1p-53) return {0x1p-33, 0x1p-29};
  return {std::min(rounding * 0x1p8, 4e-3), std::min(rounding * 0x1p12, 0.1)};
}

bool answers(const Witness& witness, const model::Case& bound, const InputBuffers& inputs) {
  return witness.builtin || witness.computed->can_answer(bound, inputs);
}

model::Expected<ReferenceOutputs> ask(const Witness& witness, const model::Case& bound,
                                      const InputBuffers& inputs, std::span<const std::int64_t> rows) {
  if (witness.builtin)
    return rows.empty() ? witness.builtin->compute(bound, inputs)
                        : witness.builtin->compute_rows(bound, inputs, rows);
  return rows.empty() ? witness.computed->compute(bound, inputs)
                      : witness.computed->compute_rows(bound, inputs, rows);
}

/// "the oracles disagree on ..."; nullopt where they do not.
std::optional<model::Error> disagreement(const Witness& first, const ReferenceOutputs& a,
                                         const Witness& second, const ReferenceOutputs& b,
                                         const model::Case& bound, std::span<const std::int64_t> rows) {
  const Apart most = apart(std::max(first.rounding, second.rounding));
  for (std::size_t i = 0; i < a.size(); ++i) {
    double squares = 0, errors = 0, worst = 0;
    std::size_t where = 0;
    bool broken = a[i].size() != b[i].size();
    for (std::size_t e = 0; e < a[i].size() && !broken; ++e) {
      if (std::isnan(a[i][e]) && std::isnan(b[i][e])) continue;
      const double error = a[i][e] == b[i][e] ? 0 : std::abs(a[i][e] - b[i][e]);
      squares += std::isfinite(a[i][e]) ? a[i][e] * a[i][e] : 0;
      errors += error * error;
      if (error > worst || std::isnan(error)) {
        worst = error;
        where = e;
        if (std::isnan(error)) break;
      }
    }
    const double rms = a[i].empty() ? 0 : std::sqrt(squares / static_cast<double>(a[i].size()));
    const bool alike = std::sqrt(errors) <= most.norm * std::sqrt(squares) && worst <= most.element * rms;
    if (!broken && alike) continue;
    if (broken)
      return model::Error{fmt::format("the oracles disagree: {} gives {} elements of {}, {} gives {}",
                                      first.name, a[i].size(), bound.arguments[i].name, second.name,
                                      b[i].size())};
    std::int64_t element = static_cast<std::int64_t>(where);
    if (!rows.empty() && !bound.arguments[i].shape.empty()) {
      const std::int64_t width = bound.arguments[i].shape.back();
      element = rows[static_cast<std::size_t>(element / width)] * width + element % width;
    }
    return model::Error{fmt::format(
        "the oracles disagree: {}[{}] of case {} is {:.9g} by {} and {:.9g} by {}", bound.arguments[i].name,
        fmt::join(oracle::coordinates_of(bound.arguments[i], element), ","), bound.name, a[i][where],
        first.name, b[i][where], second.name)};
  }
  return std::nullopt;
}

}  // namespace

bool ProblemOracle::can_answer(const model::Case& bound, const InputBuffers& inputs) const {
  return std::ranges::any_of(witnesses_, [&](const Witness& one) { return answers(one, bound, inputs); });
}

model::Expected<ReferenceOutputs> ProblemOracle::compute(const model::Case& bound,
                                                         const InputBuffers& inputs) const {
  return compute_rows(bound, inputs, {});
}

bool ProblemOracle::computes_rows(const model::Case& bound) const {
  return std::ranges::all_of(witnesses_, [&](const Witness& one) {
    return one.builtin ? one.builtin->computes_rows(bound) : one.computed->computes_rows(bound);
  });
}

model::Expected<ReferenceOutputs> ProblemOracle::compute_rows(const model::Case& bound,
                                                              const InputBuffers& inputs,
                                                              std::span<const std::int64_t> rows) const {
  const Witness* first = nullptr;
  ReferenceOutputs answer;
  for (const Witness& witness : witnesses_) {
    if (!answers(witness, bound, inputs)) continue;
    auto outputs = ask(witness, bound, inputs, rows);
    if (!outputs) return outputs;
    if (first == nullptr) {
      first = &witness;
      answer = std::move(*outputs);
    } else if (auto error = disagreement(*first, answer, witness, *outputs, bound, rows)) {
      return tl::make_unexpected(std::move(*error));
    }
  }
  if (first != nullptr) return answer;
  return tl::make_unexpected(
      model::Error{fmt::format("no oracle has an answer to these inputs of case {}", bound.name)});
}

model::Expected<std::optional<ReferenceOutputs>> ProblemOracle::compute_plain(
    const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t> rows) const {
  for (const Witness& witness : witnesses_) {
    if (witness.builtin) continue;
    auto outputs = witness.computed->compute_plain(bound, inputs, rows);
    if (!outputs || *outputs) return outputs;
  }
  return std::nullopt;
}

std::optional<double> ProblemOracle::depth(const model::Case& bound) const {
  for (const Witness& witness : witnesses_) {
    if (const auto depth = witness.computed ? witness.computed->depth(bound) : std::nullopt) return depth;
  }
  return std::nullopt;
}

std::vector<oracle::OracleMutant> ProblemOracle::mutants(const model::Case& bound) const {
  for (const Witness& witness : witnesses_) {
    if (!witness.computed) continue;
    if (auto found = witness.computed->mutants(bound); !found.empty()) return found;
  }
  return {};
}

std::optional<model::Expected<InputBuffers>> ProblemOracle::recorded_inputs(const model::Case& bound) const {
  for (const Witness& witness : witnesses_) {
    if (auto inputs = witness.computed ? witness.computed->recorded_inputs(bound) : std::nullopt)
      return inputs;
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::reference
