#include "evaluators/reference/problem_oracle.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/reference/agreement.hpp"

namespace evo::evaluators::reference {
namespace {

using oracle::InputBuffers;
using oracle::ReferenceOutputs;

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

bool ProblemOracle::prefers_whole(const model::Case& bound) const {
  return std::ranges::all_of(witnesses_, [&](const Witness& one) {
    return one.computed != nullptr && one.computed->prefers_whole(bound);
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
    } else if (auto error = disagreement({first->name, answer, first->rounding},
                                         {witness.name, *outputs, witness.rounding}, bound, rows)) {
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

std::optional<ReferenceOutputs> ProblemOracle::compute_otherwise(const model::Case& bound,
                                                                 const InputBuffers& inputs,
                                                                 std::span<const std::int64_t> rows) const {
  for (const Witness& witness : witnesses_) {
    if (!witness.computed || !witness.computed->can_answer(bound, inputs)) continue;
    if (auto outputs = witness.computed->compute_otherwise(bound, inputs, rows)) return outputs;
  }
  return std::nullopt;
}

std::optional<ReferenceOutputs> ProblemOracle::compute_rounded(const model::Case& bound,
                                                               const InputBuffers& inputs,
                                                               std::uint64_t draw) const {
  for (const Witness& witness : witnesses_) {
    if (!witness.computed || !witness.computed->can_answer(bound, inputs)) continue;
    if (auto outputs = witness.computed->compute_rounded(bound, inputs, draw)) return outputs;
  }
  return std::nullopt;
}

std::optional<ReferenceOutputs> ProblemOracle::compute_rounded_in_f64(const model::Case& bound,
                                                                      const InputBuffers& inputs,
                                                                      std::uint64_t draw) const {
  // Where several agree, one that hangs on its roundings has an answer by another.
  if (witnesses_.size() != 1 || !witnesses_.front().computed) return std::nullopt;
  return witnesses_.front().computed->compute_rounded_in_f64(bound, inputs, draw);
}

std::optional<ReferenceOutputs> ProblemOracle::compute_with_other_quotients(const model::Case& bound,
                                                                            const InputBuffers& inputs,
                                                                            std::uint64_t draw) const {
  // Where several agree, what one leaves undefined has an answer by another.
  if (witnesses_.size() != 1 || !witnesses_.front().computed) return std::nullopt;
  return witnesses_.front().computed->compute_with_other_quotients(bound, inputs, draw);
}

std::optional<oracle::ExactWords> ProblemOracle::compute_words(const model::Case& bound,
                                                               const oracle::InputBuffers& inputs) const {
  for (const Witness& witness : witnesses_) {
    if (!witness.computed || !witness.computed->can_answer(bound, inputs)) continue;
    if (auto words = witness.computed->compute_words(bound, inputs)) return words;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ProblemOracle::effort(const model::Case& bound,
                                                   const oracle::InputBuffers& inputs) const {
  for (const Witness& witness : witnesses_) {
    if (!witness.computed || !witness.computed->can_answer(bound, inputs)) continue;
    if (const auto effort = witness.computed->effort(bound, inputs)) return effort;
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
