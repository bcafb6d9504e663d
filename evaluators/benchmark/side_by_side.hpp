// Contenders timed side by side: the same case on the same device, in interleaved rounds, each output checked
// before its number is shown.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "evaluators/benchmark/contender.hpp"
#include "evaluators/benchmark/sampled_reference.hpp"
#include "evaluators/gates/cold_sets.hpp"

namespace evo::evaluators::benchmark {

struct Protocol {
  int rounds = 8;             ///< in each, every contender has one turn; who begins changes
  int samples = 8;            ///< a turn, for kernels that are fast enough
  int launches = 20;          ///< at least, in the graph of a sample
  double turn_seconds = 0.1;  ///< slower contenders give fewer samples a turn, at least one
  /// A sample that would take longer has fewer launches, one for each buffer set at least. 0: never.
  double sample_seconds = 0;
  std::int64_t l2_bytes = 0;
  bool cold = true;
  /// What contenders that add up in tensor cores may be off by besides (SampledReference::check()).
  double cut_off = 0;
};

/// Samples of all rounds.
struct Timed {
  int sets = 1, launches = 1;
  std::vector<double> samples_us;  ///< a launch
  double median_us = 0;
  std::array<double, 2> ci95{};  ///< bootstrap interval of the median
};

struct Standing {
  std::string contender;
  std::string unavailable;           ///< why there are no numbers; empty otherwise
  std::optional<OutputCheck> check;  ///< nullopt for what computes nothing (the launch floor)
  std::optional<Timed> hot, cold;
  std::string method;
};

struct Entry {
  Contender* contender = nullptr;
  bool computes = true;  ///< false: the launch floor, whose output nobody checks
};

/// One standing an entry, in their order. Hot: buffer sets that fit the L2 together (at most eight, at least
/// one). Cold: gates::cold_plan(). A contender that
/// fails, or whose output is wrong, gets no number and does not stop the others.
[[nodiscard]] std::vector<Standing> measure_side_by_side(
    const std::vector<Entry>& entries, const model::Case& bound, const oracle::InputBuffers& inputs,
    const SampledReference& reference, const model::Tolerance& tolerance, const Protocol& protocol);

/// What a case of `bytes` a set takes.
struct BufferSets {
  int hot = 1;
  gates::ColdPlan cold;
};
[[nodiscard]] BufferSets buffer_sets(std::int64_t bytes, std::int64_t l2_bytes);

}  // namespace evo::evaluators::benchmark
