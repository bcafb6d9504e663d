#include "session/classes_beside.hpp"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "session/evaluator_check.hpp"

namespace evo::session {

std::vector<std::unique_ptr<DeviceClass>> make_classes(
    const model::Experiment& experiment, const std::vector<DeviceChoice>& others, const StackOptions& options,
    const std::shared_ptr<evaluators::compile::Compiler>& compiler, std::int64_t most_trials) {
  const model::Experiment own = experiment_of_class(experiment);
  // A process a GPU: the host's cores are for the run's own GPUs.
  StackOptions modest = options;
  modest.threads = 1;
  std::vector<std::unique_ptr<DeviceClass>> classes;
  for (const DeviceChoice& other : others) {
    try {
      StackParts parts = real_parts(own.target, other, modest);
      parts.compiler = compiler;
      parts.compile_time = {};
      parts.compile_elsewhere = {};
      parts.own_compiler = {};
      const auto abandoned = std::make_shared<std::atomic<bool>>(false);
      auto stack = std::make_unique<EvaluationStack>(own, until_abandoned(std::move(parts), abandoned),
                                                     options.input_seed);
      require_sound_evaluator(own, *stack, options.input_seed, {});
      classes.push_back(std::make_unique<DeviceClass>(
          own, other.model, std::move(stack), static_cast<int>(other.gpus.size()), most_trials, abandoned));
    } catch (const std::exception& error) {
      if (options.notes)
        options.notes(fmt::format("{} ({}) is left out: {}", other.model, other.id, error.what()));
    }
  }
  return classes;
}

}  // namespace evo::session
