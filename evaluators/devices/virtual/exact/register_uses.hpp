// Which instructions touch registers that wgmma uses, or that loads of shared memory give values to.
#pragma once

#include "evaluators/devices/virtual/exact/code.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Fills Code::followed, Code::uses, Step::uses and the numbers in Code::warpgroups, once all steps are
/// there.
void describe_uses(const Program& program, Code& code);

/// Fills Code::loaded_uses, Code::loaded and Step::takes, as above.
void describe_loaded(const Program& program, Code& code);

}  // namespace evo::evaluators::virtual_device::exact
