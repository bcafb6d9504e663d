// Records with every field filled, odd characters included.
#pragma once

#include "engine/ledger.hpp"
#include "engine/record_hash.hpp"

namespace evo::engine {

/// Of two workloads and a comparison; what floats of 32 bits hold.
inline std::vector<model::SampleSeries> sample_samples() {
  return {{"w1", "", {5.25, 5.5, static_cast<float>(1.0 / 3)}},
          {"w \"2\"", "", {1}},
          {"w1", model::candidate_side, {4.5, 4.25}},
          {"w1", model::incumbent_side, {5, 5.125}}};
}

inline RunMeta sample_meta() {
  return {"name: \"x\"\n",
          "e-hash",
          "p-hash",
          "NVRTC 13.0",
          "cuda",
          "NVIDIA H200",
          "580.1",
          model::LatencyKind::measured,
          18446744073709551615ULL,
          9223372036854775808ULL,
          "0.1.0"};
}

inline TrialRecord sample_trial(std::int64_t index) {
  TrialRecord trial;
  trial.index = index;
  trial.generation = static_cast<int>(index / 4);
  trial.slot = static_cast<int>(index % 4);
  trial.variant = "v" + std::to_string(index);
  trial.template_name = "scalar";
  trial.genome.set("BLOCK_M", std::int64_t{64});
  trial.genome.set("S_DTYPE", std::string("half"));
  trial.parents = {"v0", "p\"quoted\"\n"};
  trial.operator_name = "uniform_crossover";
  trial.rationale = "follows g3-e12, h\xc3\xa4lt";
  trial.predicted_effect = -0.1234567890123456789;
  trial.status = model::Status::wrong;
  trial.gate = model::Gate::correctness;
  trial.reason = "mismatch";
  trial.evidence = {
      {"comparison", "O[3] is 1, not 2", "scalar.cu", 42, {{"thread", "block (0,0,0)"}, {"a", ""}}}};
  trial.gates = {{model::Gate::legality, true, 0.1}, {model::Gate::correctness, false, 1.0 / 3}};
  trial.paired = model::PairedComparison{"incumbent", 1.0 / 3, {0.3, 0.4}, 0.999, 16, 1.0 / 7000};
  trial.paired->timing = model::TimingNotes{{true, 2, 1, {"power cap", "thermal slowdown"}},
                                            {{"w1", model::incumbent_side, {"drifting"}}}};
  trial.timing = model::TimingNotes{{false, 0, 3, {"power cap"}}, {{"w \"2\"", "", {"bimodal", "drifting"}}}};
  trial.samples_hash = hash_of(sample_samples());
  trial.latencies = {{"w1", 0.3, {model::LatencyKind::measured, 1.0 / 7, {{0.1, 0.2}}, 60, "graph"}},
                     {"w2", 1, {model::LatencyKind::modelled, 2.5e-300, std::nullopt, 0, "model v1"}}};
  trial.resources = model::ResourceUsage{40, 8, 12, 16, 4096, 380, 2};
  trial.code_identity = "c0de";
  trial.duplicate_of = "v0";
  trial.source_hash = "50ce";
  trial.device_seconds = 0.1;
  trial.elapsed_seconds = 12.25;
  trial.work = WorkRecord{"host-17", "NVIDIA H200", 1.0 / 3};
  return trial;
}

/// A trial with everything optional left out.
inline TrialRecord bare_trial(std::int64_t index) {
  TrialRecord trial;
  trial.index = index;
  trial.variant = "bare";
  trial.status = model::Status::duplicate;
  return trial;
}

inline GenerationRecord sample_generation(int number) {
  return {number, 4, "v2", 12.5, 0.25, 1.5, 0.75, {{"better", 1}, {"wrong", 3}}};
}

inline model::Insights sample_insights(int generation) {
  const std::string prefix = "g" + std::to_string(generation);
  model::Insights insights;
  insights.generation = generation;
  insights.trials = 9;
  insights.effects = {{prefix + "-e1", "scalar", "BLOCK_M", std::int64_t{64}, -0.1, {-0.2, 1.0 / 3}, 5},
                      {prefix + "-e2", "scalar", "S_DTYPE", std::string("half"), 0.1, {0.05, 0.2}, 6}};
  insights.failures = {{prefix + "-f1",
                        "scalar",
                        {{"BLOCK_M", std::int64_t{64}}, {"S_DTYPE", std::string("half")}},
                        model::Status::over_budget,
                        "spills",
                        14,
                        14,
                        0.78}};
  return insights;
}

inline EventRecord sample_event(std::int64_t trial) {
  return {event_kinds::compile_timeout, trial, {{"reason", "time"}, {"k\"", "v\n"}}};
}

}  // namespace evo::engine
