// What a run has shown of the barriers of its kernels: which of them nothing that ran needs, and which are
// needed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/search_space.hpp"
#include "engine/trial.hpp"

namespace evo::engine {

/// A barrier of a template's text that some variant did without.
struct BarrierClaim {
  std::string template_name;
  std::string anchor;
  std::string text;          ///< the statement; empty where the text has it no longer
  int line = 0;              ///< in the template's source; 0: not known
  bool needed = false;       ///< without it, and with no other edit, a variant was refused
  std::int64_t trial = 0;    ///< the first that says so
  std::string reason;        ///< of a needed one: the finding, as race_shared
  std::int64_t without = 0;  ///< variants that passed every gate without it
};

/// In the order of templates and lines. A barrier is not needed if a variant without it passed every gate;
/// what was executed then is in that trial's coverage. `space` may be null: then there are no lines and
/// texts.
[[nodiscard]] std::vector<BarrierClaim> barrier_claims(std::span<const TrialRecord> trials,
                                                       const SearchSpace* space);

}  // namespace evo::engine
