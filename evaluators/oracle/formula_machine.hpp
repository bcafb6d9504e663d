// Computes what a formula says of one case.
#pragma once

#include <cstdint>
#include <span>

#include "evaluators/oracle/formula_program.hpp"
#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {

enum class FormulaType : std::uint8_t {
  f64,
  f32,  ///< inputs, intermediate results and sums in float, integers exactly
};

/// On several threads, with the same result whatever their number. `rows` of the output (there is one) as in
/// ComputedOracle::compute_rows(), or empty for all of all outputs; intermediate arrays are made whole.
/// Error: an index out of range that no where() guards, with its place, the index and the variables' values.
[[nodiscard]] model::Expected<ReferenceOutputs> run_formula(const Program& program, const model::Case& bound,
                                                            const InputBuffers& inputs, FormulaType type,
                                                            std::span<const std::int64_t> rows);

}  // namespace evo::evaluators::oracle
