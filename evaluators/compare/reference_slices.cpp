#include "evaluators/compare/reference_slices.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::compare {
namespace {

bool is_array(const model::BoundArgument& argument) {
  return argument.role == model::ArgumentRole::input || argument.role == model::ArgumentRole::output;
}

/// Slices along the two outer dimensions, or 0 if the arrays cannot be cut there.
std::int64_t slices_of(const model::Case& bound) {
  std::optional<std::array<std::int64_t, 2>> outer;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (!is_array(argument)) continue;
    if (argument.shape.size() < 3 || oracle::rows_of(argument).size() != 1) return 0;
    const std::array<std::int64_t, 2> now{argument.shape[0], argument.shape[1]};
    if (outer && *outer != now) return 0;
    outer = now;
  }
  return outer ? (*outer)[0] * (*outer)[1] : 0;
}

}  // namespace

model::Expected<ReferenceSlices> ReferenceSlices::make(const std::string& oracle_name,
                                                       const model::Case& bound,
                                                       const oracle::InputBuffers& inputs,
                                                       double most_flops) {
  const oracle::Oracle* oracle = oracle::find_oracle(oracle_name);
  if (oracle == nullptr) return tl::make_unexpected(model::Error{"unknown oracle " + oracle_name});
  const auto output = std::find_if(bound.arguments.begin(), bound.arguments.end(), [](const auto& argument) {
    return argument.role == model::ArgumentRole::output;
  });
  if (output == bound.arguments.end()) return tl::make_unexpected(model::Error{"the problem has no output"});
  const auto index = static_cast<std::size_t>(output - bound.arguments.begin());

  ReferenceSlices made;
  made.output_bytes_ = oracle::buffer_bytes(*output);
  const std::int64_t all = bound.flops > most_flops ? slices_of(bound) : 0;
  if (all < 2) {
    auto expected = oracle->compute(bound, inputs);
    if (!expected) return tl::make_unexpected(expected.error());
    made.slices_.push_back({*output, 0, std::move((*expected)[index])});
    made.scope_ = "all of it";
    return made;
  }
  std::vector<std::int64_t> chosen{0};
  if (bound.flops / static_cast<double>(all) * 2 <= most_flops) chosen.push_back(all - 1);
  for (const std::int64_t slice : chosen) {
    model::Case part = bound;
    oracle::InputBuffers part_inputs(inputs.size());
    std::size_t offset = 0;
    for (std::size_t i = 0; i < part.arguments.size(); ++i) {
      model::BoundArgument& argument = part.arguments[i];
      if (!is_array(argument)) continue;
      argument.shape[0] = argument.shape[1] = 1;
      const auto bytes = static_cast<std::size_t>(oracle::buffer_bytes(argument));
      const std::size_t first = bytes * static_cast<std::size_t>(slice);
      if (i == index) offset = first;
      if (argument.role != model::ArgumentRole::input) continue;
      const auto begin = inputs[i].begin() + static_cast<std::ptrdiff_t>(first);
      part_inputs[i].assign(begin, begin + static_cast<std::ptrdiff_t>(bytes));
    }
    auto expected = oracle->compute(part, part_inputs);
    if (!expected) return tl::make_unexpected(expected.error());
    made.slices_.push_back({part.arguments[index], offset, std::move((*expected)[index])});
  }
  made.scope_ = fmt::format("{} of {} heads", chosen.size(), all);
  return made;
}

OutputCheck ReferenceSlices::check(std::span<const std::byte> output,
                                   const model::Tolerance& tolerance) const {
  OutputCheck result;
  result.scope = scope_;
  if (static_cast<std::int64_t>(output.size()) != output_bytes_) {
    result.text = fmt::format("an output of {} bytes, should be {}", output.size(), output_bytes_);
    return result;
  }
  result.pass = true;
  for (const Slice& slice : slices_) {
    const auto bytes = static_cast<std::size_t>(oracle::buffer_bytes(slice.output));
    const oracle::Comparison compared = oracle::compare(slice.output, output.subspan(slice.offset, bytes),
                                                        slice.expected, {tolerance, false, {}});
    result.relative_frobenius = std::max(result.relative_frobenius, compared.relative_frobenius);
    result.max_abs_over_rms = std::max(result.max_abs_over_rms, compared.max_abs_over_rms);
    if (compared.pass || !result.pass) continue;
    result.pass = false;
    result.text = compared.text(slice.output.name);
  }
  return result;
}

}  // namespace evo::evaluators::compare
