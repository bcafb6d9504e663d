#include "cli/bench_attacks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "cli/assembly.hpp"
#include "cli/attack_checks.hpp"
#include "cli/attack_manifest.hpp"
#include "cli/attack_subject.hpp"
#include "cli/attack_table.hpp"
#include "cli/run_session.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"

namespace evo::cli {
namespace {

namespace fs = std::filesystem;

constexpr double most_missed = 0.05;

/// The ladder's gates in order; what judges the loop stands behind them.
constexpr std::array<std::string_view, 6> gates_in_order{"legality", "compile",     "resources",
                                                         "sanitize", "correctness", "latency"};

fs::path suite_folder(const AttackOptions& options) {
  if (!options.folder.empty()) return options.folder;
  const fs::path wanted = options.bugs ? "tests/bugs" : "tests/attacks";
  std::vector<fs::path> above{fs::current_path()};
  for (fs::path folder = fs::path(evaluators::process::self_path()).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    above.push_back(folder);
  }
  for (const fs::path& folder : above) {
    std::error_code ignored;
    if (fs::exists(folder / wanted / (options.bugs ? "bugs.yaml" : "expected.yaml"), ignored))
      return folder / wanted;
  }
  throw model::Exception(model::ExitCode::usage,
                         fmt::format("there is no {} here; name the folder: evo bench {} --attack-folder DIR",
                                     wanted.string(), options.bugs ? "--bugs" : "--attacks"));
}

void run_kernel(AttackRow& row, const fs::path& folder, Assembly& assembly, std::uint64_t input_seed) {
  const model::Experiment experiment = attack_experiment(row.attack, folder, input_seed);
  const auto virtual_device = [target = experiment.target] {
    return std::make_unique<evaluators::devices::VirtualDevice>(target);
  };
  evaluators::gates::Ladder ladder(experiment, assembly.compiler(), assembly.runner(), virtual_device);
  const model::Template& kernel = experiment.problem.templates.front();
  const model::Space space =
      model::bind_space(experiment.problem, kernel, experiment.workloads.front().axes, experiment.target);
  const evaluators::gates::GateReport report =
      evaluators::gates::prove(ladder, model::make_variant(kernel, space, experiment.baseline));
  if (report.valid()) return;
  row.gate = report.failed_gate();
  row.reason = report.failure()->reason;
  if (!report.failure()->evidence.empty()) row.message = report.failure()->evidence.front().message;
}

std::size_t place_of(const std::string& gate) {
  return static_cast<std::size_t>(std::find(gates_in_order.begin(), gates_in_order.end(), gate) -
                                  gates_in_order.begin());
}

void judge(AttackRow& row) {
  const Attack& attack = row.attack;
  const bool passed = row.gate.empty();
  if (row.not_run) {
    row.outcome = "not run: needs a GPU";
    row.as_expected = true;
  } else if (attack.verdict == AttackVerdict::accept) {
    row.outcome = passed ? "accepted" : "REFUSED, BUT RIGHT";
    row.as_expected = passed;
  } else if (attack.verdict == AttackVerdict::missed) {
    row.outcome = passed ? "missed" : "caught, though expected to be missed";
    row.as_expected = passed;
  } else if (passed) {
    row.outcome = "NOT CAUGHT";
  } else if (row.gate == attack.gate) {
    const bool reason =
        std::any_of(attack.reasons.begin(), attack.reasons.end(),
                    [&](const std::string& wanted) { return wanted == "*" || wanted == row.reason; });
    row.outcome = reason ? "caught" : "CAUGHT FOR ANOTHER REASON";
    row.as_expected = reason;
  } else {
    row.as_expected = attack.is_kernel() && place_of(row.gate) < place_of(attack.gate);
    row.outcome = row.as_expected ? "caught earlier" : "CAUGHT BY A LATER GATE";
  }
}

/// Runs every row, several at a time; the first exception ends the suite.
void run_all(std::vector<AttackRow>& rows, const fs::path& folder, Assembly& assembly,
             std::uint64_t input_seed, int threads, bool on_virtual) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first;
  const auto work = [&] {
    for (std::size_t i = next++; i < rows.size(); i = next++) {
      if (on_virtual && rows[i].attack.bug && !rows[i].attack.bug->needs_gpu.empty()) {
        rows[i].not_run = true;
        judge(rows[i]);
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      try {
        if (!rows[i].attack.is_kernel()) {
          const Caught caught = run_attack_check(rows[i].attack.name);
          rows[i].gate = caught.gate;
          rows[i].reason = caught.reason;
        } else {
          run_kernel(rows[i], folder, assembly, input_seed);
        }
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!first) first = std::current_exception();
        next = rows.size();
      }
      rows[i].milliseconds =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      judge(rows[i]);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back(work);
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace

int bench_attacks(const CommonOptions& common, const AttackOptions& options) {
  const fs::path folder = suite_folder(options);
  std::vector<Attack> attacks = options.bugs ? read_bugs(folder) : read_attacks(folder);
  std::vector<AttackRow> rows;
  for (Attack& attack : attacks) {
    const bool wanted = options.only.empty() ||
                        std::any_of(options.only.begin(), options.only.end(), [&](const std::string& word) {
                          return attack.name.find(word) != std::string::npos || attack.id == word;
                        });
    if (wanted) rows.push_back({attack, {}, {}, {}, {}, false, 0});
  }
  if (rows.empty()) throw model::Exception(model::ExitCode::usage, "no attack of that name");
  // The parts of an evaluation; every fixture then has a ladder of its own on them.
  const auto kernel =
      std::find_if(rows.begin(), rows.end(), [](const AttackRow& row) { return row.attack.is_kernel(); });
  const model::Experiment any =
      attack_experiment(kernel == rows.end() ? attacks.front() : kernel->attack, folder, 1);
  const DeviceChoice device = choose_device(options.device.empty() ? "virtual" : options.device, any.target);
  AssemblyOptions parts;
  parts.threads = threads_or_cores(options.threads);
  parts.input_seed = draw_entropy();
  Assembly assembly(any, device, parts);
  run_all(rows, folder, assembly, parts.input_seed, parts.threads, device.spelling == "virtual");
  const AttackTotals totals = count(rows);
  const std::string title = options.bugs ? "bug" : "attack";
  if (common.json) {
    print_attack_json(rows, device.spelling);
  } else {
    print_attack_text(rows, device.spelling, title);
  }
  // A bug of the table has to be caught, or to name the device that catches it.
  const bool few_missed =
      options.bugs || !options.only.empty() || totals.missed <= most_missed * totals.attacks;
  const bool good = totals.unexpected == 0 && few_missed;
  return static_cast<int>(good ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
