// Cases of arrays that lie in memory otherwise: padded, packed, far apart (model/stride_groups.hpp).
#pragma once

#include "evaluators/gates/case_builder.hpp"

namespace evo::evaluators::gates {

/// Each group of arrays that may have strides of its own: packed, and padded with whole vectors, with odd
/// numbers of elements, and with both.
void change_strides(CaseBuilder& to, const model::Workload& workload);

/// Elements that lie far apart, though within 32 bits.
void widen_strides(CaseBuilder& to, const model::Workload& workload);

/// Elements that lie further apart than 32 bits count, one dimension after the other, where the kernel is
/// told the stride in 64 bits: whoever asks for those means such offsets.
void part_strides(CaseBuilder& to, const model::Workload& workload);

/// Rows that follow each other without a gap, of a length that every vector divides: a path of its own in
/// many a kernel.
void pack_strides(CaseBuilder& to, const model::Workload& workload);

}  // namespace evo::evaluators::gates
