#include "engine/operator_counts.hpp"

#include <algorithm>
#include <map>

#include "model/edits.hpp"

namespace evo::engine {
namespace {

bool passed(const TrialRecord& trial, model::Gate gate) {
  return std::any_of(trial.gates.begin(), trial.gates.end(),
                     [&](const GateRecord& record) { return record.gate == gate && record.pass; });
}

void count(OperatorCounts& counts, const TrialRecord& trial) {
  using model::Status;
  ++counts.proposed;
  if (trial.status == Status::parse_error || trial.status == Status::illegal) return;
  ++counts.parsed;
  if (!passed(trial, model::Gate::compile)) return;
  ++counts.compiled;
  if (trial.status == Status::duplicate) return;
  ++counts.changed;
  if (!passed(trial, model::Gate::sanitize)) return;
  ++counts.sanitized;
  if (!trial.correct()) return;
  ++counts.correct;
  if (trial.status == Status::better) ++counts.faster;
}

}  // namespace

std::vector<OperatorCounts> operator_counts(std::span<const TrialRecord> trials) {
  std::map<std::string, OperatorCounts> known;
  for (const TrialRecord& trial : trials) {
    const std::size_t plus = trial.operator_name.rfind('+');
    const std::string name =
        plus == std::string::npos ? trial.operator_name : trial.operator_name.substr(plus + 1);
    count(known[name], trial);
  }
  std::vector<OperatorCounts> result;
  for (auto& [name, counts] : known) {
    counts.name = name;
    result.push_back(std::move(counts));
  }
  return result;
}

bool has_edits(std::span<const TrialRecord> trials) {
  return std::any_of(trials.begin(), trials.end(),
                     [](const TrialRecord& trial) { return !model::edits_of(trial.genome).empty(); });
}

std::vector<EditShare> edit_shares(std::span<const TrialRecord> trials, const TrialRecord& variant) {
  const source::Edits edits = model::edits_of(variant.genome);
  std::vector<EditShare> shares;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    source::Edits rest = edits;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    const model::Genome genome = model::with_edits(variant.genome, rest);
    EditShare share{edits[i], nullptr, std::nullopt};
    for (const TrialRecord& trial : trials) {
      if (trial.template_name != variant.template_name || trial.genome != genome) continue;
      share.without = &trial;
      const auto with = variant.latency(), without = trial.latency();
      if (with && without) share.factor = without->microseconds / with->microseconds;
      break;
    }
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace evo::engine
