#include "session/source_commands.hpp"

#include "evaluators/process/source_command.hpp"

namespace evo::session {

namespace {

void use_source_command(model::Template& kernel, const std::string& folder) {
  if (kernel.generator_command.empty()) return;
  kernel.generator = std::make_shared<evaluators::process::SourceCommand>(kernel.generator_command, folder);
}

}  // namespace

void use_source_commands(model::Problem& problem) {
  for (model::Template& kernel : problem.templates) use_source_command(kernel, problem.folder);
  for (model::Comparator& comparator : problem.comparators) {
    if (!comparator.kernel) continue;
    model::Template kernel = *comparator.kernel;
    use_source_command(kernel, problem.folder);
    comparator.kernel = std::make_shared<const model::Template>(std::move(kernel));
  }
}

}  // namespace evo::session
