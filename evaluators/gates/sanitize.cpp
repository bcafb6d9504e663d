#include "evaluators/gates/sanitize.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "evaluators/gates/coverage_search.hpp"
#include "evaluators/gates/float_atomics.hpp"
#include "evaluators/gates/other_kernels.hpp"
#include "evaluators/gates/placement.hpp"
#include "evaluators/gates/proxy_fences.hpp"
#include "evaluators/gates/sanitize_launch.hpp"
#include "evaluators/gates/sanitize_sample.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/specials.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Evidence;
using model::Failure;
using model::Status;

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

/// A heavy shape in some of its blocks, which is noted in `sampled`, or whole where those need the others.
Outcome<devices::LaunchReport> run_affordably(const SanitizeBench& bench, const model::Case& shape,
                                              const Placement& placement, const oracle::InputSource& inputs,
                                              std::vector<const model::Case*>& sampled) {
  std::vector<std::uint64_t> blocks =
      bench.asked.whole_launches ? std::vector<std::uint64_t>{} : blocks_to_sanitize(shape);
  if (!blocks.empty()) {
    auto some =
        run_shape(bench, shape, placement, inputs, {.schedule_seed = 0, .numbers = std::move(blocks)});
    if (!some || some->blocks_independent) {
      sampled.push_back(&shape);
      return some;
    }
  }
  return run_shape(bench, shape, placement, inputs);
}

/// The heaviest of those that take milliseconds whole; nullptr if there is none.
const model::Case* heaviest_light(const std::vector<model::Case>& cases) {
  constexpr double most_simulated_flops = 4194304, most_threads = 131072;  // 2^22, 2^17
  const model::Case* found = nullptr;
  for (const model::Case& one : cases) {
    if (one.flops > most_simulated_flops || model::threads_in(one.launch) > most_threads) continue;
    if (found == nullptr || one.flops > found->flops) found = &one;
  }
  return found;
}

Failure incomplete(std::vector<Evidence> evidence) {
  for (Evidence& entry : evidence) {
    entry.kind = "incomplete_coverage";
    if (entry.line > 0 && !entry.file.empty()) {
      const bool ended_early =
          std::ranges::any_of(entry.details, [](const auto& detail) { return detail.first == "search"; });
      entry.message += fmt::format(
          "{} If a size or data of yours does, declare it (a workload, "
          "check_workloads, an input set with a fill); if nothing can, say so in the template: unreached: "
          "{{\"{}:{}\": why}}.",
          ended_early ? "" : " No shape and no input set reaches it.", entry.file, entry.line);
    }
  }
  return {Status::sanitizer_fail, "incomplete_coverage", std::move(evidence)};
}

/// What no size decides: those with NaN or infinity in them, then those of zeros (a sum that is 0, a row that
/// is skipped); and all others. Each in their order.
std::pair<std::vector<model::InputSet>, std::vector<model::InputSet>> rare_first(
    std::span<const model::InputSet> sets) {
  std::vector<model::InputSet> rare, zeros, others;
  for (const model::InputSet& set : sets) {
    // That all is NaN ("not_numbers") stands behind all others.
    if (set.kind == oracle::nans_kind || oracle::holds_infinities(set))
      rare.push_back(set);
    else if (set.kind == oracle::zeros_kind || set.kind == oracle::all_zero_kind)
      zeros.push_back(set);
    else
      others.push_back(set);
  }
  std::copy(zeros.begin(), zeros.end(), std::back_inserter(rare));
  // At other sizes, too, once these are known to tell nothing.
  std::move(zeros.begin(), zeros.end(), std::back_inserter(others));
  return {std::move(rare), std::move(others)};
}

using Waivers = std::map<std::string, std::string>;

/// Makes notes of the blocks of waived lines, and of waivers that nothing needs.
void waive(const Waivers& unreached, std::vector<Evidence>& never, std::vector<Evidence>& notes) {
  for (const auto& [where, why] : unreached) {
    const auto waived = [&line = where](const Evidence& entry) {
      return fmt::format("{}:{}", entry.file, entry.line) == line;
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

/// What the shapes themselves showed.
struct ShapesRun {
  std::vector<Evidence> never;              ///< code that none of them ran
  std::vector<const model::Case*> sampled;  ///< those that ran in some of their blocks
  bool complete = false;                    ///< each that counts for coverage has run, and none failed
};

ShapesRun run_shapes(const SanitizeBench& bench, const std::vector<model::Case>& shapes,
                     const std::vector<model::Case>& others, const oracle::InputSource& inputs,
                     SanitizeReport& report) {
  ShapesRun run;
  std::optional<std::vector<Evidence>> never;
  std::vector<const model::Case*> to_run;
  for (const model::Case& shape : shapes) to_run.push_back(&shape);
  for (std::size_t i = 0; i < to_run.size(); ++i) {
    const model::Case& shape = *to_run[i];
    auto outcome =
        run_affordably(bench, shape, in_turn(shape, static_cast<unsigned>(i)), inputs, run.sampled);
    // What blocks do to each other shows where all of them run.
    if (i + 1 == shapes.size() && run.sampled.size() == shapes.size()) {
      if (const model::Case* light = heaviest_light(others)) to_run.push_back(light);
    }
    if (!outcome) {
      const bool more_to_see =
          outcome.error().status == Status::sanitizer_fail || outcome.error().status == Status::device_fault;
      const Details seen{{"case", shape.name}, {"axes", axes_text(shape)}};
      add_findings(report.failure, located(std::move(outcome.error()), seen));
      if (!more_to_see || bench.device.lost()) return run;
      continue;
    }
    if (never)
      keep_unexecuted(*never, outcome->unexecuted);
    else
      never = outcome->unexecuted;
    report.blocks_share |= !outcome->blocks_independent;
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
  run.complete = never && !report.failure;
  if (run.complete) run.never = std::move(*never);
  return run;
}

/// Looks for launches that run what the shapes did not, and makes a failure of what is left.
void look_for_the_rest(const SanitizeBench& bench, const std::vector<model::Case>& shapes,
                       const std::vector<model::Case>& others, const oracle::InputSource& inputs,
                       const Waivers& unreached, std::span<const model::InputSet> further, ShapesRun run,
                       SanitizeReport& report) {
  const auto all_waived = [&](const std::vector<Evidence>& never) {
    return std::all_of(never.begin(), never.end(), [&](const Evidence& entry) {
      return unreached.contains(fmt::format("{}:{}", entry.file, entry.line));
    });
  };
  // What the template says that no launch reaches is looked for less long: it may be wrong.
  const SearchBudget budget(all_waived(run.never) ? SearchBudget::usual / 16 : SearchBudget::usual);
  CoverageSearch search(bench, std::move(run.never), budget);
  const auto [rare, others_of_data] = rare_first(further);
  // What a NaN or a zero decides no size reaches, and all sizes together may take the whole budget.
  if (!all_waived(search.left())) {
    search.budget.keep_back(15);
    search.data(shapes, {}, inputs.known, rare);
  }
  // Nor may sizes take what other data need.
  search.budget.keep_back(1);
  if (report.blocks_share) search.orders(shapes, inputs);
  if (!search.failure) search.sizes(others, inputs, report.blocks_share);
  search.budget.keep_back(0);
  if (!search.failure && !all_waived(search.left()))
    search.data(shapes, others, inputs.known, others_of_data);
  if (!search.failure && !all_waived(search.left())) search.whole(run.sampled, inputs);
  std::move(search.notes.begin(), search.notes.end(), std::back_inserter(report.notes));
  report.failure = std::move(search.failure);
  if (report.failure) return;
  if (search.budget.ended()) search.budget.tell(search.left());
  waive(unreached, search.left(), report.notes);
  if (!search.left().empty()) report.failure = incomplete(std::move(search.left()));
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
  const SanitizeBench bench{device, *module, settings, options, have_one_block(shapes, others)};
  ShapesRun run = run_shapes(bench, shapes, others, inputs, report);
  if (run.complete)
    look_for_the_rest(bench, shapes, others, inputs, unreached, further, std::move(run), report);
  if (!report.failure && settings.permuted_runs > 0) {
    if (const auto atomics = float_atomics(artifact); !atomics.empty())
      report.failure = check_orders(device, *module, shapes, inputs, settings, atomics);
  }
  device.unload(*module);
  return report;
}

}  // namespace evo::evaluators::gates
