#include "diagnose/diagnose.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "diagnose/observations.hpp"
#include "diagnose/race_repairs.hpp"

namespace evo::diagnose {
namespace {

using model::Status;

/// Fewer elements of outputs may agree with anything.
constexpr std::size_t fewest_elements = 4;
/// The part of the time in which changes of one place may be tried.
constexpr double repair_share = 0.4;

/// A launch that faults leaves nothing to compare; what the other failures leave says where they began.
bool leaves_results(Status status) {
  return status == Status::wrong || status == Status::sanitizer_fail || status == Status::nondeterministic;
}

Failing unbindable(const Subject& subject) {
  Failing failing;
  failing.seen.failure = model::Failure{
      Status::illegal,
      "binding",
      {{"binding", subject.unbound->message, subject.unbound->file, subject.unbound->line, {}}}};
  return failing;
}

/// The line table of the diagnosed build, which is at hand.
CodeLines code_of(Lab& lab) {
  const Subject& subject = lab.subject();
  const auto artifact =
      lab.compile(model::render_source(subject.kernel_template, subject.space, subject.candidate.genome));
  return artifact ? code_lines(artifact->ptx) : CodeLines{};
}

/// Where neither a known text nor hooks nor a barrier tell more, changes of the text itself may.
bool is_foreign(const Subject& subject, const PostMortem& report) {
  if (report.healing_barrier != 0 || has_hooks(subject) || report.repair) return false;
  // A gene's other value may keep a text that is no edit of the template from its own mistake; an edit of a
  // short one says where, and its rules may know of no such cause.
  const bool own =
      subject.known_source && similarity(*subject.known_source, subject.candidate.source) < edit_similarity;
  const std::vector<Cause> causes = weigh(report.facts, rule_base(subject.problem.causes.rules));
  const bool unknown = causes.empty() || causes.front().rule->name == "cause_unknown";
  return (report.origin.edits.empty() || unknown) && (report.origin.genes.empty() || own);
}

/// What the outputs look like, the lines that may be about it, and a change that makes it correct.
void look_at_text(Lab& lab, const Failing& first, const Failing& failing, PostMortem& report) {
  const Subject& subject = lab.subject();
  const Roles roles(subject);
  if (failing.seen.failure->status == Status::wrong) {
    const Failing telling = find_telling(lab, first);
    report.answers = confirmed_answers(lab, telling.setup, telling.seen);
    // A mistake of one path only may explain a small case as a whole; one element or two say nothing.
    const bool tells = std::any_of(failing.seen.references.begin(), failing.seen.references.end(),
                                   [](const auto& values) { return values.size() >= fewest_elements; });
    if (report.answers.empty() && tells) report.answers = confirmed_answers(lab, failing.setup, failing.seen);
  }
  // Both say the same of rows of negative numbers: a kernel that takes no maximum subtracts none.
  const char* const other = roles.maxima().empty() ? "maximum_clamped" : "unshifted";
  const char* const one = roles.maxima().empty() ? "unshifted" : "maximum_clamped";
  const auto named = [](const char* name) {
    return [name](const Answer& answer) { return answer.name == name; };
  };
  if (std::any_of(report.answers.begin(), report.answers.end(), named(one)))
    std::erase_if(report.answers, named(other));
  for (const Answer& answer : report.answers)
    report.facts.add("answer." + answer.name, "the outputs are those of this mistake: " + answer.text);
  if (report.facts.has("error.small") && !roles.half_storage().empty())
    report.facts.add("at.half_storage",
                     fmt::format("line {} keeps values in 16 bits", roles.half_storage().front()));
  for (const Answer& answer : report.answers) {
    Lead lead = lead_of(answer, roles);
    if (!lead.kinds.empty()) report.leads.push_back(std::move(lead));
  }
  Lead lead = lead_of(report.facts, roles);
  if (!lead.lines.empty()) report.leads.push_back(std::move(lead));
  if (failing.seen.failure->status == Status::wrong && !roles.half_storage().empty())
    report.leads.push_back({{"type"}, roles.half_storage(), "a value is kept in 16 bits here"});
  const bool stores = report.facts.has("wrong.gap_overwritten") ||
                      report.facts.has("wrong.guard_overwritten") || report.facts.has("wrong.unwritten") ||
                      report.facts.has("wrong.input_modified");
  if (stores && report.leads.empty()) {
    // However the source hides them, the compiled code knows its stores.
    const auto artifact =
        lab.compile(model::render_source(subject.kernel_template, subject.space, subject.candidate.genome));
    if (artifact)
      report.leads.push_back({{"index", "width", "operand", "bound"},
                              lines_with(artifact->ptx, subject.file(), "st.global"),
                              "a store to global memory"});
  }
  report.repair =
      find_repair(lab, roles, first, failing, report.facts, report.leads, repair_share * lab.limit());
  if (report.repair) add_repair_facts(*report.repair, roles, report.facts);
}

}  // namespace

Diagnosis diagnose(Lab& lab) {
  const Subject& subject = lab.subject();
  Diagnosis diagnosis;
  PostMortem& report = diagnosis.post_mortem;
  report.title = subject.title;
  report.problem = subject.problem.name;
  report.template_name = subject.kernel_template.name;
  report.accuracy_class = subject.tolerance.accuracy_class;

  lab.at("looking for a failure");
  auto failing = subject.unbound ? std::optional(unbindable(subject)) : find_failure(lab, report.notes);
  if (failing) {
    report.failing = true;
    report.original = failing->setup.workload;
    const Status status = failing->seen.failure->status;
    // What the compiled code lacks, it lacks whatever it is launched on.
    const bool in_code = failing->seen.failure->reason == "proxy_fence";
    const bool runs = status != Status::compile_error && status != Status::compile_timeout &&
                      status != Status::illegal && !in_code;
    const Failing first = *failing;
    lab.at("reducing the failure");
    if (runs) report.reductions = reduce_shape(lab, *failing);
    report.symptom = *failing->seen.failure;
    report.failing_launch = failing->seen.failing_launch;
    report.minimal = failing->setup.workload;
    report.input_set = subject.set(failing->setup.input_set).name;
    report.launches = failing->setup.launches;

    const CodeLines code = runs ? code_of(lab) : CodeLines{};
    add_failure_facts(subject, failing->seen, report.facts);
    if (runs) {
      lab.at("comparing with what is known to be correct");
      const Failing telling = find_telling(lab, first);
      add_race_facts(*telling.seen.failure, telling.seen.bound, report.facts);
      report.origin = find_origin(lab, *failing);
      add_origin_facts(report.origin, report.facts);
      if (leaves_results(status)) {
        lab.at("looking inside");
        report.tiles = look_into_both(lab, telling.setup, telling.seen, failing->setup, failing->seen);
        add_tile_facts(subject, report.tiles, report.facts);
        report.notes.insert(report.notes.end(), report.tiles.notes.begin(), report.tiles.notes.end());
      }
      lab.at("trying other conditions");
      add_dependence_facts(lab, *failing, report.facts);
      lab.at("looking for inputs that matter");
      report.inputs_that_matter = reduce_inputs(lab, *failing);
    }
    lab.at("trying barriers");
    if (runs) mend_race(lab, first, *failing, code, report);
    lab.at("trying changes of the text");
    if (runs && is_foreign(subject, report)) look_at_text(lab, first, *failing, report);
    report.causes = weigh(report.facts, rule_base(subject.problem.causes.rules));
    report.category = report.causes.empty() ? "unknown" : std::string(report.causes.front().rule->category);
    report.places = source_places(subject, report, code);
    if (lab.lost()) {
      report.notes.emplace_back(
          "the fault took the GPU away from this process: later experiments were left out");
    } else if (lab.expired()) {
      report.notes.emplace_back("time was up: later experiments were left out (--seconds)");
    }
  }
  report.seconds = lab.seconds();
  report.observations = lab.observations();
  diagnosis.failing = std::move(failing);
  return diagnosis;
}

}  // namespace evo::diagnose
