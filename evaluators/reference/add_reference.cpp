#include "evaluators/reference/add_reference.hpp"

#include <memory>

#include <fmt/format.h>

#include "evaluators/reference/kernel_reference.hpp"
#include "evaluators/reference/reference_source.hpp"
#include "model/error.hpp"

namespace evo::evaluators::reference {

void add_reference(oracle::Catalogue& known, const model::Artifact& artifact) {
  known.add(model::kernel_oracle, std::make_shared<KernelReference>(artifact));
}

void add_reference(oracle::Catalogue& known, const model::Experiment& experiment,
                   compile::Compiler& compiler) {
  const model::Problem& problem = experiment.problem;
  if (!problem.oracle_kernel) return;
  auto artifact = compiler.compile(
      reference_request(problem, model::compile_time_axes(experiment), experiment.target.arch));
  if (!artifact) {
    std::string text = fmt::format("problem {}: the reference kernel {} does not compile", problem.name,
                                   problem.oracle_kernel->source_file);
    for (const model::Evidence& evidence : artifact.error().evidence) {
      text += fmt::format("\n  {}:{}: {}",
                          evidence.file.empty() ? problem.oracle_kernel->source_file : evidence.file,
                          evidence.line, evidence.message);
    }
    throw model::Exception(model::ExitCode::invalid_configuration, text);
  }
  artifact->cubin.clear();  // it runs from its PTX alone
  add_reference(known, *artifact);
}

}  // namespace evo::evaluators::reference
