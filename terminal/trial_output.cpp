#include "terminal/trial_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/profile/reading_json.hpp"
#include "model/edits.hpp"
#include "mutators/proposal.hpp"
#include "report/timing_output.hpp"
#include "terminal/json_output.hpp"
#include "terminal/text_output.hpp"

namespace evo::terminal {
namespace {

namespace json = boost::json;

std::string line(const char* name, const std::string& text) {
  return text.empty() ? std::string() : fmt::format("{:<11}{}\n", name, text);
}

std::string latencies_text(const std::vector<model::WorkloadLatency>& latencies) {
  std::string text;
  for (const model::WorkloadLatency& one : latencies)
    text += line("latency", fmt::format("{}: {} ({} samples; {})", one.workload, latency_text(one.latency),
                                        one.latency.samples, one.latency.method));
  return text;
}

std::string gates_text(const std::vector<engine::GateRecord>& gates) {
  std::vector<std::string> parts;
  for (const engine::GateRecord& one : gates)
    parts.push_back(fmt::format("{}{} {:.0f} ms", model::name_of(one.gate), one.pass ? "" : " (failed)",
                                one.milliseconds));
  return line("gates", fmt::format("{}", fmt::join(parts, ", ")));
}

std::string timing_text(const char* what, const std::optional<model::TimingNotes>& timing) {
  if (!timing) return {};
  return line("clocks", fmt::format("{}: {}", what, report::clocks_text(timing->clocks))) +
         line("unusual", report::odd_text(*timing));
}

std::string paired_text(const model::PairedComparison& paired) {
  return line("in turn", fmt::format("{:.4f} [{:.4f}, {:.4f}] of the latency of {} ({} rounds, {:g} %)",
                                     paired.ratio, paired.interval[0], paired.interval[1], paired.incumbent,
                                     paired.rounds, 100 * paired.confidence));
}

std::string samples_text(const std::vector<model::SampleSeries>& samples) {
  std::vector<std::string> parts;
  for (const model::SampleSeries& one : samples)
    parts.push_back(
        fmt::format("{} {}{}{}", one.us.size(), one.workload, one.side.empty() ? "" : " ", one.side));
  if (parts.empty()) return {};
  return line("samples", fmt::format("{} (--samples prints them)", fmt::join(parts, ", ")));
}

/// A line for each kernel and workload, counters in the order in which they are shown.
std::string counters_text(const model::CounterReading& reading) {
  std::string text;
  for (const model::KernelCounters& kernel : reading.kernels) {
    std::vector<std::string> parts;
    for (const model::CounterName& one : model::counter_names())
      if (const auto value = kernel.find(one.name))
        parts.push_back(fmt::format("{} {:.6g}", one.name, *value));
    text +=
        line("counters", fmt::format("{} ({}): {} on {}: {}", model::name_of(reading.basis), reading.method,
                                     kernel.kernel, kernel.workload, fmt::join(parts, ", ")));
  }
  return text;
}

}  // namespace

std::string trial_text(const ShownTrial& shown) {
  const engine::TrialRecord& trial = shown.trial;
  std::string text = fmt::format("trial {} (generation {}, slot {}): {}, template {}\n", trial.index,
                                 trial.generation, trial.slot, trial.variant, trial.template_name);
  std::string status(model::name_of(trial.status));
  if (trial.gate) status += fmt::format(" at {}", model::name_of(*trial.gate));
  if (!trial.reason.empty()) status += fmt::format(" ({})", trial.reason);
  if (!trial.duplicate_of.empty()) status += " of " + trial.duplicate_of;
  text += line("status", status);
  text += line("made by",
               trial.rationale.empty() ? trial.operator_name : trial.operator_name + ": " + trial.rationale);
  text += line("parents", fmt::format("{}", fmt::join(trial.parents, ", ")));
  text += line("genes", model::with_edits(trial.genome, {}).text());
  if (trial.template_name == shown.baseline.template_name && trial.index != shown.baseline.index)
    text += line("changed", mutators::describe_changes(shown.baseline.genome, trial.genome));
  text += line("simplicity", engine::text_of(engine::simplicity_of(trial, shown.baseline)));
  text += gates_text(trial.gates) + latencies_text(trial.latencies) + timing_text("alone", trial.timing);
  if (trial.paired) text += paired_text(*trial.paired) + timing_text("in turn", trial.paired->timing);
  if (shown.tie) text += engine::text_of(*shown.tie) + "\n";
  if (shown.counters) text += counters_text(*shown.counters);
  return text + samples_text(shown.samples) + evidence_text(trial.evidence);
}

json::object trial_to_json(const ShownTrial& shown) {
  const engine::TrialRecord& trial = shown.trial;
  json::object document = lineage_to_json({trial}).at("variants").as_array().front().as_object();
  document["trial"] = trial.index;
  json::array workloads;
  for (const model::WorkloadLatency& one : trial.latencies) {
    const auto& ci95 = one.latency.ci95;
    workloads.push_back(
        {{"name", one.workload},
         {"latency_kind", model::name_of(one.latency.kind)},
         {"latency_us", one.latency.microseconds},
         {"ci95", ci95 ? json::value(json::array{(*ci95)[0], (*ci95)[1]}) : json::value(nullptr)},
         {"samples", one.latency.samples},
         {"method", one.latency.method}});
  }
  json::array gates;
  for (const engine::GateRecord& one : trial.gates)
    gates.push_back({{"gate", model::name_of(one.gate)}, {"pass", one.pass}, {"ms", one.milliseconds}});
  document["gates"] = std::move(gates);
  document["workloads"] = std::move(workloads);
  document["evidence"] = to_json(trial.evidence);
  document["timing"] = report::timing_json(trial.timing);
  document["tie"] = shown.tie ? json::value(report::to_json(*shown.tie)) : json::value(nullptr);
  document["samples"] = report::samples_json(shown.samples);
  document["counters"] =
      shown.counters ? json::value(evaluators::profile::to_json(*shown.counters, 0)) : json::value(nullptr);
  return document;
}

std::string samples_csv(const std::vector<model::SampleSeries>& samples) {
  std::string text = "workload,side,sample,us\n";
  for (const model::SampleSeries& one : samples) {
    for (std::size_t i = 0; i < one.us.size(); ++i)
      text += fmt::format("{},{},{},{:.7g}\n", one.workload, one.side, i, one.us[i]);
  }
  return text;
}

}  // namespace evo::terminal
