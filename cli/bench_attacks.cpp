#include "cli/bench_attacks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

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
#include "model/hash.hpp"
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

void run_kernel(const Attack& attack, AttackAttempt& attempt, const fs::path& folder, Assembly& assembly) {
  const model::Experiment experiment = attack_experiment(attack, folder, attempt.input_seed);
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
  attempt.gate = report.failed_gate();
  attempt.reason = report.failure()->reason;
  if (!report.failure()->evidence.empty()) attempt.message = report.failure()->evidence.front().message;
}

std::size_t place_of(const std::string& gate) {
  return static_cast<std::size_t>(std::find(gates_in_order.begin(), gates_in_order.end(), gate) -
                                  gates_in_order.begin());
}

void judge(const Attack& attack, AttackAttempt& attempt) {
  const bool passed = attempt.gate.empty();
  if (attack.verdict == AttackVerdict::accept) {
    attempt.outcome = passed ? "accepted" : "REFUSED, BUT RIGHT";
    attempt.as_expected = passed;
  } else if (attack.verdict == AttackVerdict::missed) {
    attempt.outcome = passed ? "missed" : "caught, though expected to be missed";
    attempt.as_expected = passed;
  } else if (passed) {
    attempt.outcome = "NOT CAUGHT";
  } else if (attempt.gate == attack.gate) {
    const bool reason =
        std::any_of(attack.reasons.begin(), attack.reasons.end(),
                    [&](const std::string& wanted) { return wanted == "*" || wanted == attempt.reason; });
    attempt.outcome = reason ? "caught" : "CAUGHT FOR ANOTHER REASON";
    attempt.as_expected = reason;
  } else {
    attempt.as_expected = attack.is_kernel() && place_of(attempt.gate) < place_of(attack.gate);
    attempt.outcome = attempt.as_expected ? "caught earlier" : "CAUGHT BY A LATER GATE";
  }
}

/// The k-th input seed; the first is the entropy itself, so that one seed is what a run without --seeds has.
std::uint64_t seed_of(std::uint64_t entropy, int k) {
  if (k == 0) return entropy;
  std::uint64_t seed = 0;
  const std::string hex = model::sha256(fmt::format("input seed {} of {}", k, entropy)).substr(0, 15);
  std::from_chars(hex.data(), hex.data() + hex.size(), seed, 16);
  return seed;
}

/// One fixture on one seed.
void run_attempt(const Attack& attack, AttackAttempt& attempt, const fs::path& folder, Assembly& assembly) {
  const auto start = std::chrono::steady_clock::now();
  if (attack.is_kernel()) {
    run_kernel(attack, attempt, folder, assembly);
  } else {
    const Caught caught = run_attack_check(attack.name);
    attempt.gate = caught.gate;
    attempt.reason = caught.reason;
  }
  attempt.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  judge(attack, attempt);
}

/// Does all of `work`, several at a time; the first exception ends the suite.
void in_parallel(std::size_t items, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first;
  const auto loop = [&] {
    for (std::size_t i = next++; i < items; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!first) first = std::current_exception();
        next = items;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back(loop);
  }
  if (first) std::rethrow_exception(first);
}

/// What legality, compile and resources say is said of the source: no input has been made by then. A check of
/// the loop has no inputs of a candidate.
bool depends_on_inputs(const AttackRow& row) {
  const std::string& gate = row.attempts.front().gate;
  return row.attack.is_kernel() && (gate.empty() || place_of(gate) > place_of("resources"));
}

/// What is told while many seeds take their time: what is not as expected at once, and how far it is.
class Notes {
 public:
  explicit Notes(bool wanted) : wanted_(wanted) {}
  void done(const Attack& attack, const AttackAttempt& attempt, std::size_t all) {
    if (!wanted_) return;
    const std::scoped_lock lock(mutex_);
    ++done_;
    if (!attempt.as_expected) {
      fmt::print(stderr, "evo: {}: {} on input seed {}\n", attack.name, attempt.outcome, attempt.input_seed);
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::seconds(20)) return;
    told_ = now;
    fmt::print(stderr, "evo: {} of {} attempts\n", done_, all);
  }
  void begin() { done_ = 0; }

 private:
  bool wanted_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

/// Every row on the first seed; then those whose verdict may hang on it on the others.
void run_all(std::vector<AttackRow>& rows, const fs::path& folder, Assembly& assembly,
             const AttackSeeds& seeds, int threads, bool on_virtual, Notes& notes) {
  std::vector<std::pair<AttackRow*, AttackAttempt*>> work;
  for (AttackRow& row : rows) {
    row.not_run = on_virtual && row.attack.bug && !row.attack.bug->needs_gpu.empty();
    if (row.not_run) continue;
    row.attempts.push_back({seed_of(seeds.entropy, 0)});
    work.emplace_back(&row, &row.attempts.front());
  }
  const auto run = [&](std::size_t i) {
    run_attempt(work[i].first->attack, *work[i].second, folder, assembly);
    notes.done(work[i].first->attack, *work[i].second, work.size());
  };
  in_parallel(work.size(), threads, run);
  work.clear();
  notes.begin();
  for (AttackRow& row : rows) {
    if (row.not_run) continue;
    row.seed_counts = depends_on_inputs(row);
    if (!row.seed_counts) continue;
    for (int k = 1; k < seeds.count; ++k) row.attempts.push_back({seed_of(seeds.entropy, k)});
    for (std::size_t k = 1; k < row.attempts.size(); ++k) work.emplace_back(&row, &row.attempts[k]);
  }
  in_parallel(work.size(), threads, run);
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
    if (wanted) rows.push_back({attack});
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
  const AttackSeeds seeds{options.seeds, options.input_seed.value_or(draw_entropy())};
  parts.input_seed = seeds.entropy;
  Assembly assembly(any, device, parts);
  Notes notes(seeds.count > 1 && !common.quiet);
  run_all(rows, folder, assembly, seeds, parts.threads, device.spelling == "virtual", notes);
  const AttackTotals totals = count(rows);
  const std::string title = options.bugs ? "bug" : "attack";
  if (common.json) {
    print_attack_json(rows, seeds, device.spelling);
  } else {
    print_attack_text(rows, seeds, device.spelling, title);
  }
  // A bug of the table has to be caught, or to name the device that catches it.
  const bool few_missed =
      options.bugs || !options.only.empty() || totals.missed <= most_missed * totals.attacks;
  const bool good = totals.unexpected == 0 && few_missed;
  return static_cast<int>(good ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
