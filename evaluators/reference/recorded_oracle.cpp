#include "evaluators/reference/recorded_oracle.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::evaluators::reference {

using model::ArgumentRole;
using oracle::InputBuffers;

model::Expected<RecordedOracle> RecordedOracle::load(const std::vector<model::RecordedWorkload>& recordings) {
  RecordedOracle result;
  for (const model::RecordedWorkload& recording : recordings) {
    Arrays& arrays = result.workloads_[recording.workload];
    arrays.files = recording.files;
    for (const auto& [name, file] : recording.files) {
      auto array = model::read_npy(file);
      if (!array) return tl::make_unexpected(array.error());
      arrays.arrays[name] = std::move(*array);
    }
  }
  return result;
}

std::optional<model::Expected<InputBuffers>> RecordedOracle::recorded_inputs(const model::Case& bound) const {
  const auto found = workloads_.find(bound.name);
  if (found == workloads_.end()) return std::nullopt;
  InputBuffers buffers(bound.arguments.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role)) continue;
    const auto array = found->second.arrays.find(argument.name);
    if (array == found->second.arrays.end()) return std::nullopt;
    auto buffer = oracle::buffer_of(argument, array->second);
    if (!buffer) {
      buffer.error().file = found->second.files.at(argument.name);
      return tl::make_unexpected(buffer.error());
    }
    buffers[i] = std::move(*buffer);
  }
  return model::Expected<InputBuffers>(std::move(buffers));
}

bool RecordedOracle::can_answer(const model::Case& bound, const InputBuffers& inputs) const {
  const auto recorded = recorded_inputs(bound);
  return recorded && *recorded && **recorded == inputs;
}

model::Expected<oracle::ReferenceOutputs> RecordedOracle::compute(const model::Case& bound,
                                                                  const InputBuffers& inputs) const {
  if (!can_answer(bound, inputs)) {
    return tl::make_unexpected(
        model::Error{fmt::format("the recording has no answer to these inputs of case {}", bound.name)});
  }
  const Arrays& recorded = workloads_.at(bound.name);
  oracle::ReferenceOutputs outputs(bound.arguments.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_judged(argument.role)) continue;
    const auto array = recorded.arrays.find(argument.name);
    if (array == recorded.arrays.end() || array->second.shape != argument.shape) {
      return tl::make_unexpected(model::Error{
          array == recorded.arrays.end()
              ? fmt::format("the recording of {} has no {}", bound.name, argument.name)
              : fmt::format("its shape is ({}), and {} has ({})", fmt::join(array->second.shape, ", "),
                            argument.name, fmt::join(argument.shape, ", ")),
          array == recorded.arrays.end() ? std::string() : recorded.files.at(argument.name)});
    }
    outputs[i] = array->second.values;
  }
  return outputs;
}

double RecordedOracle::rounding() const {
  double most = 0x1p-53;
  for (const auto& [workload, arrays] : workloads_) {
    for (const auto& [name, array] : arrays.arrays) most = std::max(most, array.rounding());
  }
  return most;
}

}  // namespace evo::evaluators::reference
