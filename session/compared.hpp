// The two sides of `evo compare`, whatever a person names: a run, an export, a stored baseline, an experiment
// or a source.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session/bench_subject.hpp"
#include "session/source_experiment.hpp"

namespace evo::session {

/// One kernel that is compared.
struct Compared {
  std::string given;  ///< as it was named
  std::string kind;   ///< "run", "export", "baseline", "experiment" or "source"
  model::Experiment experiment;
  BenchVariant variant;
  /// Of a stored baseline: the medians that were stored with it, by workload, and where they were taken.
  std::map<std::string, double> stored_us{};
  std::string stored_kind{}, stored_device{};
  std::string path{};                ///< the file or folder, without @VARIANT
  std::vector<std::string> notes{};  ///< what whoever compares it should know
  /// What its own timings find in the L2: of a run or an experiment its gates.cache, of an export and a
  /// stored baseline what they were written with; empty: nobody says.
  std::string own_cache{};
};

/// Reads both. A side is RUN or RUN@VARIANT (default: the champion), a folder that `evo export` wrote, a file
/// that `evo baseline save` wrote, an experiment.yaml (its baseline), or a CUDA source. A source takes
/// problem, template and genes from `request`, else from the other side; a stored baseline and an export look
/// for their problem in the same places, then where it stood when they were written
/// (session/stored_problem.hpp). Both get the workloads of `request`, else of the first side, and the first
/// side's target unless the request names one. Throws model::Exception: (usage) for what nobody knows, or
/// sides that do not compute the same; (invalid_configuration) for files that cannot be read.
[[nodiscard]] std::array<Compared, 2> read_compared(const std::string& first, const std::string& second,
                                                    const SourceRequest& request);

/// Whether what is timed finds nothing of its buffers in the L2: as `asked` says ("hot", "cold"), or where
/// that is empty as the side's own timings did.
[[nodiscard]] bool times_cold(const Compared& first, const std::string& asked);

/// One side alone, for `evo baseline save`.
[[nodiscard]] Compared read_compared(const std::string& subject, const SourceRequest& request);

}  // namespace evo::session
