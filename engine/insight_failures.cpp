#include "engine/insight_failures.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/statistics.hpp"

namespace evo::engine {
namespace {

/// A gene value as (gene position << 8 | value position). A conjunction packs up to three of them, ascending,
/// the unused ones last, into 48 bits: there are hundreds per trial, and they are counted in hash tables.
using Item = std::uint16_t;
constexpr Item unused = 0xffff;
constexpr std::size_t most_positions = 255;
using Conjunction = std::uint64_t;

constexpr Conjunction pack(Item a, Item b = unused, Item c = unused) {
  return Conjunction{a} << 32 | Conjunction{b} << 16 | Conjunction{c};
}

std::vector<Item> items_of(Conjunction conjunction) {
  std::vector<Item> items;
  for (const int shift : {32, 16, 0}) {
    const auto item = static_cast<Item>(conjunction >> shift & 0xffff);
    if (item != unused) items.push_back(item);
  }
  return items;
}

bool contains(Conjunction whole, Conjunction part) {
  const std::vector<Item> all = items_of(whole), some = items_of(part);
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// How a trial failed; the empty end stands for those that did not.
using End = std::pair<model::Status, std::string>;

/// A trial that says something: its gene values, and how it ended.
struct Outcome {
  std::vector<Item> items;
  std::size_t end;  ///< position in the list of ends; npos = correct
};
constexpr std::size_t correct = static_cast<std::size_t>(-1);

template <class Visit>
void for_each_conjunction(const std::vector<Item>& items, const Visit& visit) {
  for (std::size_t a = 0; a < items.size(); ++a) {
    visit(pack(items[a]));
    for (std::size_t b = a + 1; b < items.size(); ++b) {
      visit(pack(items[a], items[b]));
      for (std::size_t c = b + 1; c < items.size(); ++c) visit(pack(items[a], items[b], items[c]));
    }
  }
}

std::vector<Outcome> observe(const SearchTemplate& entry, std::span<const TrialRecord> history,
                             std::vector<End>& ends) {
  std::vector<Outcome> observations;
  std::map<End, std::size_t> known;
  for (const TrialRecord& trial : history) {
    if (trial.template_name != entry.kernel_template.name || trial.status == model::Status::duplicate)
      continue;
    Outcome observation{{}, correct};
    const auto& genes = entry.space.genes();
    for (std::size_t g = 0; g < genes.size(); ++g) {
      const auto index = genes[g].index_of(trial.genome.at(genes[g].name));
      if (index && genes[g].values.size() > 1 && g < most_positions && *index < most_positions) {
        observation.items.push_back(static_cast<Item>(g << 8 | *index));
      }
    }
    if (!trial.correct()) {
      const auto [at, fresh] = known.try_emplace({trial.status, trial.reason}, ends.size());
      if (fresh) ends.push_back(at->first);
      observation.end = at->second;
    }
    observations.push_back(std::move(observation));
  }
  return observations;
}

model::Environment values_of(const SearchTemplate& entry, Conjunction conjunction) {
  model::Environment when;
  for (const Item item : items_of(conjunction)) {
    const model::Gene& gene = entry.space.genes()[item >> 8];
    when.insert_or_assign(gene.name, gene.values[item & 0xff]);
  }
  return when;
}

struct Found {
  Conjunction conjunction;
  std::size_t end;
  std::int64_t count, of;
  double lower;
  std::size_t genes;
};

}  // namespace

std::vector<model::FailurePattern> failure_patterns(const SearchTemplate& entry,
                                                    std::span<const TrialRecord> history,
                                                    const InsightSettings& settings) {
  std::vector<End> ends;
  const std::vector<Outcome> observations = observe(entry, history, ends);
  std::vector<std::unordered_map<Conjunction, std::int64_t>> counts(ends.size());
  std::vector<double> base(ends.size(), 0);
  for (const Outcome& observation : observations) {
    if (observation.end == correct) continue;
    base[observation.end] += 1.0 / static_cast<double>(observations.size());
    for_each_conjunction(observation.items, [&](Conjunction c) { ++counts[observation.end][c]; });
  }
  // Totals are only needed for conjunctions under which something failed.
  std::unordered_map<Conjunction, std::int64_t> totals;
  for (const auto& of_end : counts) {
    for (const auto& [conjunction, count] : of_end) totals.emplace(conjunction, 0);
  }
  for (const Outcome& observation : observations) {
    for_each_conjunction(observation.items, [&](Conjunction c) {
      if (const auto at = totals.find(c); at != totals.end()) ++at->second;
    });
  }
  std::vector<Found> found;
  for (std::size_t end = 0; end < ends.size(); ++end) {
    for (const auto& [conjunction, count] : counts[end]) {
      const std::int64_t of = totals.at(conjunction);
      const double lower = wilson_lower(count, of);
      const std::size_t genes = items_of(conjunction).size();
      const double needed = genes == 3 ? settings.minimum_rate_triple : settings.minimum_rate;
      if (lower >= needed && lower > base[end]) found.push_back({conjunction, end, count, of, lower, genes});
    }
  }
  // General before specific, so that a conjunction is dropped when a part of it says the same. The last two
  // keys undo the hash tables' order.
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::make_tuple(a.genes, -a.lower, a.end, a.conjunction) <
           std::make_tuple(b.genes, -b.lower, b.end, b.conjunction);
  });
  std::vector<Found> kept;
  for (const Found& candidate : found) {
    const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Found& general) {
      return general.end == candidate.end && contains(candidate.conjunction, general.conjunction);
    });
    if (!covered) kept.push_back(candidate);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Found& a, const Found& b) { return a.lower > b.lower; });
  if (kept.size() > static_cast<std::size_t>(settings.maximum_patterns)) {
    kept.resize(static_cast<std::size_t>(settings.maximum_patterns));
  }
  std::vector<model::FailurePattern> patterns;
  for (const Found& f : kept) {
    patterns.push_back({{},
                        entry.kernel_template.name,
                        values_of(entry, f.conjunction),
                        ends[f.end].first,
                        ends[f.end].second,
                        f.count,
                        f.of,
                        f.lower});
  }
  return patterns;
}

}  // namespace evo::engine
