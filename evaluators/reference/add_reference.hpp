// A problem's own oracles among those that an evaluation knows.
#pragma once

#include "evaluators/compile/compiler.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/reference/side_device.hpp"
#include "model/experiment.hpp"
#include "model/oracle_source.hpp"

namespace evo::evaluators::reference {

/// Compiles the experiment's reference kernel, reads its recorded files, and adds all of the problem's
/// oracles to `known` as the one that Problem::oracle names; does nothing where that is a name of the
/// catalogue. Throws model::Exception(invalid_configuration): the reference does not compile (with the
/// compiler's messages; for `tolerance: auto` also not in float), a file is no .npy, a workload of the
/// experiment is not among the recorded ones and there is no other oracle. `side`: see KernelReference.
void add_reference(oracle::Catalogue& known, const model::Experiment& experiment, compile::Compiler& compiler,
                   const std::shared_ptr<SideDevice>& side = nullptr);

/// The same from what another process made of it.
void add_reference(oracle::Catalogue& known, const model::OracleParts& parts,
                   const std::shared_ptr<SideDevice>& side = nullptr);

}  // namespace evo::evaluators::reference
