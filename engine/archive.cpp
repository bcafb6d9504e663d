#include "engine/archive.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "model/archive.hpp"

namespace evo::engine {
namespace {

constexpr int unknown = -1;
constexpr int registers_of_a_bin = 16;
/// Units that may be the busiest: their places are the bins.
constexpr std::array<std::string_view, 14> units{"issue",      "fp32",    "fp64",   "fp16",       "integer",
                                                 "conversion", "special", "tensor", "load_store", "l2_port",
                                                 "latency",    "l2",      "dram",   "launch"};

const std::string* detail(const TrialRecord& trial, std::string_view name) {
  for (const model::Evidence& evidence : trial.evidence) {
    if (evidence.kind != model::behaviour_kind) continue;
    // Of several workloads the first.
    for (const auto& [key, value] : evidence.details) {
      if (key == name) return &value;
    }
    return nullptr;
  }
  return nullptr;
}

/// The power of two that is not above it; 0 for what is below 1.
int power(double number) {
  return number < 1 ? 0 : static_cast<int>(std::log2(number)) + 1;
}

int counted(const TrialRecord& trial, std::string_view name) {
  const std::string* text = detail(trial, name);
  return text == nullptr ? unknown : power(std::strtod(text->c_str(), nullptr));
}

int place_on(const TrialRecord& trial, std::string_view axis) {
  if (axis == "registers") return trial.resources ? trial.resources->registers / registers_of_a_bin : unknown;
  if (axis == "shared_memory")
    return trial.resources ? power(static_cast<double>(trial.resources->static_smem_bytes)) : unknown;
  if (axis == "pipe") {
    const std::string* unit = detail(trial, axis);
    if (unit == nullptr) return unknown;
    return static_cast<int>(std::ranges::find(units, *unit) - units.begin());
  }
  return counted(trial, axis);
}

}  // namespace

Cell cell_of(const TrialRecord& trial, std::span<const std::string> axes) {
  Cell cell;
  for (const std::string& axis : axes) cell.push_back(place_on(trial, axis));
  return cell;
}

std::vector<Candidate> elites_of_cells(std::span<const TrialRecord> history,
                                       std::span<const std::string> axes) {
  std::vector<Candidate> elites;
  std::set<std::pair<std::string, Cell>> taken;
  for (const Candidate& candidate : best_candidates(history, history.size())) {
    if (taken.emplace(candidate.trial->template_name, cell_of(*candidate.trial, axes)).second)
      elites.push_back(candidate);
  }
  return elites;
}

void record_behaviour(TrialRecord& trial, const evaluators::Evaluation& evaluation) {
  if (!trial.correct()) return;
  for (const model::Evidence& note : evaluation.notes) {
    if (note.kind == model::behaviour_kind) trial.evidence.push_back(note);
  }
}

}  // namespace evo::engine
