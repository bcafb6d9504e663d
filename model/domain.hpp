// Sizes for which a genome's kernel is written: `shapes` of a template.
#pragma once

#include <optional>
#include <string>

#include "model/problem.hpp"

namespace evo::model {

/// Why the workload lies outside of the genome's domain: "m % TILE == 0 does not hold for m=100, TILE=64";
/// nullopt where it lies within, or the template names no domain. `values` are the genes and fixed names.
[[nodiscard]] std::optional<std::string> domain_violation(const Problem& problem, const Template& kernel,
                                                          const Environment& values,
                                                          const Workload& workload);

/// The workload itself where it lies within the domain; otherwise with the nearest sizes of its free axes
/// (neither compile-time nor with a list of values) that do. nullopt where none is near.
[[nodiscard]] std::optional<Workload> within_domain(const Problem& problem, const Template& kernel,
                                                    const Environment& values, Workload workload);

/// "m % TILE == 0, n % TILE == 0 (TILE=64)"; empty without a domain.
[[nodiscard]] std::string domain_text(const Template& kernel, const Environment& values);

}  // namespace evo::model
