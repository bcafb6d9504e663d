#include "session/source_commands.hpp"

#include "evaluators/process/source_command.hpp"

namespace evo::session {

void use_source_commands(model::Problem& problem) {
  for (model::Template& kernel : problem.templates) {
    if (kernel.generator_command.empty()) continue;
    kernel.generator =
        std::make_shared<evaluators::process::SourceCommand>(kernel.generator_command, problem.folder);
  }
}

}  // namespace evo::session
