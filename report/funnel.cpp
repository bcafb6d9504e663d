#include "report/funnel.hpp"

#include <algorithm>

namespace evo::report {
namespace {

constexpr std::array ladder{model::Gate::legality, model::Gate::compile,     model::Gate::resources,
                            model::Gate::sanitize, model::Gate::correctness, model::Gate::latency,
                            model::Gate::profile};

/// Only experiments that bound counters have the last gate.
bool has_profile_gate(const engine::TrialRecord& trial) {
  return std::any_of(trial.gates.begin(), trial.gates.end(),
                     [](const engine::GateRecord& record) { return record.gate == model::Gate::profile; });
}

}  // namespace

Funnel::Funnel() {
  stages_.emplace_back().name = "proposed";
  for (const model::Gate gate : ladder) stages_.emplace_back().name = model::name_of(gate);
  stages_.emplace_back().name = "better";
}

void Funnel::add(const engine::TrialRecord& trial) {
  const std::pair how(std::string(model::name_of(trial.status)), trial.reason);
  const auto leave = [&how](Stage& stage, bool passes) {
    ++stage.reached;
    if (passes)
      ++stage.passed;
    else
      ++stage.failed[how];
  };
  leave(stages_.front(), trial.status != model::Status::duplicate);
  if (trial.status == model::Status::duplicate) return;
  profiled_ = profiled_ || has_profile_gate(trial);
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    const bool ends = trial.gate == ladder.at(i);
    leave(stages_.at(i + 1), !ends);
    if (ends) break;
  }
  // The baseline has nothing to be better than.
  if (trial.gate || !trial.correct() || trial.status == model::Status::proven) return;
  leave(stages_.back(), trial.status == model::Status::better);
}

std::vector<Funnel::Stage> Funnel::stages() const {
  std::vector<Stage> shown = stages_;
  if (!profiled_)
    std::erase_if(shown,
                  [](const Stage& stage) { return stage.name == model::name_of(model::Gate::profile); });
  return shown;
}

boost::json::array to_json(const Funnel& funnel) {
  boost::json::array list;
  for (const Funnel::Stage& stage : funnel.stages()) {
    boost::json::array failed;
    for (const auto& [how, count] : stage.failed)
      failed.push_back({{"status", how.first}, {"reason", how.second}, {"count", count}});
    list.push_back({{"gate", stage.name},
                    {"reached", stage.reached},
                    {"passed", stage.passed},
                    {"failed", std::move(failed)}});
  }
  return list;
}

}  // namespace evo::report
