// Would the gates see a mistake? The oracle gets mistakes on purpose: where its answers to the problem's
// inputs then pass the tolerance, so would a candidate with that mistake, and the problem is not to be
// trusted.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/selftest/question.hpp"

namespace evo::evaluators::selftest {
namespace {

using model::ArgumentRole;
using oracle::InputBuffers;
using oracle::ReferenceOutputs;

/// From correct inputs, and the correct answer to them, to what an oracle with the mistake says; nullopt:
/// nothing.
using Mistaken =
    std::function<std::optional<ReferenceOutputs>(const InputBuffers&, const ReferenceOutputs& correct)>;

struct Mistake {
  std::string text;
  Mistaken answer;
};

std::int64_t inner_of(const std::vector<std::int64_t>& shape, std::size_t dimension) {
  std::int64_t inner = 1;
  for (std::size_t d = dimension + 1; d < shape.size(); ++d) inner *= shape[d];
  return inner;
}

/// Element `e` with its index along `dimension` one further; the last stays.
std::size_t next(const std::vector<std::int64_t>& shape, std::size_t dimension, std::size_t e) {
  const std::int64_t inner = inner_of(shape, dimension);
  const auto at = static_cast<std::int64_t>(e) / inner % shape[dimension];
  return at + 1 < shape[dimension] ? e + static_cast<std::size_t>(inner) : e;
}

/// Inputs of which argument `i` has other elements: change(values, argument).
template <class Change>
InputBuffers changed(const model::Case& bound, const InputBuffers& inputs, std::size_t i,
                     const Change& change) {
  const model::BoundArgument& argument = bound.arguments[i];
  InputBuffers result = inputs;
  std::vector<double> values = oracle::load_array(argument, inputs[i]);
  change(values);
  const std::vector<std::int64_t> offsets = oracle::element_offsets(argument);
  for (std::size_t e = 0; e < offsets.size(); ++e)
    oracle::store_element(argument.dtype, values[e],
                          result[i].data() + offsets[e] * model::size_of(argument.dtype));
  return result;
}

std::vector<double> moved_on(const std::vector<double>& values, const std::vector<std::int64_t>& shape,
                             std::size_t dimension) {
  std::vector<double> result(values.size());
  for (std::size_t e = 0; e < values.size(); ++e) result[e] = values[next(shape, dimension, e)];
  return result;
}

void add_of_inputs(const Question& question, std::vector<Mistake>& mistakes) {
  const model::Case& bound = question.bound();
  const auto add = [&](std::string text, std::function<InputBuffers(const InputBuffers&)> spoil) {
    mistakes.push_back({std::move(text), [&question, spoil = std::move(spoil)](const InputBuffers& inputs,
                                                                               const ReferenceOutputs&) {
                          return question.answer(spoil(inputs));
                        }});
  };
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& one = bound.arguments[i];
    if (!model::is_given(one.role)) continue;
    for (std::size_t d = 0; d < one.shape.size(); ++d) {
      if (one.shape[d] < 2) continue;
      add(fmt::format("the last index of dimension {} of {} is left out", d, one.name),
          [&bound, i, d](const InputBuffers& inputs) {
            return changed(bound, inputs, i, [&](std::vector<double>& values) {
              const auto& shape = bound.arguments[i].shape;
              for (std::size_t e = 0; e < values.size(); ++e) {
                if (next(shape, d, e) == e) values[e] = 0;
              }
            });
          });
      add(fmt::format("index {} of {} is off by one", d, one.name),
          [&bound, i, d](const InputBuffers& inputs) {
            return changed(bound, inputs, i, [&](std::vector<double>& values) {
              values = moved_on(values, bound.arguments[i].shape, d);
            });
          });
    }
    for (std::size_t k = i + 1; k < bound.arguments.size(); ++k) {
      const model::BoundArgument& other = bound.arguments[k];
      if (!model::is_given(other.role) || other.dtype != one.dtype || other.shape != one.shape) continue;
      add(fmt::format("{} and {} are swapped", one.name, other.name),
          [&bound, i, k](const InputBuffers& inputs) {
            const std::vector<double> from = oracle::load_array(bound.arguments[k], inputs[k]);
            const InputBuffers half = changed(bound, inputs, k, [&](std::vector<double>& values) {
              values = oracle::load_array(bound.arguments[i], inputs[i]);
            });
            return changed(bound, half, i, [&](std::vector<double>& values) { values = from; });
          });
    }
  }
}

void add_of_outputs(const Question& question, std::vector<Mistake>& mistakes) {
  const model::Case& bound = question.bound();
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& output = bound.arguments[i];
    if (!model::is_judged(output.role)) continue;
    const std::vector<std::int64_t>& shape = output.shape;
    const auto add = [&](std::string text,
                         std::function<std::vector<double>(const std::vector<double>&)> spoil) {
      mistakes.push_back({std::move(text), [i, spoil = std::move(spoil)](const InputBuffers&,
                                                                         const ReferenceOutputs& correct) {
                            ReferenceOutputs answer = correct;
                            answer[i] = spoil(answer[i]);
                            return std::optional(std::move(answer));
                          }});
    };
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] < 2) continue;
      add(fmt::format("dimension {} of {} is written off by one", d, output.name),
          [&shape, d](const std::vector<double>& values) { return moved_on(values, shape, d); });
    }
    const std::size_t rank = shape.size();
    if (rank < 2 || shape[rank - 1] < 2 || shape[rank - 1] != shape[rank - 2]) continue;
    add(fmt::format("{} is transposed", output.name),
        [n = shape[rank - 1]](const std::vector<double>& values) {
          std::vector<double> turned(values.size());
          for (std::size_t e = 0; e < values.size(); ++e) {
            const auto at = static_cast<std::int64_t>(e), matrix = at / (n * n), row = at / n % n,
                       column = at % n;
            turned[e] = values[static_cast<std::size_t>((matrix * n + column) * n + row)];
          }
          return turned;
        });
  }
}

void add_of_oracle(const Question& question, std::vector<Mistake>& mistakes) {
  if (question.oracle().computed == nullptr) return;
  for (oracle::OracleMutant& mutant : question.oracle().computed->mutants(question.bound())) {
    mistakes.push_back(
        {std::move(mutant.text),
         [&question, wrong = std::move(mutant.oracle)](
             const InputBuffers& inputs, const ReferenceOutputs&) -> std::optional<ReferenceOutputs> {
           auto outputs = wrong->compute(question.bound(), inputs);
           if (!outputs) return std::nullopt;
           return std::move(*outputs);
         }});
  }
}

bool differ(const ReferenceOutputs& a, const ReferenceOutputs& b) {
  constexpr double same = 1e-10;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double most = 0, apart = 0;
    for (std::size_t e = 0; e < a[i].size() && e < b[i].size(); ++e) {
      if (std::isfinite(a[i][e])) most = std::max(most, std::abs(a[i][e]));
      const double error = a[i][e] == b[i][e] ? 0 : std::abs(a[i][e] - b[i][e]);
      if (!(error <= apart)) apart = std::isnan(error) ? HUGE_VAL : error;
    }
    if (apart > same * most) return true;
  }
  return false;
}

/// Whether nothing that is given varies: every array holds one number in every declared set. Two or more
/// elements are needed to vary.
bool holds_nothing_but_constants(const Subject& subject, Question& question) {
  const model::Case& bound = question.bound();
  bool any = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    // What accumulates begins with one number as a rule.
    if (argument.role != model::ArgumentRole::input || subject.experiment.problem.arguments[i].neutral)
      continue;
    for (std::size_t s = 0; s < question.declared(); ++s) {
      const oracle::ReferenceData* reference = question.reference(s);
      if (reference == nullptr) continue;
      const std::vector<double> values = oracle::load_array(argument, reference->inputs[i]);
      any = any || values.size() > 1;
      if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end())
        return false;
    }
  }
  return any;
}

/// Data that no problem chose: normal, but for integers, which may be indices. A fill holds for them, too,
/// unless all that the problem gives is constant: it is the data then that hides mistakes, not the function.
class Generic {
 public:
  Generic(const Subject& subject, Question& question) {
    model::Case bound = question.bound();
    const bool constant = holds_nothing_but_constants(subject, question);
    for (model::BoundArgument& argument : bound.arguments) {
      if (!constant) break;
      argument.fill.reset();
      argument.set_fills.clear();
    }
    auto drawn = oracle::make_inputs(subject.known, bound, {"generic", "normal", {}},
                                     {.seed = subject.input_seed, .rotation = 2});
    const oracle::ReferenceData* declared = question.reference(0);
    if (!drawn || declared == nullptr) return;
    inputs_ = std::move(*drawn);
    for (std::size_t i = 0; i < inputs_.size() && !constant; ++i) {
      if (!oracle::is_floating(question.bound().arguments[i].dtype)) inputs_[i] = declared->inputs[i];
    }
    answer_ = question.answer(inputs_);
  }
  /// False: the mistake is none for the function that this problem computes.
  [[nodiscard]] bool matters(const Mistake& mistake) const {
    if (!answer_) return true;
    const auto wrong = mistake.answer(inputs_, *answer_);
    return wrong && differ(*answer_, *wrong);
  }

 private:
  InputBuffers inputs_;
  std::optional<ReferenceOutputs> answer_;
};

/// The name of the set that shows it, from `first` to before `last`.
std::optional<std::string> seen_on(Question& question, const Mistake& mistake, std::size_t first,
                                   std::size_t last) {
  for (std::size_t s = first; s < last; ++s) {
    const oracle::ReferenceData* reference = question.reference(s);
    if (reference == nullptr) continue;
    const auto wrong = mistake.answer(reference->inputs, reference->outputs);
    if (wrong && question.refused(s, *wrong)) return question.set(s).name;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Check> check_mistakes(const Subject& subject, oracle::ReferenceCache& answers) {
  Question question(subject, answers, small_cases(subject.experiment).front());
  std::vector<Mistake> mistakes;
  add_of_oracle(question, mistakes);
  const bool recorded =
      model::oracle_kinds(subject.experiment.problem) == std::vector{model::OracleKind::files};
  if (!recorded) add_of_inputs(question, mistakes);
  add_of_outputs(question, mistakes);
  const Generic generic(subject, question);
  std::vector<Check> checks;
  for (const Mistake& mistake : mistakes) {
    Check check{"mistake: " + mistake.text, true, {}, 0};
    auto seen = seen_on(question, mistake, 0, question.declared());
    const bool matters = seen || generic.matters(mistake);
    if (!seen && matters) seen = seen_on(question, mistake, question.declared(), question.sets());
    check.pass = seen || !matters;
    check.message = seen ? fmt::format("refused on the set {}", *seen)
                    : !matters
                        ? "changes nothing that this problem computes"
                        : "no input set of the problem shows it within the tolerance: a candidate with "
                          "this mistake would pass";
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace evo::evaluators::selftest
