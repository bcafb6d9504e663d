// Cases with other values of floating-point scalars.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "evaluators/gates/case_builder.hpp"

namespace evo::evaluators::gates {

/// `further`: whole numbers by the argument's index, of floating-point scalars too; `beside`: others of
/// those.
void change_scalars(CaseBuilder& to, const model::Workload& workload,
                    const std::map<std::size_t, std::vector<std::int64_t>>& further,
                    const std::map<std::size_t, std::vector<double>>& beside);

/// Values of floating-point scalars on a light workload as it is: what they decide may be few elements of
/// many.
void show_beside(CaseBuilder& to, const model::Workload& workload,
                 const std::map<std::size_t, std::vector<double>>& beside);

/// Several of `further`'s values at once, and each beside the sizes of the other shapes: a path for
/// `alpha == 1 && beta == 0`, or for `beta == 0` and whole vectors.
void cross_scalars(CaseBuilder& to, const std::vector<model::Workload>& shapes,
                   const std::map<std::size_t, std::vector<std::int64_t>>& further, std::uint64_t entropy);

/// Of scalars that the problem gives as numbers: what is one over a root is positive.
void set_unusual_scalars(CaseBuilder& to, const model::Workload& workload, std::uint64_t entropy);

/// Floating-point scalars at the ends of a range that the problem declares: both are legal, whatever the
/// answer is made of.
void set_ends_of_ranges(CaseBuilder& to, const model::Workload& workload);

}  // namespace evo::evaluators::gates
