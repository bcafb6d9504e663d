#include "session/insight_rules.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace evo::session {
namespace {

using engine::TrialRecord;

/// The value of a gene, other than `claimed`, that most correct trials have.
std::optional<model::Value> proven_other(std::span<const TrialRecord> trials, const TrialRecord& champion,
                                         const std::string& gene, const model::Value& claimed) {
  std::map<model::Value, int> count;
  for (const TrialRecord& trial : trials) {
    const auto own = trial.genome.values().find(gene);
    if (trial.template_name == champion.template_name && trial.correct() &&
        own != trial.genome.values().end() && own->second != claimed)
      ++count[own->second];
  }
  const auto most = std::max_element(count.begin(), count.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == count.end() ? std::nullopt : std::optional(most->first);
}

}  // namespace

bool has_value(const model::Environment& values, const std::string& gene, const model::Value& value) {
  const auto own = values.find(gene);
  return own != values.end() && own->second == value;
}

bool has_genes(const TrialRecord& champion, const model::Environment& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const auto& gene) { return champion.genome.values().contains(gene.first); });
}

std::string end_of(model::Status status, const std::string& reason) {
  return status == model::Status::illegal ? "illegal: " + reason
                                          : fmt::format("{} ({})", model::name_of(status), reason);
}

bool matches(const TrialRecord& trial, const TrialRecord& champion, const model::Environment& values) {
  return trial.template_name == champion.template_name &&
         std::all_of(values.begin(), values.end(), [&](const auto& one) {
           return has_value(trial.genome.values(), one.first, one.second);
         });
}

std::optional<model::Environment> without(const Claim& claim, const std::string& gene,
                                          const TrialRecord& champion, std::span<const TrialRecord> trials) {
  model::Environment part = claim.values;
  if (has_value(champion.genome.values(), gene, claim.values.at(gene))) {
    const auto other = proven_other(trials, champion, gene, claim.values.at(gene));
    if (!other) return std::nullopt;
    part.insert_or_assign(gene, *other);
  } else {
    part.erase(gene);
  }
  std::erase_if(part,
                [&](const auto& one) { return has_value(champion.genome.values(), one.first, one.second); });
  return part;
}

const InsightCheck* find_made(const std::vector<InsightCheck>& made, const model::Environment& to) {
  const auto found =
      std::find_if(made.begin(), made.end(), [&](const InsightCheck& check) { return check.to == to; });
  return found == made.end() ? nullptr : &*found;
}

}  // namespace evo::session
