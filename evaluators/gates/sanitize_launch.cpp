#include "evaluators/gates/sanitize_launch.hpp"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/launch_budget.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::uint64_t sanitize_input_seed = 1;

devices::LaunchOptions launch_options(const SanitizeBench& bench, const model::Case& shape,
                                      SanitizeBlocks blocks) {
  devices::LaunchOptions options;
  options.checks = devices::CheckLevel::filtered;
  options.instruction_budget = launch_budget(bench.settings, shape);
  options.timeout_ms = bench.settings.launch_timeout_ms;
  options.coverage = true;
  options.same_block = bench.one_block;
  options.equal_writes = bench.asked.equal_writes;
  for (const model::BoundArgument& argument : shape.arguments) {
    std::optional<devices::ArgumentRange>& range = options.ranges.emplace_back();
    if (const auto& known = argument.scalar_range)
      range = devices::ArgumentRange{known->least, known->most, known->multiple};
  }
  options.schedule_seed = blocks.schedule_seed;
  options.blocks = std::move(blocks.numbers);
  return options;
}

}  // namespace

bool have_one_block(const std::vector<model::Case>& shapes, const std::vector<model::Case>& others) {
  std::map<std::size_t, std::array<std::uint32_t, 3>> blocks;
  for (const auto* cases : {&shapes, &others}) {
    for (const model::Case& shape : *cases) {
      for (const model::LaunchPlan* kernel : model::kernels_of(shape.launch)) {
        const auto [known, fresh] = blocks.try_emplace(kernel->kernel, kernel->block);
        if (!fresh && known->second != kernel->block) return false;
      }
    }
  }
  return true;
}

devices::Outcome<devices::LaunchReport> run_shape(const SanitizeBench& bench, const model::Case& shape,
                                                  const Placement& placement,
                                                  const oracle::InputSource& source, SanitizeBlocks blocks) {
  devices::Device& device = bench.device;
  const auto inputs = oracle::make_inputs(source, shape, {.seed = sanitize_input_seed});
  if (!inputs) throw model::Exception(model::ExitCode::invalid_configuration, inputs.error().text());
  auto buffers = CaseBuffers::create(device, shape, placement);
  if (!buffers) return tl::make_unexpected(buffers.error());
  if (auto done = buffers->write_inputs(*inputs); !done) return tl::make_unexpected(done.error());
  if (auto done = buffers->poison(1 + placement.front(), false); !done)
    return tl::make_unexpected(done.error());
  const devices::LaunchOptions options = launch_options(bench, shape, std::move(blocks));
  auto report = device.launch(bench.module, shape.launch, buffers->arguments(), options);
  if (!report) return report;
  // Of blocks without those that they wait for nothing means anything.
  if (!options.blocks.empty() && !report->blocks_independent) return report;
  if (auto done = device.synchronize(); !done) return tl::make_unexpected(done.error());
  if (auto guards = device.check_guards(); !guards) return tl::make_unexpected(guards.error());
  return report;
}

}  // namespace evo::evaluators::gates
