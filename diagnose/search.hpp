// From "it fails somewhere" to the smallest conditions under which it still fails in the same way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/lab.hpp"

namespace evo::diagnose {

struct Failing {
  Setup setup;
  Observation seen;
};

/// Tries the subject's workloads, cheapest first: one launch on each input set, then several launches into
/// the same buffers, then other orders of warps and blocks, then shapes that nobody declared. nullopt when
/// nothing fails. `notes` gets what was left out.
[[nodiscard]] std::optional<Failing> find_failure(Lab& lab, std::vector<std::string>& notes);

/// The largest of the moderate workloads that fails with the same status: more tiles and elements tell more
/// mistakes apart than the smallest shape does. `failing` itself where there is none.
[[nodiscard]] Failing find_telling(Lab& lab, const Failing& failing);

/// One step of a reduction, for the report.
struct Reduction {
  std::string what;  ///< "columns"
  std::string from, to;
  std::string passes;  ///< a smaller value that was seen to pass; may be empty
};

/// Shrinks every run-time axis in turn until none shrinks any more, then the input set to the first that
/// fails too, then the launches. `failing` becomes the last that failed in the same way.
[[nodiscard]] std::vector<Reduction> reduce_shape(Lab& lab, Failing& failing);

/// Rows of inputs that matter: all others are zeros and it still fails. One text an input: "K: rows 0, 64 of
/// 65". For wrong results only; empty otherwise.
[[nodiscard]] std::vector<std::string> reduce_inputs(Lab& lab, const Failing& failing);

}  // namespace evo::diagnose
