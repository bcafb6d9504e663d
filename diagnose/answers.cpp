#include "diagnose/answers.hpp"

#include <algorithm>

#include "diagnose/answer_list.hpp"
#include "evaluators/oracle/elements.hpp"

namespace evo::diagnose {

namespace oracle = evaluators::oracle;

namespace {

/// Asks for every mistake that the problem's arguments and axes allow, and those that the oracle knows.
void ask_all(AnswerList& list) {
  const Observation& seen = list.seen();
  for (std::size_t i = 0; i < seen.bound.arguments.size(); ++i) {
    const model::ArgumentRole role = seen.bound.arguments[i].role;
    if (role == model::ArgumentRole::scalar) ask_scalar(list, i);
    if (model::is_given(role)) ask_input(list, i);
  }
  ask_outputs(list);
  for (const model::Axis& axis : list.subject().problem.axes) {
    if (!axis.compile_time) ask_sizes(list, axis.name);
  }
  if (list.oracle().compute_mistakes == nullptr) return;
  for (const oracle::MistakenOutputs& mistake : list.oracle().compute_mistakes(seen.bound, seen.inputs))
    list.weigh(mistake.name, {}, mistake.text, mistake.outputs[list.output()]);
}

/// `fitting`: also of outputs that are correct.
std::vector<Answer> answers_to(const Subject& subject, const Observation& seen, bool fitting) {
  const oracle::Oracle* known = subject.known.find_oracle(subject.problem.oracle);
  if (known == nullptr || seen.bound.flops > most_answer_flops) return {};
  AnswerList list(subject, seen, *known, fitting);
  for (std::size_t i = 0; i < seen.bound.arguments.size(); ++i) {
    if (!seen.comparisons[i] || (!fitting && seen.comparisons[i]->pass) || seen.contents[i].empty()) continue;
    if (oracle::element_count(seen.bound.arguments[i]) !=
        static_cast<std::int64_t>(seen.references[i].size()))
      continue;
    list.look_at(i);
    ask_all(list);
  }
  return list.take();
}

}  // namespace

std::vector<Answer> find_answers(const Subject& subject, const Observation& seen) {
  return answers_to(subject, seen, false);
}

std::vector<Answer> confirmed_answers(Lab& lab, const Setup& setup, const Observation& seen) {
  constexpr int most_sets = 4;
  const Subject& subject = lab.subject();
  std::vector<Answer> answers = find_answers(subject, seen);
  int asked = 0;
  for (std::size_t set = 0; set < subject.input_sets.size() && asked < most_sets && answers.size() > 1;
       ++set) {
    if (set == setup.input_set || lab.expired()) continue;
    Setup other = setup;
    other.input_set = set;
    const Observation again = lab.observe(other);
    if (again.failed() && again.failure->status != model::Status::wrong) continue;
    ++asked;
    const std::vector<Answer> there = answers_to(subject, again, !again.failed());
    std::vector<Answer> both;
    for (const Answer& answer : answers) {
      const bool holds = std::any_of(there.begin(), there.end(), [&](const Answer& known) {
        return known.name == answer.name && known.argument == answer.argument;
      });
      if (holds) both.push_back(answer);
    }
    // Where no mistake explains it at all, the set is a special one.
    if (!both.empty()) answers = std::move(both);
  }
  return answers;
}

}  // namespace evo::diagnose
