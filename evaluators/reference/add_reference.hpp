// A problem's own reference kernel among the oracles that an evaluation knows.
#pragma once

#include "evaluators/compile/compiler.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "model/artifact.hpp"
#include "model/experiment.hpp"

namespace evo::evaluators::reference {

/// Compiles the experiment's reference kernel and adds it to `known` as the oracle model::kernel_oracle; does
/// nothing where the problem names an oracle. Throws model::Exception(invalid_configuration) with the
/// compiler's messages where it does not compile.
void add_reference(oracle::Catalogue& known, const model::Experiment& experiment,
                   compile::Compiler& compiler);

/// The same from an artifact that another process compiled.
void add_reference(oracle::Catalogue& known, const model::Artifact& artifact);

}  // namespace evo::evaluators::reference
