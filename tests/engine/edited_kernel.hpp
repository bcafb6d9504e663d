// A kernel with barriers that nothing needs and one that is needed, and an evaluator that knows which.
#pragma once

#include <string>

#include "model/edits.hpp"
#include "model/variant.hpp"
#include "mutators/source_operators.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {

inline const std::string edited_kernel =
    "extern \"C\" __global__ void simple(float* x) {\n"
    "  __shared__ float s[64];\n"
    "  __syncthreads();\n"
    "  s[threadIdx.x] = x[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  float y = s[63 - threadIdx.x];\n"
    "  __syncthreads();\n"
    "  x[threadIdx.x] = y;\n"
    "  __syncthreads();\n"
    "}\n";

inline model::Experiment edits_experiment() {
  model::Experiment experiment = testing::small_experiment();
  model::Template kernel = testing::small_template("simple", testing::simple_space());
  kernel.source = edited_kernel;
  experiment.problem.templates = {kernel};
  experiment.baseline_template = "simple";
  experiment.baseline = kernel.space.initial();
  experiment.search.population = 10;
  experiment.search.generations = 16;
  for (const char* gene : {"gene_mutation", "uniform_crossover", "insight_guided", "sync_mutation",
                           "neighbour", "random_immigrant"})
    experiment.search.mutators[gene] = 0;
  experiment.search.mutators["source_edits"] = 1;
  return experiment;
}

inline std::size_t barriers_in(const std::string& source) {
  std::size_t count = 0;
  for (std::size_t at = source.find("__syncthreads"); at != std::string::npos;
       at = source.find("__syncthreads", at + 1))
    ++count;
  return count;
}

/// A race unless a barrier stands between the write (line 4) and the read (line 6).
inline std::optional<model::Failure> race(const model::Variant& variant) {
  const std::size_t write = variant.source.find("s[threadIdx.x] = "), read = variant.source.find("s[63 - ");
  if (write == std::string::npos || read == std::string::npos)
    return model::Failure{model::Status::wrong, "mismatch", {}};
  const std::size_t barrier = variant.source.find("__syncthreads", write);
  if (write < read && barrier < read) return std::nullopt;
  model::Evidence evidence{"race_shared", "two accesses", "simple.cu", 4, {}};
  evidence.details = {{"thread", "block (0,0,0) thread (0,0,0)"},
                      {"other_thread", "block (0,0,0) thread (63,0,0)"},
                      {"other_file", "simple.cu"},
                      {"other_line", "6"}};
  return model::Failure{model::Status::sanitizer_fail, "race_shared", {evidence}};
}

inline void judge_barriers(testing::FakeEvaluator& evaluator) {
  evaluator.latency = [](const model::Variant& variant) {
    return 10.0 + static_cast<double>(barriers_in(variant.source));
  };
  evaluator.identity = [](const model::Variant& variant) { return variant.source; };
  evaluator.fails_correctness = race;
}

}  // namespace evo::engine
