// Which tokens of a source are part of the program: preprocessor conditionals, decided with the macros that
// the text itself defines. A variant's text begins with its genes, so what another genome means is dead here.
#pragma once

#include <string>
#include <vector>

#include "source/tokens.hpp"

namespace evo::source {

/// For each token: is it part of the program? Tokens of directives are not. Conditions are evaluated as the
/// preprocessor does it: a name that nothing defined is 0. What headers define is not known, but for the
/// macros of NVRTC (__CUDACC_RTC__, __CUDA_ARCH__ as 900).
[[nodiscard]] std::vector<bool> live_tokens(const std::vector<Token>& tokens);

}  // namespace evo::source
