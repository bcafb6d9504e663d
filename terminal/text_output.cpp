#include "terminal/text_output.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/edits.hpp"
#include "model/file_name.hpp"
#include "mutators/proposal.hpp"
#include "report/metrics_output.hpp"

namespace evo::terminal {
namespace {

std::string latency_or_reason(const engine::TrialRecord& trial) {
  if (const auto latency = trial.latency()) return latency_text(*latency);
  return trial.reason;
}

std::string environment_text(const model::Environment& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " and ", name, model::to_string(value));
  }
  return text;
}

std::string variant_block(const char* title, const engine::TrialRecord& trial) {
  std::string text =
      fmt::format("{} {} (template {}, trial {})\n", title, trial.variant, trial.template_name, trial.index);
  if (const auto latency = trial.latency()) text += fmt::format("  latency   {}\n", latency_text(*latency));
  for (const model::WorkloadLatency& w : trial.latencies) {
    if (trial.latencies.size() > 1) text += fmt::format("  {:<9} {}\n", w.workload, latency_text(w.latency));
  }
  return text;
}

}  // namespace

std::string latency_text(const model::Latency& latency) {
  std::string text = fmt::format("{:.3f} us", latency.microseconds);
  if (latency.ci95) text += fmt::format(" [{:.3f}, {:.3f}]", (*latency.ci95)[0], (*latency.ci95)[1]);
  if (latency.kind != model::LatencyKind::measured)
    text += fmt::format(" ({})", model::name_of(latency.kind));
  return text;
}

std::string evidence_text(const std::vector<model::Evidence>& evidence) {
  std::string text;
  for (const model::Evidence& item : evidence) {
    text += "  ";
    if (const std::string place = model::place_text(item.file, item.line); !place.empty())
      text += place + ": ";
    text += fmt::format("{}: {}\n", item.kind, item.message);
    // What the message says already is not said again.
    std::vector<std::string> more;
    for (const auto& [key, value] : item.details) {
      if (!value.empty() && item.message.find(value) == std::string::npos)
        more.push_back(fmt::format("{} {}", key, value));
    }
    if (!more.empty()) text += fmt::format("      ({})\n", fmt::join(more, ", "));
  }
  return text;
}

std::string report_text(const std::string& run, const model::Experiment& experiment,
                        const engine::RunMeta& meta, const engine::CampaignResult& result,
                        const std::vector<evaluators::gates::GateTime>& times) {
  const engine::CampaignProgress& progress = result.progress;
  std::string text = fmt::format("run        {}\nstatus     {}\n", run, engine::name_of(result.status));
  text += fmt::format("device     {} ({}), target {}\n", meta.device_name, meta.device_kind,
                      experiment.target.name);
  if (meta.device_kind == "cuda") {
    text += fmt::format("           measured on {} under the limits of {}\n", meta.device_name,
                        experiment.target.name);
  }
  text += fmt::format("latencies  {}\n", model::name_of(meta.latency_kind));
  const auto warm = engine::warm_trials_per_second(progress);
  text += fmt::format("trials     {} in {:.1f} s ({:.2f} a second{}), device {:.2f} s, cost {:.4f}\n",
                      progress.trials, progress.elapsed_seconds, engine::trials_per_second(progress),
                      warm ? fmt::format("; {:.2f} after generation 0", *warm) : "", progress.device_seconds,
                      progress.cost);
  std::vector<std::string> counts;
  for (const auto& [status, count] : progress.counts) counts.push_back(fmt::format("{} {}", status, count));
  text += fmt::format("counts     {}\n", fmt::join(counts, ", "));
  if (engine::space_exhausted(progress)) {
    text += fmt::format("space      exhausted: {} of {} legal genomes tried\n", progress.trials,
                        progress.legal_genomes);
  }
  if (experiment.problem.work.assumed)
    text += "work       not given: every array is counted once, and no arithmetic\n";
  text += "\n";
  if (progress.baseline) text += variant_block("baseline", *progress.baseline);
  if (progress.champion) {
    text += variant_block("champion", *progress.champion);
    const auto before = progress.baseline ? progress.baseline->latency() : std::nullopt;
    const auto now = progress.champion->latency();
    if (before && now) {
      text += fmt::format("  speed-up  {:.3f}x against the baseline ({})\n",
                          before->microseconds / now->microseconds, model::name_of(now->kind));
    }
    text += report::metrics_text(experiment, *progress.champion);
    const auto edits = model::edits_of(progress.champion->genome).size();
    text += fmt::format(
        "  genes     {}{}\n", model::with_edits(progress.champion->genome, {}).text(),
        edits == 0 ? ""
                   : fmt::format("  and {} edit{} of the text, listed below", edits, edits == 1 ? "" : "s"));
    if (experiment.target.name.empty() == false) {
      text += fmt::format("  proven    accuracy class {}\n", experiment.accuracy_class);
    }
  }
  text += "\n" + times_text(times);
  text += fmt::format("\nlineage    {}\n", result.lineage_sha256);
  return text;
}

std::string device_time_text(const std::vector<evaluators::gates::GateTime>& times) {
  std::string text;
  for (const evaluators::gates::GateTime& time : times) {
    if (time.passed == 0 || time.device_passed <= 0) continue;
    text += fmt::format("{}: {:.2f} ms of device time per correct candidate ({} of them)\n",
                        model::name_of(time.gate),
                        1000 * time.device_passed / static_cast<double>(time.passed), time.passed);
  }
  return text;
}

std::string times_text(const std::vector<evaluators::gates::GateTime>& times) {
  // Sums of parallel work, so they may exceed the wall time.
  std::string text = "where the time went, in seconds (this session; sums over parallel trials)\n";
  text += "gate         trials      wall       cpu    device   waiting\n";
  for (const evaluators::gates::GateTime& time : times) {
    text += fmt::format("{:<11} {:>7}  {:>8.2f}  {:>8.2f}  {:>8.2f}  {:>8.2f}\n", model::name_of(time.gate),
                        time.trials, time.wall, time.cpu, time.device, time.waiting);
  }
  return text + device_time_text(times);
}

std::string lineage_text(const std::vector<engine::TrialRecord>& trials) {
  std::string text =
      "trial  gen  variant           parents                            operator               status        "
      "   latency or reason\n";
  for (const engine::TrialRecord& trial : trials) {
    text += fmt::format("{:>5}  {:>3}  {:<16}  {:<33}  {:<21}  {:<15}  {}\n", trial.index, trial.generation,
                        trial.variant, fmt::format("{}", fmt::join(trial.parents, ",")), trial.operator_name,
                        model::name_of(trial.status), latency_or_reason(trial));
  }
  return text;
}

std::string path_text(const std::vector<engine::TrialRecord>& trials) {
  const bool paired = std::ranges::any_of(trials, [](const auto& trial) { return trial.paired.has_value(); });
  const std::string head =
      std::string("what changed against the first parent") +
      (paired ? ", and what timing in turn with the champion of that moment gave\n" : "\n");
  std::string text;
  for (const engine::TrialRecord& trial : trials) {
    const auto parent = std::find_if(trials.begin(), trials.end(), [&](const engine::TrialRecord& other) {
      return !trial.parents.empty() && other.variant == trial.parents.front();
    });
    if (parent == trials.end()) continue;
    if (text.empty()) text = head;
    text += fmt::format("{:>5}  {}\n", trial.index, mutators::describe_changes(parent->genome, trial.genome));
    if (!trial.paired) continue;
    text += fmt::format("       {:.4f} [{:.4f}, {:.4f}] of the latency of {} ({} rounds in turn, {:g} %)\n",
                        trial.paired->ratio, trial.paired->interval[0], trial.paired->interval[1],
                        trial.paired->incumbent, trial.paired->rounds, 100 * trial.paired->confidence);
  }
  return text;
}

std::string insights_text(const std::vector<model::Insights>& insights) {
  if (insights.empty()) return "no insights yet: a generation must end first\n";
  const model::Insights& last = insights.back();
  std::string text = fmt::format("after {} trials (generation {})\n\n", last.trials, last.generation);
  text += "effect on latency of a gene's value against the mean of the proven trials, 95 % interval\n";
  std::vector<model::ValueEffect> effects = last.effects;
  std::stable_sort(effects.begin(), effects.end(),
                   [](const auto& a, const auto& b) { return a.effect < b.effect; });
  const auto percent = [](double log_effect) { return 100 * (std::exp(log_effect) - 1); };
  for (const model::ValueEffect& effect : effects) {
    text += fmt::format("  {:<8} {:<34} {:>+7.1f} %  [{:>+7.1f}, {:>+7.1f}]  {} trials{}\n", effect.id,
                        fmt::format("{}={}", effect.gene, model::to_string(effect.value)),
                        percent(effect.effect), percent(effect.ci95[0]), percent(effect.ci95[1]),
                        effect.trials, effect.significant() ? "" : "  (not significant)");
  }
  text += "\nwhere candidates fail\n";
  for (const model::FailurePattern& pattern : last.failures) {
    text += fmt::format("  {:<8} {}: {} by {}, {} of {}\n", pattern.id, environment_text(pattern.when),
                        model::name_of(pattern.status), pattern.reason, pattern.count, pattern.of);
  }
  return text;
}

}  // namespace evo::terminal
