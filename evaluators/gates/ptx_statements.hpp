// The statements that the gates read: those of evaluators/code.
#pragma once

#include "evaluators/code/ptx_statements.hpp"

namespace evo::evaluators::gates {

using code::instruction_of;
using code::InstructionText;
using code::PtxModule;
using code::Statement;
using code::words_of;

}  // namespace evo::evaluators::gates
