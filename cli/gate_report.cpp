#include "cli/gate_report.hpp"

#include <optional>

#include <fmt/format.h>

#include "cli/assembly.hpp"
#include "cli/coverage_output.hpp"
#include "cli/json_output.hpp"
#include "cli/run_session.hpp"
#include "cli/text_output.hpp"
#include "cli/watch.hpp"
#include "engine/search_space.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"

namespace evo::cli {
namespace {

using evaluators::gates::GateReport;

/// What the ladder could not check, and what compute-sanitizer saw of it.
struct Watched {
  std::optional<evaluators::sanitizer::Report> report;
  std::optional<model::Failure> failure;
  [[nodiscard]] const evaluators::sanitizer::Report* get() const { return report ? &*report : nullptr; }
};

std::string gate_of(const GateReport& report, const Watched& watched) {
  return watched.failure ? "compute-sanitizer" : report.failed_gate();
}

void print_document(const GateReport& report, const Watched& watched) {
  boost::json::array gates;
  for (const model::GateResult& gate : report.gates()) {
    gates.push_back({{"gate", model::name_of(gate.gate)}, {"pass", gate.pass()}, {"ms", gate.milliseconds}});
  }
  const model::Failure* failure = watched.failure ? &*watched.failure : report.failure();
  boost::json::object document{
      {"valid", report.valid() && failure == nullptr},
      {"status", model::name_of(failure ? failure->status : model::Status::proven)},
      {"gate", failure ? boost::json::value(gate_of(report, watched)) : boost::json::value(nullptr)},
      {"reason", failure ? failure->reason : std::string()},
      {"evidence", failure ? to_json(failure->evidence) : boost::json::array{}},
      {"gates", std::move(gates)},
      {"not_checked", to_json(not_checked(report.evaluation.notes))},
      {"sanitizer",
       watched.report ? boost::json::value(to_json(*watched.report)) : boost::json::value(nullptr)}};
  if (report.valid()) document["correct_for"] = correct_for_json(report.evaluation.notes);
  document["always_equal"] = always_equal_json(report.evaluation.notes);
  if (!report.evaluation.latencies.empty()) {
    const model::Latency total = model::combine(report.evaluation.latencies);
    document["latency_us"] = total.microseconds;
    document["latency_kind"] = model::name_of(total.kind);
  }
  print_json(document);
}

void print_text(const GateReport& report, const Watched& watched, const std::string& what,
                const DeviceChoice& device) {
  fmt::print("{} on {}\n", what, device.spelling);
  for (const model::GateResult& gate : report.gates()) {
    fmt::print("  {:<12} {}  {:>8.0f} ms\n", model::name_of(gate.gate), gate.pass() ? "pass" : "FAIL",
               gate.milliseconds);
  }
  if (watched.report) fmt::print("{}", watched.report->text());
  if (const model::Failure* failure = watched.failure ? &*watched.failure : report.failure()) {
    const std::size_t findings = failure->evidence.size();
    fmt::print("not valid: {} at the gate {} ({}){}\n{}", model::name_of(failure->status),
               gate_of(report, watched), failure->reason,
               findings > 1 ? fmt::format(", {} findings", findings) : "", evidence_text(failure->evidence));
    return;
  }
  fmt::print("valid: every gate passed\n{}", not_checked_text(report.evaluation.notes, watched.get()));
  fmt::print("{}", coverage_text(report.evaluation.notes));
  if (!report.evaluation.latencies.empty()) {
    fmt::print("latency {}\n", latency_text(model::combine(report.evaluation.latencies)));
  }
}

}  // namespace

int prove_and_print(const CommonOptions& common, model::Experiment experiment, const std::string& what) {
  const DeviceChoice device = choose_device(experiment.device, experiment.target);
  if (!device.note.empty() && !common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  AssemblyOptions parts;
  parts.threads = threads_or_cores(0);
  parts.input_seed = experiment.input_seed ? *experiment.input_seed : draw_entropy();
  Assembly assembly(experiment, device, parts);
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const engine::SearchTemplate& entry = space.templates.at(space.baseline_template);
  const GateReport report = evaluators::gates::prove(
      assembly.ladder(), model::make_variant(entry.kernel, entry.space, space.baseline));
  Watched watched;
  if (report.valid() && !not_checked(report.evaluation.notes).empty()) {
    watched.report = watch_launches(experiment, assembly, report.prepared, {});
    watched.failure = watched.report->failure();
  }
  if (common.json) {
    print_document(report, watched);
  } else {
    print_text(report, watched, what, device);
    fmt::print("{}", device_time_text(assembly.times()));
  }
  return static_cast<int>(report.valid() && !watched.failure ? model::ExitCode::done
                                                             : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
