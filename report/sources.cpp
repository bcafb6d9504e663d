#include "report/sources.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/search_space.hpp"
#include "model/hash.hpp"
#include "model/variant.hpp"
#include "session/variants.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;
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
    if (trial.right() && trial.latency()) fastest.push_back(&trial);
  std::stable_sort(fastest.begin(), fastest.end(), [](const TrialRecord* a, const TrialRecord* b) {
    return a->latency()->microseconds < b->latency()->microseconds;
  });
  if (fastest.size() > most_of_the_fastest) fastest.resize(most_of_the_fastest);
  for (const TrialRecord* trial : fastest) add(*trial);
  return list;
}

/// Lines that many sources share, each once; a source is runs of them.
class Lines {
 public:
  json::array parts_of(std::string_view source) {
    json::array parts;
    std::int64_t first = -1, count = 0;
    const auto flush = [&] {
      if (count > 0) parts.push_back(json::array{first, count});
    };
    while (!source.empty()) {
      const std::size_t end = std::min(source.find('\n'), source.size());
      const std::int64_t line = number(source.substr(0, end));
      if (count == 0 || line != first + count) {
        flush();
        first = line;
        count = 0;
      }
      ++count;
      source.remove_prefix(std::min(end + 1, source.size()));
    }
    flush();
    return parts;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] json::array take() { return std::move(lines_); }

 private:
  std::int64_t number(std::string_view line) {
    const auto [found, added] =
        numbers_.try_emplace(std::string(line), static_cast<std::int64_t>(lines_.size()));
    if (added) {
      lines_.emplace_back(line);
      bytes_ += line.size() + 4;
    }
    return found->second;
  }
  std::unordered_map<std::string, std::int64_t> numbers_;
  json::array lines_;
  std::size_t bytes_ = 0;
};

}  // namespace

json::object sources_of(const RunView& view, std::size_t bytes, std::vector<std::string>& notices) {
  Lines lines;
  json::array list;
  std::int64_t left_out = 0, changed = 0;
  std::size_t used = 0;
  if (view.has_experiment) {
    try {
      const engine::SearchSpace space = engine::make_search_space(view.experiment);
      for (const TrialRecord* trial : wanted(view)) {
        const engine::SearchTemplate* entry = space.find(trial->template_name);
        if (entry == nullptr || lines.bytes() + used > bytes) {
          ++left_out;
          continue;
        }
        const model::Variant variant = model::make_variant(entry->kernel, entry->space, trial->genome);
        if (variant.id != trial->variant || model::sha256(variant.source) != trial->source_hash) {
          ++changed;
          continue;
        }
        json::array parts = lines.parts_of(variant.source);
        used += parts.size() * 8;
        list.push_back({{"trial", trial->index}, {"source", std::move(parts)}});
      }
    } catch (const std::exception& error) {
      notices.push_back(fmt::format("the sources cannot be made again: {}", error.what()));
    }
  }
  if (changed > 0)
    notices.push_back(fmt::format(
        "the problem's files changed since the run: the sources of {} variants are not shown", changed));
  return {{"lines", lines.take()}, {"of", std::move(list)}, {"left_out", left_out}};
}

}  // namespace evo::report
