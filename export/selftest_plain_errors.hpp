// What a self-test holds a kernel against where nobody wrote a tolerance: the errors of the run's plain form,
// measured anew on the self-test's own data.
#pragma once

#include <string>

#include "export/exporter.hpp"
#include "export/names.hpp"

namespace evo::exporting {

/// Can selftest.cu measure it? The class is `tolerance: auto`, the oracle is a kernel, and no texture is
/// filtered (what the hardware's weights cost is not measured outside of evo).
[[nodiscard]] bool measures_plain_errors(const ExportRequest& request);

/// Is the reference launched in float too? Not where an array is f64: kernels then compute in double.
[[nodiscard]] bool has_plain_reference(const ExportRequest& request);

/// Terms of an output, by the work model: how often a sum may round.
[[nodiscard]] double terms_of(const model::Case& bound);

/// Statements that declare `plain_errors_NAME` for each output, behind the launch of the reference. `launch`:
/// the statement that launches the reference at {address} with the addresses {taken}. As evo has it
/// (evaluators/oracle/automatic.cpp): the error of the reference in float, and no less than rounding, grown
/// over the terms, of what the answer moves by when the inputs move; and what tensor cores cut off
/// (evaluators/gates/tensor_sums.hpp). Error: a number that cannot be spelt.
[[nodiscard]] model::Expected<std::string> plain_error_statements(const ExportRequest& request,
                                                                  const Names& names,
                                                                  const std::string& launch);

/// The part of it that depends on no problem, behind selftest_harness().
[[nodiscard]] const char* plain_errors_harness();

}  // namespace evo::exporting
