#include "evaluators/gates/sanitize.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "evaluators/gates/between_blocks.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/float_atomics.hpp"
#include "evaluators/gates/launch_budget.hpp"
#include "evaluators/gates/launch_effort.hpp"
#include "evaluators/gates/other_kernels.hpp"
#include "evaluators/gates/proxy_fences.hpp"
#include "evaluators/gates/sanitize_sample.hpp"
#include "evaluators/gates/search_budget.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/specials.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Evidence;
using model::Failure;
using model::Status;

constexpr std::uint64_t sanitize_input_seed = 1;

std::string detail(const Evidence& evidence, std::string_view key) {
  for (const auto& [name, value] : evidence.details) {
    if (name == key) return value;
  }
  return {};
}
/// Where a finding is, with both of its ends, whatever its threads and addresses.
auto place(const Evidence& evidence) {
  return std::tuple(evidence.kind, evidence.file, evidence.line, detail(evidence, "other_file"),
                    detail(evidence, "other_line"));
}
/// A basic block that did not run: the message tells blocks of one line apart.
auto block(const Evidence& evidence) {
  return std::tie(evidence.file, evidence.line, evidence.message);
}

void add_findings(std::optional<Failure>& all, Failure more) {
  if (!all) {
    all = std::move(more);
    return;
  }
  for (Evidence& evidence : more.evidence) {
    const bool known = std::any_of(all->evidence.begin(), all->evidence.end(),
                                   [&](const Evidence& other) { return place(other) == place(evidence); });
    if (!known) all->evidence.push_back(std::move(evidence));
  }
}

/// Keeps what did not run in this shape either.
void intersect(std::optional<std::vector<Evidence>>& never, const std::vector<Evidence>& now) {
  if (!never) {
    never = now;
    return;
  }
  std::erase_if(*never, [&](const Evidence& evidence) {
    return std::none_of(now.begin(), now.end(),
                        [&](const Evidence& other) { return block(other) == block(evidence); });
  });
}

struct CheckSettings : model::GateSettings {
  bool one_block = false;  ///< all launches of a kernel have the same block
  SanitizeOptions asked{};
};

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

Outcome<devices::LaunchReport> run_shape(devices::Device& device, devices::ModuleId module,
                                         const model::Case& shape, const Placement& placement,
                                         const oracle::InputSource& source, const CheckSettings& settings,
                                         std::uint64_t schedule_seed = 0,
                                         std::vector<std::uint64_t> blocks = {}) {
  const auto inputs = oracle::make_inputs(source, shape, {.seed = sanitize_input_seed});
  if (!inputs) throw model::Exception(model::ExitCode::invalid_configuration, inputs.error().text());
  auto buffers = CaseBuffers::create(device, shape, placement);
  if (!buffers) return tl::make_unexpected(buffers.error());
  if (auto done = buffers->write_inputs(*inputs); !done) return tl::make_unexpected(done.error());
  if (auto done = buffers->poison(1 + placement.front(), false); !done)
    return tl::make_unexpected(done.error());
  devices::LaunchOptions options;
  options.checks = devices::CheckLevel::filtered;
  options.instruction_budget = launch_budget(settings, shape);
  options.timeout_ms = settings.launch_timeout_ms;
  options.coverage = true;
  options.same_block = settings.one_block;
  options.equal_writes = settings.asked.equal_writes;
  for (const model::BoundArgument& argument : shape.arguments) {
    std::optional<devices::ArgumentRange>& range = options.ranges.emplace_back();
    if (argument.scalar_range) range = {argument.scalar_range->least, argument.scalar_range->most};
  }
  options.schedule_seed = schedule_seed;
  options.blocks = std::move(blocks);
  auto report = device.launch(module, shape.launch, buffers->arguments(), options);
  if (!report) return report;
  // Of blocks without those that they wait for nothing means anything.
  if (!options.blocks.empty() && !report->blocks_independent) return report;
  if (auto done = device.synchronize(); !done) return tl::make_unexpected(done.error());
  if (auto guards = device.check_guards(); !guards) return tl::make_unexpected(guards.error());
  return report;
}

/// A heavy shape in some of its blocks, which is noted in `sampled`, or whole where those need the others.
Outcome<devices::LaunchReport> run_affordably(devices::Device& device, devices::ModuleId module,
                                              const model::Case& shape, const Placement& placement,
                                              const oracle::InputSource& source,
                                              const CheckSettings& settings,
                                              std::vector<const model::Case*>& sampled) {
  std::vector<std::uint64_t> blocks =
      settings.asked.whole_launches ? std::vector<std::uint64_t>{} : blocks_to_sanitize(shape);
  if (!blocks.empty()) {
    auto some = run_shape(device, module, shape, placement, source, settings, 0, std::move(blocks));
    if (!some || some->blocks_independent) {
      sampled.push_back(&shape);
      return some;
    }
  }
  return run_shape(device, module, shape, placement, source, settings);
}

/// The heaviest of those that take milliseconds whole; nullptr if there is none.
const model::Case* heaviest_light(const std::vector<model::Case>& cases) {
  constexpr double most_flops = 4194304, most_threads = 131072;  // 2^22, 2^17
  const model::Case* found = nullptr;
  for (const model::Case& one : cases) {
    if (one.flops > most_flops || model::threads_in(one.launch) > most_threads) continue;
    if (found == nullptr || one.flops > found->flops) found = &one;
  }
  return found;
}

/// Whole, what ran in some of its blocks: a path may be for the others.
void run_whole_for_coverage(devices::Device& device, devices::ModuleId module,
                            const std::vector<const model::Case*>& sampled, const oracle::InputSource& inputs,
                            const CheckSettings& settings, std::vector<Evidence>& never,
                            SanitizeReport& report) {
  std::optional<std::vector<Evidence>> left = never;
  for (const model::Case* shape : sampled) {
    if (left->empty() || report.failure) break;
    auto outcome = run_shape(device, module, *shape, in_turn(*shape, 0), inputs, settings);
    if (outcome)
      intersect(left, outcome->unexecuted);
    else
      report.failure =
          located(std::move(outcome.error()), {{"case", shape->name}, {"axes", axes_text(*shape)}});
  }
  never = std::move(*left);
}

Failure incomplete(std::vector<Evidence> evidence) {
  for (Evidence& entry : evidence) {
    entry.kind = "incomplete_coverage";
    if (entry.line > 0 && !entry.file.empty()) {
      entry.message += fmt::format(
          " No shape and no input set reaches it. If a size or data of yours does, declare it (a workload, "
          "check_workloads, an input set with a fill); if nothing can, say so in the template: unreached: "
          "{{\"{}:{}\": why}}.",
          entry.file, entry.line);
    }
  }
  return {Status::sanitizer_fail, "incomplete_coverage", std::move(evidence)};
}

/// A launch of more floating-point operations takes minutes here.
constexpr double most_flops_for_coverage = 1073741824;  // 2^30
constexpr double most_flops_for_placements = 2097152;   // 2^21

/// Runs `others` until every block of the code has run.
void run_for_coverage(devices::Device& device, devices::ModuleId module,
                      const std::vector<model::Case>& others, const oracle::InputSource& inputs,
                      const CheckSettings& settings, bool blocks_share, SearchBudget& budget,
                      std::vector<Evidence>& never, SanitizeReport& report) {
  std::vector<const model::Case*> order;
  for (const model::Case& other : others) {
    // Crowds that wait for each other take longer than they may, which says nothing of the kernel.
    const bool crowd = blocks_share && LaunchEffort::is_crowd(other);
    if (other.flops <= most_flops_for_coverage && !crowd) order.push_back(&other);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const model::Case* a, const model::Case* b) { return a->flops < b->flops; });
  std::optional<std::vector<Evidence>> left = never;
  for (const model::Case* other : order) {
    // A path may be for arrays that begin where vectors do not: none of them does, and each of them apart.
    std::vector<Placement> placements{in_turn(*other, 0)};
    if (other->flops <= most_flops_for_placements) {
      placements.push_back(none_aligned(*other));
      for (Placement& placement : each_apart(*other)) placements.push_back(std::move(placement));
    }
    for (const Placement& placement : placements) {
      if (left->empty() || budget.spent()) break;
      auto outcome = run_shape(device, module, *other, placement, inputs, settings);
      budget.charge(outcome);
      if (!outcome) {
        report.failure = located(std::move(outcome.error()), {{"case", other->name},
                                                              {"axes", axes_text(*other)},
                                                              {"misalignment", text_of(placement, *other)}});
        return;
      }
      intersect(left, outcome->unexecuted);
    }
    if (left->empty() || budget.spent()) break;
  }
  never = std::move(*left);
}

/// Runs `shapes`, whose blocks see what others do, in permuted orders until every block of the code has run:
/// a block that looks back at one which is still at work does so in few of them.
void run_orders_for_coverage(devices::Device& device, devices::ModuleId module,
                             const std::vector<model::Case>& shapes, const oracle::InputSource& inputs,
                             const CheckSettings& settings, SearchBudget& budget,
                             std::vector<Evidence>& never, SanitizeReport& report) {
  constexpr std::uint64_t most_orders = 16;
  std::optional<std::vector<Evidence>> left = never;
  for (std::uint64_t order = 1; order <= most_orders && !left->empty(); ++order) {
    for (const model::Case& shape : shapes) {
      if (left->empty() || budget.spent() || shape.flops > most_flops_for_placements) continue;
      auto outcome = run_shape(device, module, shape, in_turn(shape, 0), inputs, settings, order);
      budget.charge(outcome);
      if (!outcome) {
        report.failure = located(std::move(outcome.error()),
                                 {{"case", shape.name}, {"schedule", fmt::format("{}", order)}});
        return;
      }
      intersect(left, outcome->unexecuted);
    }
  }
  never = std::move(*left);
}

/// Runs `shapes` and light `others` with each of the `further` sets until every block of the code has run.
void run_data_for_coverage(devices::Device& device, devices::ModuleId module,
                           const std::vector<model::Case>& shapes, const std::vector<model::Case>& others,
                           const oracle::Catalogue& known, std::span<const model::InputSet> further,
                           const CheckSettings& settings, SearchBudget& budget, std::vector<Evidence>& never,
                           std::vector<Evidence>& notes) {
  constexpr std::size_t most_cases = 6;
  std::vector<const model::Case*> cases;
  for (const model::Case& shape : shapes) cases.push_back(&shape);
  for (const model::Case& other : others) {
    if (other.flops <= most_flops_for_placements) cases.push_back(&other);
  }
  const auto lighter = [](const model::Case* a, const model::Case* b) { return a->flops < b->flops; };
  std::stable_sort(cases.begin(), cases.end(), lighter);
  // Not the smallest alone: a path may need a row that is longer than a block.
  while (cases.size() > most_cases)
    cases.erase(cases.begin() + static_cast<std::ptrdiff_t>(cases.size() / 3));
  std::optional<std::vector<Evidence>> left = never;
  for (const model::InputSet& set : further) {
    for (const model::Case* shape : cases) {
      if (left->empty() || device.lost() || budget.spent()) break;
      const std::vector<Evidence> before = *left;
      const auto outcome = run_shape(device, module, *shape, in_turn(*shape, 0), {known, set}, settings);
      budget.charge(outcome);
      if (!outcome) continue;
      intersect(left, outcome->unexecuted);
      for (const Evidence& entry : before) {
        const auto same = [&](const Evidence& other) { return block(other) == block(entry); };
        if (std::any_of(left->begin(), left->end(), same)) continue;
        notes.push_back({"reached_by_data",
                         fmt::format("{}:{} runs on special data, as in the input set {}; what was tried "
                                     "before does not run it",
                                     entry.file, entry.line, set.name),
                         entry.file,
                         entry.line,
                         {{"input_set", set.name}, {"case", shape->name}}});
      }
    }
  }
  never = std::move(*left);
}

/// Those with NaN or infinity in them, and all others, in their order.
std::pair<std::vector<model::InputSet>, std::vector<model::InputSet>> special_first(
    std::span<const model::InputSet> sets) {
  std::pair<std::vector<model::InputSet>, std::vector<model::InputSet>> parts;
  for (const model::InputSet& set : sets) {
    // That all is NaN ("not_numbers") stands behind all others.
    const bool special = set.kind == oracle::nans_kind || oracle::holds_infinities(set);
    (special ? parts.first : parts.second).push_back(set);
  }
  return parts;
}

using Waivers = std::map<std::string, std::string>;

/// Makes notes of the blocks of waived lines, and of waivers that nothing needs.
void waive(const Waivers& unreached, std::vector<Evidence>& never, std::vector<Evidence>& notes) {
  for (const auto& [where, why] : unreached) {
    const auto waived = [&](const Evidence& entry) {
      return fmt::format("{}:{}", entry.file, entry.line) == where;
    };
    const auto found = std::find_if(never.begin(), never.end(), waived);
    const bool needed = found != never.end();
    Evidence note{"unreached", {}, needed ? found->file : "", needed ? found->line : 0, {{"line", where}}};
    note.message =
        needed ? fmt::format("{} ran in no launch, as the template says: {}", where, why)
               : fmt::format("{} is waived as unreached ({}), but it ran or holds no code", where, why);
    note.details.emplace_back("needed", needed ? "yes" : "no");
    notes.push_back(std::move(note));
    std::erase_if(never, waived);
  }
}

void run_shapes(devices::Device& device, devices::ModuleId module, const std::vector<model::Case>& shapes,
                const std::vector<model::Case>& others, const oracle::InputSource& inputs,
                const CheckSettings& settings, const Waivers& unreached,
                std::span<const model::InputSet> further, SanitizeReport& report) {
  std::optional<std::vector<Evidence>> never;
  bool independent = true;
  std::vector<const model::Case*> to_run, sampled;
  for (const model::Case& shape : shapes) to_run.push_back(&shape);
  for (std::size_t i = 0; i < to_run.size(); ++i) {
    const model::Case& shape = *to_run[i];
    auto outcome = run_affordably(device, module, shape, in_turn(shape, static_cast<unsigned>(i)), inputs,
                                  settings, sampled);
    // What blocks do to each other shows where all of them run.
    if (i + 1 == shapes.size() && sampled.size() == shapes.size()) {
      if (const model::Case* light = heaviest_light(others)) to_run.push_back(light);
    }
    if (!outcome) {
      const bool more_to_see =
          outcome.error().status == Status::sanitizer_fail || outcome.error().status == Status::device_fault;
      const Details seen{{"case", shape.name}, {"axes", axes_text(shape)}};
      add_findings(report.failure, located(std::move(outcome.error()), seen));
      if (!more_to_see || device.lost()) return;
      continue;
    }
    intersect(never, outcome->unexecuted);
    independent &= outcome->blocks_independent;
    report.notes.push_back(
        {"dynamic_smem",
         fmt::format("{}: {} bytes of dynamic shared memory predicted, the highest touched is {}", shape.name,
                     shape.launch.dynamic_smem, outcome->dynamic_smem_touched),
         {},
         0,
         {{"case", shape.name},
          {"predicted", fmt::format("{}", shape.launch.dynamic_smem)},
          {"touched", fmt::format("{}", outcome->dynamic_smem_touched)}}});
  }
  report.blocks_share = !independent;
  const auto waived = [&](const Evidence& entry) {
    return unreached.contains(fmt::format("{}:{}", entry.file, entry.line));
  };
  const auto all_waived = [&] { return std::all_of(never->begin(), never->end(), waived); };
  // What the template says that no launch reaches is looked for less long: it may be wrong.
  SearchBudget budget(never && all_waived() ? SearchBudget::usual / 16 : SearchBudget::usual);
  const auto [special, others_of_data] = special_first(further);
  // What a NaN decides no size reaches, and all sizes together may take the whole budget.
  if (!report.failure && never && !never->empty() && !all_waived()) {
    budget.keep_back(15);
    run_data_for_coverage(device, module, shapes, {}, inputs.known, special, settings, budget, *never,
                          report.notes);
  }
  // Nor may sizes take what other data need.
  budget.keep_back(1);
  if (!report.failure && never && !never->empty() && !independent)
    run_orders_for_coverage(device, module, shapes, inputs, settings, budget, *never, report);
  if (!report.failure && never && !never->empty())
    run_for_coverage(device, module, others, inputs, settings, !independent, budget, *never, report);
  if (report.failure || !never) return;
  budget.keep_back(0);
  if (!never->empty() && !all_waived())
    run_data_for_coverage(device, module, shapes, others, inputs.known, others_of_data, settings, budget,
                          *never, report.notes);
  if (!never->empty() && !all_waived())
    run_whole_for_coverage(device, module, sampled, inputs, settings, *never, report);
  if (report.failure) return;
  if (budget.ended()) budget.tell(*never);
  waive(unreached, *never, report.notes);
  if (!never->empty()) report.failure = incomplete(std::move(*never));
}

}  // namespace

void pass_over_unsupported(SanitizeReport& report, std::string_view device_kind, bool weakened, bool partly) {
  if (!report.failure || device_kind != "cuda" || weakened) return;
  const bool not_run = partly && report.failure->reason == "incomplete_coverage";
  if (report.failure->status != Status::unsupported && !not_run) return;
  for (Evidence& entry : report.failure->evidence) {
    entry.kind = "not_checked";
    entry.message = "not checked for races, bounds and initialisation: " + entry.message;
    report.notes.push_back(std::move(entry));
  }
  if (report.failure->evidence.empty())
    report.notes.push_back({"not_checked", "not checked: " + report.failure->reason, {}, 0, {}});
  report.failure.reset();
}

SanitizeReport sanitize(devices::Device& device, const model::Artifact& artifact,
                        const std::vector<model::Case>& shapes, const std::vector<model::Case>& others,
                        const oracle::InputSource& inputs, const model::GateSettings& settings,
                        const std::map<std::string, std::string>& unreached,
                        std::span<const model::InputSet> further, const SanitizeOptions& options) {
  SanitizeReport report;
  if (auto note = other_kernels(artifact)) report.notes.push_back(std::move(*note));
  // The virtual device orders generic and asynchronous accesses alike: only this sees a missing fence.
  if (report.failure = check_proxy_fences(artifact); report.failure) return report;
  if (shapes.empty()) {
    report.failure =
        incomplete({{{}, "the template names no sanitize_shapes, so nothing of it was run", {}, 0, {}}});
    return report;
  }
  const auto module = device.load(artifact);
  if (!module) {
    report.failure = module.error();
    return report;
  }
  const CheckSettings checks{settings, have_one_block(shapes, others), options};
  run_shapes(device, *module, shapes, others, inputs, checks, unreached, further, report);
  if (!report.failure && settings.permuted_runs > 0) {
    if (const auto atomics = float_atomics(artifact); !atomics.empty())
      report.failure = check_orders(device, *module, shapes, inputs, settings, atomics);
  }
  device.unload(*module);
  return report;
}

}  // namespace evo::evaluators::gates
