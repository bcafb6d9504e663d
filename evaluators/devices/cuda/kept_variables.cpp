// Variables of a module that launches write and have to put back.
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/cuda/device_state.hpp"
#include "evaluators/devices/cuda/kept_variables.hpp"

namespace evo::evaluators::cuda {

using devices::Outcome;

Outcome<std::vector<CudaDevice::State::Kept>> CudaDevice::State::keep_variables(
    const model::Artifact& artifact, CUmodule module) {
  std::vector<Kept> all;
  for (const model::KeptVariable& variable : artifact.kept) {
    const std::string action = fmt::format("keeping the variable {}", variable.name);
    Kept kept{variable, 0, 0, {}};
    std::size_t bytes = 0;
    const CUresult found = driver().module_variable(&kept.address, &bytes, module, variable.name.c_str());
    if (found == CUDA_ERROR_NOT_FOUND && !variable.written) continue;  // the assembler left it out
    if (found == CUDA_ERROR_NOT_FOUND) {
      return tl::unexpected(left_otherwise(
          variable,
          "the kernel writes the module's variable {}, which the driver does not find by its name, so "
          "that nobody could see what a launch leaves in it"));
    }
    if (auto ok = check(found, action); !ok) return tl::unexpected(ok.error());
    kept.bytes = bytes;
    auto memory = take_memory(kept.bytes, action);
    if (!memory) return tl::unexpected(memory.error());
    kept.original = std::move(*memory);
    const CUresult copied =
        driver().copy_on_device(kept.original.get(), kept.address, kept.bytes, context->stream());
    if (auto ok = check(copied, action); !ok) return tl::unexpected(ok.error());
    all.push_back(std::move(kept));
  }
  return all;
}

model::Failure left_otherwise(const model::KeptVariable& variable, const char* message) {
  model::Failure failure{model::Status::illegal, "mutable_global", {}};
  failure.evidence.push_back({"mutable_global",
                              fmt::format(fmt::runtime(message), variable.name),
                              variable.file,
                              variable.line,
                              {{"variable", variable.name}}});
  return failure;
}

}  // namespace evo::evaluators::cuda
