// Cases with other values of integers that the problem gives as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "evaluators/gates/case_builder.hpp"

namespace evo::evaluators::gates {

/// Of integers that the problem gives as numbers: their neighbours, and `further` ones by the argument's
/// index.
void set_other_integers(CaseBuilder& to, const model::Workload& workload,
                        const std::map<std::size_t, std::vector<std::int64_t>>& further);

/// Two integers at once that have ranges: a path for `a == 32767 && b == 0`, or a sum of two products that
/// leaves 32 bits where both are at their least.
void set_integers_together(CaseBuilder& to, const model::Workload& workload,
                           const std::map<std::size_t, std::vector<std::int64_t>>& equal,
                           std::uint64_t entropy);

/// One of the integers that have a range, in turn, at its upper end: how far back a kernel can look, or
/// what it has room for, shows only where the axis is as long.
void set_upper_end(CaseBuilder& to, const model::Workload& workload, std::size_t turn);

}  // namespace evo::evaluators::gates
