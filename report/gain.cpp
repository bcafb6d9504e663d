#include "report/gain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/verdicts.hpp"
#include "mutators/proposal.hpp"
#include "report/json_output.hpp"

namespace evo::report {
namespace {

using engine::TrialRecord;

/// The whole interval has to lie outside of 1 by more than `margin`.
Verdict verdict_of(const std::array<double, 2>& speedup, double margin) {
  if (speedup[0] > 1 + margin) return Verdict::better;
  if (speedup[1] < 1 / (1 + margin)) return Verdict::worse;
  return Verdict::tie;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return "better";
    case Verdict::tie:
      return "tie";
    case Verdict::worse:
      return "worse";
    case Verdict::unknown:
      return "unknown";
  }
  return "?";
}

Gain gain_of(const TrialRecord& before, const TrialRecord& after, double resolution) {
  Gain gain;
  const auto old = before.latency(), now = after.latency();
  if (!old || !now || !(now->microseconds > 0)) return gain;
  gain.speedup = old->microseconds / now->microseconds;
  if (after.paired && after.paired->incumbent == before.variant && after.paired->interval[0] > 0) {
    gain.speedup = 1 / after.paired->ratio;
    gain.interval = {1 / after.paired->interval[1], 1 / after.paired->interval[0]};
    gain.verdict = verdict_of(*gain.interval, resolution);
    gain.method = "in_turn";
  } else if (now->kind == model::LatencyKind::modelled && old->kind == model::LatencyKind::modelled) {
    gain.verdict = verdict_of({*gain.speedup, *gain.speedup}, 0);
    gain.method = "modelled";
  } else if (old->ci95 && now->ci95 && (*now->ci95)[0] > 0) {
    gain.interval = {(*old->ci95)[0] / (*now->ci95)[1], (*old->ci95)[1] / (*now->ci95)[0]};
    gain.verdict = verdict_of(*gain.interval, engine::drift);
    gain.method = "intervals";
  }
  return gain;
}

boost::json::object to_json(const Gain& gain) {
  boost::json::value interval = nullptr;
  if (gain.interval) interval = boost::json::array{(*gain.interval)[0], (*gain.interval)[1]};
  return {{"speedup", gain.speedup ? boost::json::value(*gain.speedup) : boost::json::value(nullptr)},
          {"ci95", interval},
          {"verdict", name_of(gain.verdict)},
          {"method", gain.method}};
}

boost::json::array path_to_json(const std::vector<TrialRecord>& trials, const TrialRecord& champion,
                                double resolution) {
  std::map<std::string, const TrialRecord*> first;  // a variant's own trial; later ones are duplicates
  for (const TrialRecord& trial : trials) first.try_emplace(trial.variant, &trial);
  std::vector<const TrialRecord*> path;
  std::set<const TrialRecord*> seen;
  for (const TrialRecord* trial = &champion; trial != nullptr && seen.insert(trial).second;) {
    path.push_back(trial);
    const auto parent = trial->parents.empty() ? first.end() : first.find(trial->parents.front());
    trial = parent == first.end() ? nullptr : parent->second;
  }
  std::reverse(path.begin(), path.end());
  boost::json::array steps;
  const TrialRecord* before = nullptr;
  for (const TrialRecord* trial : path) {
    boost::json::value against = nullptr;
    std::string changes;
    if (before != nullptr) {
      against = to_json(gain_of(*before, *trial, resolution));
      changes = before->template_name == trial->template_name
                    ? mutators::describe_changes(before->genome, trial->genome)
                    : "template " + before->template_name + " -> " + trial->template_name;
    }
    steps.push_back({{"trial", trial->index},
                     {"changes", changes},
                     {"against_parent", against},
                     {"in_turn", paired_to_json(trial->paired)}});
    before = trial;
  }
  return steps;
}

}  // namespace evo::report
