#include "diagnose/diagnose.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/barrier_places.hpp"
#include "diagnose/observations.hpp"

namespace evo::diagnose {
namespace {

using model::Status;

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
      lab.compile(model::render_source(subject.kernel, subject.space, subject.candidate.genome));
  return artifact ? code_lines(artifact->ptx) : CodeLines{};
}

std::string with_line_before(const std::string& source, int line, const std::string& inserted) {
  std::size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) at = source.find('\n', at) + 1;
  return source.substr(0, at) + inserted + "\n" + source.substr(at);
}

/// A barrier put where one seems to be missing tells whether it is, and of which kind. The line where it
/// heals; 0 if it does nowhere.
int try_barriers(Lab& lab, const Failing& failing, const CodeLines& code, Facts& facts) {
  constexpr std::size_t most_places = 6;
  const Subject& subject = lab.subject();
  std::vector<int> lines = barrier_places(subject, *failing.seen.failure, code);
  // A wait that nothing publishes is the likelier place, where copies are what races.
  const bool copies = facts.has("race.async_copy") || facts.has("finding.async_not_waited");
  const int wait = copies ? wait_without_barrier(subject.file(), subject.candidate.source, code) : 0;
  if (wait > 0) lines.insert(lines.begin(), wait);
  if (lines.size() > most_places) lines.resize(most_places);
  const auto heals = [&](int line, const char* statement) {
    const std::string source = with_line_before(subject.candidate.source, line, statement);
    return !lab.observe({source, subject.candidate.genome}, failing.setup).failed();
  };
  for (const int line : lines) {
    if (lab.expired()) return 0;
    if (!heals(line, "__syncthreads();")) continue;
    const bool warp = !lab.expired() && heals(line, "__syncwarp();");
    facts.add(
        warp ? "repair.warp_barrier_heals" : "repair.block_barrier_heals",
        fmt::format("with {} before line {} it is right", warp ? "__syncwarp();" : "__syncthreads();", line));
    return line;
  }
  if (!lines.empty())
    facts.add("repair.no_barrier_heals",
              fmt::format("a barrier before line {} mends nothing", fmt::join(lines, " or ")));
  return 0;
}

}  // namespace

Diagnosis diagnose(Lab& lab) {
  const Subject& subject = lab.subject();
  Diagnosis diagnosis;
  PostMortem& report = diagnosis.post_mortem;
  report.title = subject.title;
  report.problem = subject.problem.name;
  report.template_name = subject.kernel.name;
  report.accuracy_class = subject.tolerance.accuracy_class;

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
    if (runs) report.reductions = reduce_shape(lab, *failing);
    report.symptom = *failing->seen.failure;
    report.failing_launch = failing->seen.failing_launch;
    report.minimal = failing->setup.workload;
    report.input_set = subject.input_sets[failing->setup.input_set].name;
    report.launches = failing->setup.launches;

    const CodeLines code = runs ? code_of(lab) : CodeLines{};
    add_failure_facts(subject, failing->seen, report.facts);
    if (runs) {
      const Failing telling = find_telling(lab, first);
      add_race_facts(*telling.seen.failure, telling.seen.bound, report.facts);
      report.origin = find_origin(lab, *failing);
      add_origin_facts(report.origin, report.facts);
      if (leaves_results(status)) {
        report.tiles = look_into_both(lab, telling.setup, telling.seen, failing->setup, failing->seen);
        add_tile_facts(report.tiles, report.facts);
        report.notes.insert(report.notes.end(), report.tiles.notes.begin(), report.tiles.notes.end());
      }
      add_dependence_facts(lab, *failing, report.facts);
      report.inputs_that_matter = reduce_inputs(lab, *failing);
    }
    if (runs) report.healing_barrier = try_barriers(lab, *failing, code, report.facts);
    report.causes = weigh(report.facts, rule_base());
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
