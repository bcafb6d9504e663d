// The tokens that the front end reads: those of evaluators/code, which the gates read, too.
#pragma once

#include "evaluators/code/ptx_lexer.hpp"

namespace evo::evaluators::virtual_device::ptx {

using code::Lexer;
using code::SyntaxError;
using code::Token;

}  // namespace evo::evaluators::virtual_device::ptx
