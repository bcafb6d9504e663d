#include "evaluators/gates/float_atomics.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/first_outputs.hpp"
#include "evaluators/gates/launch_budget.hpp"
#include "evaluators/gates/ptx_statements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::uint64_t order_input_seed = 1;

/// "atom.shared.add.f32" has the part "add".
bool has_part(std::string_view opcode, std::string_view part) {
  while (!opcode.empty()) {
    const std::size_t dot = std::min(opcode.find('.'), opcode.size());
    if (opcode.substr(0, dot) == part) return true;
    opcode = opcode.substr(std::min(dot + 1, opcode.size()));
  }
  return false;
}

bool adds_floats_atomically(std::string_view opcode) {
  constexpr std::array types{"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"};
  const bool atomic = opcode.starts_with("atom.") || opcode.starts_with("red.") ||
                      opcode.starts_with("cp.reduce.") || opcode.starts_with("multimem.red.");
  return atomic && has_part(opcode, "add") &&
         std::any_of(types.begin(), types.end(), [&](const char* type) { return has_part(opcode, type); });
}

Outcome<void> run_orders(devices::Device& device, devices::ModuleId module, const model::Case& shape,
                         const oracle::InputSource& source, const model::GateSettings& settings) {
  const auto inputs = oracle::make_inputs(source, shape, {.seed = order_input_seed});
  if (!inputs) throw model::Exception(model::ExitCode::invalid_configuration, inputs.error().text());
  auto buffers = CaseBuffers::create(device, shape, in_turn(shape, 0));
  if (!buffers) return tl::make_unexpected(buffers.error());
  if (auto done = buffers->write_inputs(*inputs); !done) return done;
  FirstOutputs first(shape);
  devices::LaunchOptions options;
  options.checks = devices::CheckLevel::none;  // the gate has just made all checks on these launches
  options.instruction_budget = launch_budget(settings, shape);
  options.timeout_ms = settings.launch_timeout_ms;
  for (int order = 0; order <= settings.permuted_runs; ++order) {
    options.schedule_seed = static_cast<std::uint64_t>(order);
    if (auto done = buffers->poison(1, false); !done) return done;
    const auto launched = device.launch(module, shape.launch, buffers->arguments(), options);
    if (!launched) return tl::make_unexpected(launched.error());
    if (auto done = device.synchronize(); !done) return done;
    auto outputs = buffers->read_outputs();
    if (!outputs) return tl::make_unexpected(outputs.error());
    const std::string manner = fmt::format("warp and block order {}", order);
    if (auto same = first.compare(std::move(*outputs), "repeat_differs", manner); !same) return same;
  }
  return {};
}

}  // namespace

std::vector<model::Evidence> float_atomics(const model::Artifact& artifact) {
  std::vector<model::Evidence> found;
  const PtxModule module(artifact.ptx);
  for (const Statement& statement : module.statements()) {
    const std::string_view opcode = instruction_of(statement).opcode;
    if (!adds_floats_atomically(opcode)) continue;
    model::Evidence here{"float_atomic",
                         fmt::format("{}: the sum depends on the order in which threads come", opcode),
                         statement.line > 0 ? module.file(statement.file) : artifact.source_file,
                         statement.line,
                         {}};
    if (std::find(found.begin(), found.end(), here) == found.end()) found.push_back(std::move(here));
  }
  return found;
}

std::optional<model::Failure> check_orders(devices::Device& device, devices::ModuleId module,
                                           const std::vector<model::Case>& shapes,
                                           const oracle::InputSource& inputs,
                                           const model::GateSettings& settings,
                                           const std::vector<model::Evidence>& atomics) {
  for (const model::Case& shape : shapes) {
    auto outcome = run_orders(device, module, shape, inputs, settings);
    if (outcome) continue;
    model::Failure failure = std::move(outcome.error());
    if (failure.reason == "repeat_differs" && !failure.evidence.empty() && !atomics.empty()) {
      failure.evidence.front().file = atomics.front().file;
      failure.evidence.front().line = atomics.front().line;
      failure.evidence.insert(failure.evidence.end(), atomics.begin(), atomics.end());
    }
    return located(std::move(failure), {{"case", shape.name}});
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::gates
