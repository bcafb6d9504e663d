// The evaluator's self-test: before a run trusts its verdicts, it asks for some that it knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluators/compile/compiler.hpp"
#include "evaluators/gates/device_job.hpp"
#include "model/experiment.hpp"

namespace evo::evaluators::selftest {

struct Check {
  std::string name;  ///< "null zeros", "good", "fast and slow", "argument Q", ...
  bool pass = false;
  std::string message;  ///< what was seen; one sentence
  double milliseconds = 0;
  std::string argument{};             ///< that it asks about; "": none
  bool reference_not_finite = false;  ///< no kernel can be correct: the reference gives NaN or infinity
};

struct Report {
  std::vector<Check> checks;
  [[nodiscard]] bool pass() const;
  [[nodiscard]] const Check* first_failure() const;  ///< nullptr when all passed
};

struct Subject {
  const model::Experiment& experiment;
  compile::Compiler& compiler;
  gates::JobRunner& runner;
  const oracle::Catalogue& known;  ///< what the runner knows
  std::uint64_t input_seed = 0;
  /// Text of the problem's reference.cu; empty if it has none: the baseline is then the good kernel.
  std::string reference;
  /// The baseline goes up the whole ladder directly after this, as the first trial of a run: where it is the
  /// good kernel, that answer is not asked for twice.
  bool baseline_follows = false;
};

/// All of it is derived from the problem, on the small check workload with the most dimensions above 1:
///   null *         candidates that do no work (nothing, zeros, ones, NaN, a copy of an input, twice an
///   input)
///                  are refused as wrong, for the reason that is theirs
///   good           the reference kernel, or else the baseline, passes; also with each floating-point scalar
///                  changed, so that a scalar does reach the kernel
///   fast and slow  two correct kernels of the same name, alternately, and the slow one is measured (or
///   modelled)
///                  as slower every time: a stale binary, or a clock that measures something else, shows
///   argument X     an answer to another X would be refused: another draw of an input, another value of a
///                  scalar. A scalar that the oracle does not read must be a size or a stride of an array.
///   mistake *      the answer of an oracle with a mistake in it would be refused: a term dropped, an index
///   off
///                  by one, inputs swapped, an output transposed (mistakes.cpp)
/// Throws model::Exception when the environment breaks; a compiler that refuses a generated kernel is a
/// failed check.
[[nodiscard]] Report run(const Subject& subject);

/// Part of the key of a cached success: raised whenever the self-test asks more.
inline constexpr int version = 2;

}  // namespace evo::evaluators::selftest
