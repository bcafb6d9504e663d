// Which cache policies a candidate may ask for: those that cannot keep lines in the L2 when it has ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluators/gates/module_names.hpp"

namespace evo::evaluators::gates {

struct PolicyFinding {
  const Statement* at = nullptr;
  std::string message;
};

/// A closed list (PTX ISA, 9.7.9.1 and 9.7.9.2, "Cache Operators", "Cache Eviction Priority Hints"): each
/// operator and each priority of the L1, which a launch leaves empty; in the L2 evict_first, evict_normal and
/// evict_unchanged, and prefetches. A policy in a register (L2::cache_hint) has to come from a createpolicy
/// of these, or from the two constants for them that CUTLASS writes (CacheHintSm90). All else is refused:
/// evict_last, policies that are computed, loaded or passed, createpolicy.cvt, discard.
[[nodiscard]] std::vector<PolicyFinding> lasting_policies(const PtxModule& module, const ModuleNames& names);

}  // namespace evo::evaluators::gates
