// Is each barrier of a kernel needed? Each is taken out in turn, and what is left goes up the ladder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnose/barrier_sites.hpp"
#include "evaluators/evaluator.hpp"
#include "model/problem.hpp"
#include "model/verdict.hpp"

namespace evo::diagnose {

enum class BarrierVerdict : std::uint8_t {
  needed,     ///< without it the sanitize gate refuses: the finding is what it prevents
  unseen,     ///< without it a later gate refuses, but the sanitize gate does not: its shapes show no race
  redundant,  ///< without it every gate passes, on everything that was executed
  inert,  ///< without it the compiler makes the same code: it is not in this genome's text, or does nothing
  unsettled,  ///< without it the kernel does not compile, or ends in a way that says nothing about order
};
[[nodiscard]] std::string_view name_of(BarrierVerdict verdict);

struct BarrierFinding {
  BarrierSite site;
  BarrierVerdict verdict = BarrierVerdict::unsettled;
  model::Status status = model::Status::proven;  ///< of the kernel without it
  std::string gate, reason;                      ///< where it was refused; empty where it was not
  std::vector<model::Evidence> evidence;         ///< the first finding of that gate
};

/// A finding for each barrier in the template's source (not in its headers), in the order of the source. The
/// kernel as it is has been proven by `evaluator` under the same template name and genome; `as_it_is` is its
/// identity (Prepared::code_identity). Takes a trip up the ladder a barrier.
[[nodiscard]] std::vector<BarrierFinding> audit_barriers(evaluators::Evaluator& evaluator,
                                                         const model::Template& kernel,
                                                         const model::Space& bound_space,
                                                         const model::Genome& genome,
                                                         const std::string& as_it_is);

}  // namespace evo::diagnose
