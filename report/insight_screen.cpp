#include "report/insight_screen.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evaluators/profile/limit.hpp"
#include "model/edits.hpp"
#include "session/final_verdict.hpp"

namespace evo::report {
namespace {

using session::CheckStatus;
using session::ClaimKind;
using session::ClaimTested;
using session::GeneWorth;
using session::InsightSummary;
using session::Tested;

/// What was found, what the comparisons made of it, and what was compared.
struct Line {
  std::string what, status, evidence;
};
struct Part {
  std::string title;
  std::vector<Line> lines;
  std::string empty;     ///< what stands there when there is no line
  std::size_t most = 6;  ///< lines, unless all are asked for
};

double slower_by(double log_effect) {
  return 100 * std::expm1(log_effect);
}

std::string effect_text(double effect, const std::array<double, 2>& interval) {
  // Too few trials for so many effects: an end without digits that mean anything.
  constexpr double anything = 10;
  if (interval[1] > anything) return fmt::format("{:+.1f} %, of which nothing is certain", slower_by(effect));
  return fmt::format("{:+.1f} % [{:+.1f}, {:+.1f}]", slower_by(effect), slower_by(interval[0]),
                     slower_by(interval[1]));
}

std::string times_text(const Tested& tested, model::LatencyKind kind) {
  const auto& [ratio, interval] = tested.ratio;
  // A constraint's reason may be long; --json has it whole.
  constexpr std::size_t shown = 60;
  if (!std::isfinite(ratio))
    return tested.found.size() <= shown ? tested.found : tested.found.substr(0, shown) + "...";
  if (kind != model::LatencyKind::measured) return fmt::format("{:.3f}x, exact", ratio);
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}], {} pairs", ratio, interval[0], interval[1], tested.pairs);
}

std::string assigned(const std::string& gene, const model::Value& value) {
  if (model::names_an_edit(gene)) return model::short_edit(model::to_string(value));
  return fmt::format("{}={}", gene, model::to_string(value));
}

Line line_of(const GeneWorth& worth, model::LatencyKind kind) {
  std::string what;
  for (const auto& [gene, now] : worth.now) {
    what += what.empty() ? "" : ", ";
    what += model::names_an_edit(gene)
                ? assigned(gene, now)
                : fmt::format("{} (was {})", assigned(gene, now), model::to_string(worth.was.at(gene)));
  }
  Line line{std::move(what), std::string(name_of(worth.tested.status)), {}};
  if (worth.tested.status != CheckStatus::untested) {
    line.evidence = fmt::format("without it {}", times_text(worth.tested, kind));
    if (worth.share && worth.tested.status == CheckStatus::confirmed)
      line.evidence += fmt::format("; {:.0f} % of the gain", 100 * *worth.share);
  } else if (worth.estimated) {
    line.evidence =
        fmt::format("without it about {}, {} trials",
                    effect_text(worth.estimated->effect, worth.estimated->interval), worth.estimated->trials);
  } else {
    line.evidence = "no trial tells";
  }
  return line;
}

Line line_of(const ClaimTested& one, const InsightSummary& summary) {
  const session::Claim& claim = one.claim;
  std::string what;
  for (const auto& [gene, value] : claim.values) {
    const auto& own = summary.champion->genome.values();
    const auto now = own.find(gene);
    what += (what.empty() ? "" : claim.kind == ClaimKind::pair ? " with " : ", ") + assigned(gene, value);
    if (claim.kind == ClaimKind::gene && now != own.end())
      what += fmt::format(" (not {})", model::short_edit(model::to_string(now->second)));
  }
  Line line{std::move(what), std::string(name_of(one.tested.status)), {}};
  if (claim.kind == ClaimKind::failure) {
    line.evidence = fmt::format("{} by {}, {} of {} trials", model::name_of(claim.failure.status),
                                claim.failure.reason, claim.failure.count, claim.failure.of);
    if (one.tested.status == CheckStatus::refuted) line.evidence += "; a flip says: " + one.tested.found;
    return line;
  }
  line.evidence = claim.is_suspicion()
                      ? "what each costs alone may be the same"
                      : fmt::format("{}{}, {} trials", effect_text(claim.effect, claim.interval),
                                    claim.kind == ClaimKind::pair ? " beyond each alone" : "", claim.trials);
  if (one.tested.status != CheckStatus::untested)
    line.evidence += fmt::format("; compared {}", times_text(one.tested, summary.kind));
  return line;
}

bool is_first_value(const ClaimTested& one, const InsightSummary& summary) {
  return std::any_of(summary.genes.begin(), summary.genes.end(),
                     [&](const GeneWorth& worth) { return one.claim.values == worth.was; });
}

Part what_worked(const InsightSummary& summary) {
  Part part{"what worked", {}, "nothing: the champion has the first values of all its genes", 10};
  for (const GeneWorth& worth : summary.genes)
    if (worth.tested.status != CheckStatus::refuted) part.lines.push_back(line_of(worth, summary.kind));
  return part;
}

Part what_did_not(const InsightSummary& summary) {
  Part part{"what did not", {}, "nothing is known to be slower, or to fail", 10};
  for (const GeneWorth& worth : summary.genes)
    if (worth.tested.status == CheckStatus::refuted) part.lines.push_back(line_of(worth, summary.kind));
  for (const ClaimTested& one : summary.claims) {
    const bool gain = one.claim.kind != ClaimKind::failure && one.claim.effect < 0;
    const bool did_not = !gain || one.tested.status == CheckStatus::refuted;
    if (did_not && !is_first_value(one, summary)) part.lines.push_back(line_of(one, summary));
  }
  return part;
}

std::string resources_text(const engine::TrialRecord& trial) {
  return fmt::format("{} registers, {} bytes of static shared memory, {} bytes of spills",
                     trial.resources->registers, trial.resources->static_smem_bytes,
                     trial.resources->spill_store_bytes);
}

Part why(const InsightSummary& summary) {
  Part part{"why", {}, "no evidence"};
  double known = 0;
  for (const GeneWorth& worth : summary.genes)
    if (worth.share && worth.tested.status == CheckStatus::confirmed) known += *worth.share;
  if (summary.speedup > 1 && known > 0)
    part.lines.push_back({fmt::format("confirmed genes add up to {:.0f} % of the gain of {:.3f}x",
                                      100 * known, summary.speedup),
                          {},
                          "over 100: they overlap; under: together they do more"});
  if (summary.reduced)
    part.lines.push_back(
        {fmt::format("{}: {}", summary.went_back ? "went back" : "can go back", session::back_text(summary)),
         "confirmed",
         fmt::format("{}{} is {}", summary.went_back ? "the run's champion " : "", summary.reduced_variant,
                     times_text(*summary.reduced, summary.kind))});
  for (const ClaimTested& one : summary.claims)
    if (one.claim.kind == ClaimKind::pair && one.claim.effect < 0 &&
        one.tested.status == CheckStatus::confirmed)
      part.lines.push_back(line_of(one, summary));
  if (summary.champion->resources) {
    std::string before;
    if (summary.baseline && summary.baseline->resources &&
        summary.baseline->variant != summary.champion->variant)
      before = "baseline: " + resources_text(*summary.baseline);
    part.lines.push_back({"champion: " + resources_text(*summary.champion), {}, std::move(before)});
  }
  for (const model::CounterReading& reading : summary.profile) {
    for (const model::KernelCounters& kernel : reading.kernels)
      part.lines.push_back({fmt::format("{} on {}", kernel.kernel, kernel.workload),
                            {},
                            evaluators::profile::limit_of(kernel, reading.basis).sentence});
  }
  if (summary.profile.empty())
    part.lines.push_back({"what limits the champion was not counted", {}, "evo profile RUN counts it"});
  if (summary.noise > 0)
    part.lines.push_back(
        {fmt::format("genes and pairs explain latencies to {:.1f} %", 100 * summary.noise),
         {},
         fmt::format("{} correct trials of {}", summary.correct_trials, summary.champion->template_name)});
  return part;
}

/// "dram_percent +12.3 points [+8.1, +16.5]", "l2_sectors -40.1 % [-45.0, -34.8]".
std::string counter_text(const engine::CounterEffects& of, const engine::JointEffect& effect) {
  const auto& [low, high] = effect.interval;
  if (of.relative) return fmt::format("{} {}", of.counter, effect_text(effect.effect, effect.interval));
  const char* unit = of.counter.ends_with("_percent") ? " points" : "";
  return fmt::format("{} {:+.3g}{} [{:+.3g}, {:+.3g}]", of.counter, effect.effect, unit, low, high);
}

/// Effects that are certain, those of one counter together, the clearest first.
Part on_counters(const InsightSummary& summary) {
  Part part{"what genes do to counters", {}, {}};
  for (const engine::CounterEffects& of : summary.counters) {
    std::vector<const engine::JointEffect*> found;
    for (const engine::JointEffect& effect : of.fit.effects)
      if (effect.significant()) found.push_back(&effect);
    std::ranges::stable_sort(
        found, [](const auto* a, const auto* b) { return std::abs(a->effect) > std::abs(b->effect); });
    for (const engine::JointEffect* effect : found) {
      std::string what;
      for (const auto& [gene, value] : effect->values)
        what += (what.empty() ? "" : " with ") + assigned(gene, value);
      const auto& own = summary.champion->genome.values();
      const auto now = own.find(effect->values.begin()->first);
      if (effect->values.size() == 1 && now != own.end())
        what += fmt::format(" (not {})", model::short_edit(model::to_string(now->second)));
      part.lines.push_back({std::move(what), std::string(model::name_of(of.basis)),
                            fmt::format("{}{}, {} of {} counted trials", counter_text(of, *effect),
                                        effect->values.size() > 1 ? " beyond each alone" : "", effect->trials,
                                        of.fit.trials)});
    }
    if (found.empty())
      part.lines.push_back({"no gene is known to change " + of.counter, std::string(model::name_of(of.basis)),
                            fmt::format("{} counted trials", of.fit.trials)});
  }
  return part;
}

Part what_next(const InsightSummary& summary) {
  Part part{"what to try next", {}, "nothing: every value was tried, and none is expected to be faster"};
  for (const session::Suggestion& one : summary.next) part.lines.push_back({one.text, {}, one.evidence});
  return part;
}

std::vector<Part> parts_of(const InsightSummary& summary, bool all) {
  std::vector<Part> parts{what_worked(summary), what_did_not(summary), why(summary)};
  if (!summary.counters.empty()) parts.push_back(on_counters(summary));
  parts.push_back(what_next(summary));
  for (Part& part : parts) {
    if (all || part.lines.size() <= part.most) continue;
    const std::size_t more = part.lines.size() - part.most;
    part.lines.resize(part.most);
    part.lines.push_back({fmt::format("and {} more (--all)", more), {}, {}});
  }
  return parts;
}

std::string heading_of(const InsightSummary& summary) {
  std::string text = fmt::format("generation {}, {} trials", summary.generation, summary.trials);
  if (summary.runs > 1) text += fmt::format(" of {} runs", summary.runs);
  if (!summary.champion) return text + ": nothing is proven, so nothing is known of latencies";
  text += fmt::format(": champion {} of {}, {:.3f}x the baseline ({})", summary.champion->variant,
                      summary.champion->template_name, summary.speedup, model::name_of(summary.kind));
  return text;
}

}  // namespace

std::string insight_screen(const InsightSummary& summary, bool all) {
  std::string text = heading_of(summary) + "\n";
  if (!summary.champion) return text;
  for (const Part& part : parts_of(summary, all)) {
    text += "\n" + part.title + "\n";
    if (part.lines.empty()) text += "  " + part.empty + "\n";
    for (const Line& line : part.lines) {
      std::string row = fmt::format("  {:<46}  {:<12}  {}", line.what, line.status, line.evidence);
      if (line.status.empty()) row = fmt::format("  {:<46}  {}", line.what, line.evidence);
      text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    }
  }
  return text;
}

std::string insight_markdown(const InsightSummary& summary, bool all) {
  std::string text = "### Insights: " + heading_of(summary) + "\n";
  if (!summary.champion) return text;
  for (const Part& part : parts_of(summary, all)) {
    text += fmt::format("\n**{}**\n\n", part.title);
    if (part.lines.empty()) {
      text += part.empty + "\n";
      continue;
    }
    text += "| | tested | evidence |\n|---|---|---|\n";
    for (const Line& line : part.lines)
      text += fmt::format("| {} | {} | {} |\n", line.what, line.status, line.evidence);
  }
  return text;
}

}  // namespace evo::report
