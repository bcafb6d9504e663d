// A/A: copies of the baseline are neither faster nor wrong. What says otherwise would say so of real
// candidates too.
#pragma once

#include <map>
#include <optional>

#include "engine/trial.hpp"
#include "model/problem.hpp"
#include "session/bench_subject.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// Copy `number` of a template: its entry under another name, other white space between its lines, the same
/// tokens otherwise.
[[nodiscard]] model::Template renamed_copy(const model::Template& kernel, int number);

/// What became of the copies. All ratios are of a copy's latency to the baseline's.
struct AaOutcome {
  std::map<model::Status, int> counts;
  int sources = 0;
  int same_code = 0;  ///< of the sources, those whose machine code is the baseline's
  double least_ratio = 0, largest_ratio = 0;
  int paired = 0;  ///< copies that were timed in turn with the baseline
  double least_paired = 0, largest_paired = 0;
  double seconds = 0;
  std::optional<engine::TrialRecord> first_refused;

  [[nodiscard]] int count(model::Status status) const;
  [[nodiscard]] int faster() const { return count(model::Status::better); }
  /// Neither faster, nor slower, nor a tie: some gate refused it.
  [[nodiscard]] int refused() const;
  /// None was faster and none refused.
  [[nodiscard]] bool honest() const { return faster() == 0 && refused() == 0; }
  /// Counts one more copy.
  void add(const engine::TrialRecord& trial, const engine::TrialRecord& baseline);
};

/// The experiment of an A/A and who is copied in it.
struct AaSubject {
  model::Experiment experiment;  ///< its last `sources` templates are the copies
  BenchVariant baseline;
  int sources = 0;
};

/// `copies` copies of the subject's baseline. There are at most 16 distinct sources: each is compiled once
/// and submitted again and again, with all its launches and timings made anew.
[[nodiscard]] AaSubject aa_subject(const BenchSubject& subject, int copies);

struct AaReport {
  engine::TrialRecord baseline;
  /// Of no copy if the baseline is not correct.
  AaOutcome outcome;
  [[nodiscard]] bool baseline_correct() const { return baseline.latency().has_value(); }
};

/// Takes the copies up the whole ladder of `stack` (made for subject.experiment), from legality to the
/// comparison of latencies that decides promotions in a run, `threads` at a time. The search for duplicates,
/// which would reuse the baseline's result, is left out.
[[nodiscard]] AaReport measure_aa(const AaSubject& subject, EvaluationStack& stack, int copies, int threads);

}  // namespace evo::session
