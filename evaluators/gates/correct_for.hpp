// What a verdict of the correctness gate covers, in words: "correct" is always correct for something.
#pragma once

#include <vector>

#include "evaluators/gates/check_plan.hpp"

namespace evo::evaluators::gates {

/// One piece of evidence of kind `correct_for`: the range of every axis, how many shapes and input sets, the
/// largest array's elements, whether an array's parts lay further apart than 32 bits count, the alignments,
/// the arrays whose strides were their own, the values of the scalars, and how many launches ran a sample of
/// their blocks. Details: axis.NAME ("1 to 513", or "0, 1"), alone.NAME (of cases
/// in which the other axes are small), shapes, elements, offsets_beyond_32_bits
/// ("shown", "not shown"), input_sets, alignments, strides, scalar.NAME, launches, sampled_launches,
/// equal_writes (Problem::equal_writes, where it is said).
[[nodiscard]] model::Evidence describe_coverage(const DeviceJob& job, const std::vector<Check>& made);

/// Says in a `correct_for` note for which sizes the genome's kernel is written, where the template restricts
/// them; detail `domain`.
void add_domain(const TemplateContext& context, const model::Genome& genome, model::Evidence& note);

/// Integer parameters that are one number in every case, and scalar ones of one type that are equal in every
/// case: a kernel that has the number built in, or takes one for the other, is not seen.
[[nodiscard]] std::vector<model::Evidence> always_equal(const DeviceJob& job, const std::vector<Check>& made);

}  // namespace evo::evaluators::gates
