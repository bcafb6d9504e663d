// The smallest change of a source that makes it correct.
#pragma once

#include <optional>

#include "diagnose/facts.hpp"
#include "diagnose/leads.hpp"
#include "diagnose/mutants.hpp"
#include "diagnose/roles.hpp"
#include "diagnose/search.hpp"

namespace evo::diagnose {

struct Repair {
  Mutant mutant;
  int tried = 0;
};

/// Tries changes of one place for at most `seconds`: those that `leads` point to first, then the likeliest
/// kinds for `facts`. One that is correct under the conditions of `smallest` must be so under those of
/// `first`, and on the subject's other small workloads, too.
[[nodiscard]] std::optional<Repair> find_repair(Lab& lab, const Roles& roles, const Failing& first,
                                                const Failing& smallest, const Facts& facts,
                                                const std::vector<Lead>& leads, double seconds);

/// heals.KIND, and what stands at its line.
void add_repair_facts(const Repair& repair, const Roles& roles, Facts& facts);

}  // namespace evo::diagnose
