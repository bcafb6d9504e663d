#include "session/recorded_answers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/plain_errors.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "packs/builtin.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

constexpr std::size_t most_answers = 4;
constexpr std::int64_t most_answer_bytes = std::int64_t{16} << 20;

std::int64_t bytes_of(const model::Case& bound) {
  std::int64_t bytes = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (model::is_given(argument.role)) bytes += oracle::buffer_bytes(argument);
    if (model::is_judged(argument.role))
      bytes += oracle::element_count(argument) * static_cast<std::int64_t>(sizeof(double));
  }
  return bytes;
}

/// Those that the accuracy class judges by its tolerance, and by nothing wider or narrower.
std::vector<const model::InputSet*> plain_sets(const oracle::Catalogue& known, const model::Problem& problem,
                                               const model::Tolerance& tolerance) {
  std::vector<const model::InputSet*> sets;
  for (const model::InputSet& set : problem.input_sets) {
    const bool meant = tolerance.input_sets.empty() || std::ranges::count(tolerance.input_sets, set.name) > 0;
    const oracle::SetRules rules = oracle::rules_of(known, set);
    const bool plain =
        !rules.exact && !rules.conditioned && !rules.special_values && rules.tolerance_factor == 1;
    if (meant && plain) sets.push_back(&set);
  }
  return sets;
}

/// nullopt: the oracle has no answer to these inputs.
model::Expected<std::optional<exporting::RecordedAnswer>> answer_to(
    const oracle::Catalogue& known, const oracle::Oracle& asked, const model::Case& bound,
    const model::InputSet& set, const model::Tolerance& tolerance, std::uint64_t seed, double cut_off) {
  auto inputs = oracle::make_inputs(known, bound, set, {seed, 0});
  if (!inputs) return tl::make_unexpected(inputs.error());
  if (!asked.can_answer(bound, *inputs)) return std::optional<exporting::RecordedAnswer>{};
  auto outputs = asked.compute(bound, *inputs);
  if (!outputs) return tl::make_unexpected(outputs.error());
  oracle::Reference reference;
  reference.outputs = std::move(*outputs);
  exporting::RecordedAnswer answer;
  answer.workload = {bound.name, bound.weight, bound.axes};
  answer.input_set = set.name;
  if (tolerance.reference_factor) {
    const auto plain_errors = oracle::measure_plain(asked, bound, *inputs, reference, {0, seed, false});
    if (!plain_errors) return tl::make_unexpected(plain_errors.error());
    const auto& [factor, absolute] = *tolerance.reference_factor;
    for (std::size_t i = 0; i < plain_errors->size(); ++i) {
      const oracle::OutputErrors each =
          gates::with_cut_off((*plain_errors)[i], bound.arguments[i], cut_off, reference.outputs[i]);
      answer.allowed.push_back({factor * each.rms + absolute, factor * each.largest + absolute});
    }
  }
  answer.inputs = std::move(*inputs);
  answer.outputs = std::move(reference.outputs);
  return std::optional(std::move(answer));
}

}  // namespace

void record_answers(exporting::ExportRequest& request, std::uint64_t seed) {
  const model::Problem& problem = request.problem;
  const model::Tolerance* tolerance = problem.find_tolerance(request.accuracy_class);
  if (tolerance == nullptr || !exporting::needs_answers(problem, request.accuracy_class)) return;
  auto cases = exporting::selftest_cases(request);
  if (!cases) return;  // the export itself says so
  std::erase_if(*cases, [](const model::Case& bound) { return bytes_of(bound) > most_answer_bytes; });
  std::ranges::stable_sort(*cases, {}, bytes_of);
  if (cases->empty()) {
    request.no_answers =
        fmt::format("the oracle is no kernel, and no workload is small enough to be recorded ({} MiB)",
                    most_answer_bytes >> 20);
    return;
  }
  try {
    oracle::Catalogue known = packs::catalogue_of(packs::builtin());
    if (known.find_oracle(problem.oracle) == nullptr) {
      model::OracleParts parts;
      parts.sources = problem.oracles;
      reference::add_reference(known, parts);
    }
    const oracle::Oracle* asked = known.find_oracle(problem.oracle);
    if (asked == nullptr) {
      request.no_answers = fmt::format("there is no oracle called {}", problem.oracle);
      return;
    }
    const auto sets = plain_sets(known, problem, *tolerance);
    request.no_answers =
        "the oracle is no kernel, and no input set that it answers is judged by the tolerance alone";
    for (const model::Case& bound : *cases) {
      for (const model::InputSet* set : sets) {
        if (request.answers.size() == most_answers) return;
        auto answer =
            answer_to(known, *asked, bound, *set, *tolerance, seed, exporting::cut_off_of(request, bound));
        if (!answer) {
          request.no_answers = fmt::format("the oracle did not answer: {}", answer.error().text());
          return;
        }
        if (!*answer) continue;
        request.answers.push_back(std::move(**answer));
        break;
      }
    }
  } catch (const model::Exception& failure) {
    request.no_answers = fmt::format("the oracle did not answer: {}", failure.what());
  }
}

}  // namespace evo::session
