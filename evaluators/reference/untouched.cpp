#include "evaluators/reference/untouched.hpp"

#include <algorithm>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::reference {
namespace {

using model::ArgumentRole;

/// Any order of its elements is as good.
bool takes_any_order(const model::BoundArgument& argument) {
  const auto orderless = [](const model::BoundFill& fill) {
    return fill.has_range() || fill.form == model::FillForm::zipf;
  };
  return (!argument.fill || orderless(*argument.fill)) &&
         std::ranges::all_of(argument.set_fills, [&](const auto& entry) { return orderless(entry.second); });
}

bool is_asked(const model::BoundArgument& argument) {
  if (argument.keeps_unwritten) return false;
  if (argument.role == ArgumentRole::inout) return takes_any_order(argument);
  return argument.role == ArgumentRole::output && argument.zeroed;
}

std::vector<std::byte> stored(const model::BoundArgument& argument, const std::vector<double>& values) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(oracle::buffer_bytes(argument)), std::byte{0xff});
  const std::vector<std::int64_t> offsets = oracle::element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  for (std::size_t e = 0; e < values.size(); ++e)
    oracle::store_element(argument.dtype, values[e], bytes.data() + offsets[e] * size);
  return bytes;
}

}  // namespace

std::optional<Untouched> find_untouched(devices::Device& machine, devices::ModuleId module,
                                        const model::Case& wide, const oracle::InputBuffers& inputs,
                                        const oracle::ReferenceOutputs& outputs) {
  model::Case other = wide;
  oracle::InputBuffers others = inputs;
  std::vector<std::vector<double>> before(wide.arguments.size()), changed(wide.arguments.size());
  bool suspected = false;
  for (std::size_t i = 0; i < wide.arguments.size(); ++i) {
    const model::BoundArgument& argument = wide.arguments[i];
    if (!is_asked(argument) || outputs[i].empty()) continue;
    before[i] = argument.zeroed ? std::vector<double>(outputs[i].size(), 0.0)
                                : oracle::load_array(argument, inputs[i]);
    for (std::size_t e = 0; e < before[i].size(); ++e) suspected |= outputs[i][e] == before[i][e];
    changed[i] = before[i];
    if (argument.zeroed) {
      std::ranges::fill(changed[i], 1.0);
    } else {
      std::ranges::rotate(changed[i], changed[i].begin() + 1);
    }
    others[i] = stored(argument, changed[i]);
    other.arguments[i].role = ArgumentRole::inout;
    other.arguments[i].zeroed = false;
  }
  if (!suspected) return std::nullopt;
  auto buffers = gates::CaseBuffers::create(machine, other, gates::as_allocated);
  if (!buffers || !buffers->write_inputs(others) || !buffers->poison(1, false)) return std::nullopt;
  devices::LaunchOptions options;
  options.instruction_budget = 2'000'000'000'000;
  if (!machine.launch(module, other.launch, buffers->arguments(), options)) return std::nullopt;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (changed[i].empty()) continue;
    const auto bytes = buffers->read(i);
    if (!bytes) return std::nullopt;
    const auto span = bytes->span();
    const std::vector<double> after = oracle::load_array(other.arguments[i], {span.begin(), span.end()});
    for (std::size_t e = 0; e < after.size(); ++e) {
      const bool told_apart = changed[i][e] != before[i][e];
      if (told_apart && outputs[i][e] == before[i][e] && after[e] == changed[i][e])
        return Untouched{i, static_cast<std::int64_t>(e)};
    }
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::reference
