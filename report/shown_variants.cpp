#include "report/shown_variants.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/hash.hpp"
#include "session/variants.hpp"

namespace evo::report {
namespace {

using engine::TrialRecord;

constexpr std::size_t most_of_the_fastest = 50;

/// Whose sources people open: in this order, each once.
std::vector<const TrialRecord*> wanted(const RunView& view) {
  const std::vector<TrialRecord>& trials = view.ledger.trials;
  std::vector<const TrialRecord*> list;
  std::set<std::string> known;
  const auto add = [&](const TrialRecord& trial) {
    if (known.insert(trial.variant).second) list.push_back(&trial);
  };
  if (const TrialRecord* champion = view.champion()) add(*champion);
  if (const TrialRecord* baseline = view.baseline()) add(*baseline);
  // First parents first, from the champion back: its path is what people walk along.
  std::map<std::string, const TrialRecord*> first;
  for (const TrialRecord& trial : trials) first.try_emplace(trial.variant, &trial);
  for (const TrialRecord* at = view.champion(); at != nullptr && !at->parents.empty();) {
    const auto parent = first.find(at->parents.front());
    at = parent == first.end() || known.contains(parent->first) ? nullptr : parent->second;
    if (at != nullptr) add(*at);
  }
  if (const TrialRecord* champion = view.champion()) {
    const auto path = session::ancestors(trials, champion->variant);
    std::set<std::string> ids;
    for (const TrialRecord& ancestor : path) ids.insert(ancestor.variant);
    for (const TrialRecord& trial : trials)
      if (ids.contains(trial.variant)) add(trial);
  }
  std::set<std::string> ways;
  for (const TrialRecord& trial : trials)
    if (!trial.evidence.empty() && ways.insert(trial.template_name + ' ' + trial.reason).second) add(trial);
  std::vector<const TrialRecord*> fastest;
  for (const TrialRecord& trial : trials)
    if (trial.correct() && trial.latency()) fastest.push_back(&trial);
  std::stable_sort(fastest.begin(), fastest.end(), [](const TrialRecord* a, const TrialRecord* b) {
    return a->latency()->microseconds < b->latency()->microseconds;
  });
  if (fastest.size() > most_of_the_fastest) fastest.resize(most_of_the_fastest);
  for (const TrialRecord* trial : fastest) add(*trial);
  return list;
}

void make_again(const RunView& view, ShownVariants& shown, std::vector<std::string>& notices) {
  std::int64_t changed = 0;
  for (const TrialRecord* trial : wanted(view)) {
    const engine::SearchTemplate* entry = shown.space.find(trial->template_name);
    if (entry == nullptr) {
      ++shown.unknown;
      continue;
    }
    model::Variant variant = model::make_variant(entry->kernel_template, entry->space, trial->genome);
    if (variant.id != trial->variant || model::sha256(variant.source) != trial->source_hash)
      ++changed;
    else
      shown.list.push_back({trial, entry, std::move(variant)});
  }
  if (changed > 0)
    notices.push_back(fmt::format(
        "the problem's files changed since the run: the sources of {} variants are not shown", changed));
}

}  // namespace

ShownVariants shown_variants(const RunView& view, std::vector<std::string>& notices) {
  ShownVariants shown;
  if (!view.has_experiment) return shown;
  try {
    shown.space = engine::make_search_space(view.experiment);
    make_again(view, shown, notices);
  } catch (const std::exception& error) {
    notices.push_back(fmt::format("the sources cannot be made again: {}", error.what()));
  }
  return shown;
}

}  // namespace evo::report
