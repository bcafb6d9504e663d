// Tuning problems of other tools as drafts.
#pragma once

#include <string>

#include "intake/draft.hpp"

namespace evo::intake {

/// A T1 file (Kernel Tuner, KTT: ConfigurationSpace and KernelSpecification) or a FlashInfer-Bench definition
/// (axes, inputs, outputs, reference), told apart by their keys. `workloads` is a file of workloads of a
/// definition, a JSON document a line; "" without one. Throws model::Exception: (usage) for a file that
/// cannot be read, (invalid_configuration) for one that is neither, or that says what a problem cannot carry.
[[nodiscard]] Draft import_draft(const std::string& file, const std::string& workloads);

}  // namespace evo::intake
