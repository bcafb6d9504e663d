// What an export's self-test grants a kernel that adds up in tensor cores: as much as the gates did.
#pragma once

#include "evaluators/compile/compiler.hpp"
#include "export/exporter.hpp"
#include "model/experiment.hpp"

namespace evo::session {

/// Can the request's self-test grant anything (its bounds are a plain kernel's errors), and may the variant
/// need it (its text names matrix products)? Compiles nothing.
[[nodiscard]] bool may_add_in_tensor_cores(const exporting::ExportRequest& request);

/// Compiles the request's variant and, where its PTX adds up in tensor cores, fills request.cut_off
/// (gates/tensor_sums.hpp). What does not compile or bind is granted nothing. Throws model::Exception where
/// the problem's reference cannot be made.
void grant_tensor_sums(exporting::ExportRequest& request, const model::Experiment& experiment,
                       evaluators::compile::Compiler& compiler);

}  // namespace evo::session
