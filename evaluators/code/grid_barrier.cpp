#include "evaluators/code/grid_barrier.hpp"

#include <algorithm>

#include "evaluators/code/ptx_statements.hpp"
#include "evaluators/code/reached_code.hpp"

namespace evo::evaluators::code {

bool waits_for_grid(const std::string& ptx, const std::string& entry) {
  if (ptx.find("%envreg") == std::string::npos) return false;
  const PtxModule module(reached_code(ptx, {entry}));
  return std::ranges::any_of(module.statements(), [](const Statement& statement) {
    return std::ranges::any_of(statement.tokens, [](const Token& token) {
      return token.text == "%envreg1" || token.text == "%envreg2";
    });
  });
}

}  // namespace evo::evaluators::code
