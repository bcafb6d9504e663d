// Which instructions touch registers that wgmma uses.
#pragma once

#include "evaluators/devices/virtual/exact/code.hpp"

namespace evo::evaluators::virtual_device::exact {

/// Fills Code::followed, Code::uses, Step::uses and the numbers in Code::warpgroups, once all steps are
/// there.
void describe_uses(const Program& program, Code& code);

}  // namespace evo::evaluators::virtual_device::exact
