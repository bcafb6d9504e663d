#include "suites/runner.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"
#include "packs/builtin.hpp"
#include "suites/attack_checks.hpp"
#include "suites/attack_subject.hpp"
#include "suites/expected_verdict.hpp"

namespace evo::suites {
namespace {

namespace fs = std::filesystem;

void run_kernel(const Attack& attack, AttackAttempt& attempt, const fs::path& folder,
                session::EvaluationStack& stack) {
  const model::Experiment experiment = attack_experiment(attack, folder, attempt.input_seed);
  // The target is the fixture's own, not the one that the stack was made for.
  const auto virtual_device = [target = experiment.target] {
    return std::make_unique<evaluators::devices::VirtualDevice>(target);
  };
  // Not the stack's: it also has the reference of the problem that the stack was made for.
  evaluators::oracle::Catalogue known = packs::catalogue_of(packs::builtin());
  std::optional<evaluators::gates::InProcessRunner> own;
  if (known.find_oracle(experiment.problem.oracle) == nullptr) {
    evaluators::reference::add_reference(known, experiment, stack.compiler());
    if (stack.runner().info().kind == "virtual") own.emplace(virtual_device, known);
  }
  evaluators::gates::JobRunner& runner = own ? *own : stack.runner();
  evaluators::gates::Ladder ladder(experiment, stack.compiler(), runner, virtual_device, known);
  ladder.ask_beyond_floats();
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

/// One fixture on one seed.
void run_attempt(const Attack& attack, AttackAttempt& attempt, const fs::path& folder,
                 session::EvaluationStack& stack) {
  const auto start = std::chrono::steady_clock::now();
  if (attack.is_kernel()) {
    run_kernel(attack, attempt, folder, stack);
  } else {
    const CaughtBy caught = run_attack_check(attack.name);
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

/// What is told while many seeds take their time: what is not as expected at once, and how far it is.
class Notes {
 public:
  explicit Notes(const session::Tell& tell) : tell_(tell) {}
  void done(const Attack& attack, const AttackAttempt& attempt, std::size_t all) {
    if (!tell_) return;
    const std::scoped_lock lock(mutex_);
    ++done_;
    if (!attempt.as_expected)
      tell_(fmt::format("{}: {} on input seed {}", attack.name, attempt.outcome, attempt.input_seed));
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::seconds(20)) return;
    told_ = now;
    tell_(fmt::format("{} of {} attempts", done_, all));
  }
  void begin() { done_ = 0; }

 private:
  const session::Tell& tell_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

/// Every row on the first seed; then those whose verdict may hang on it on the others.
void run_all(std::vector<AttackRow>& rows, const fs::path& folder, session::EvaluationStack& stack,
             const AttackSeeds& seeds, int threads, bool on_virtual, Notes& notes) {
  std::vector<std::pair<AttackRow*, AttackAttempt*>> work;
  for (AttackRow& row : rows) {
    row.not_run = on_virtual && row.attack.bug && !row.attack.bug->needs_gpu.empty();
    if (row.not_run) continue;
    row.attempts.push_back({seed_of(seeds.entropy, 0)});
    work.emplace_back(&row, &row.attempts.front());
  }
  const auto run = [&](std::size_t i) {
    run_attempt(work[i].first->attack, *work[i].second, folder, stack);
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

std::vector<AttackRow> wanted_rows(const std::vector<Attack>& attacks, const std::vector<std::string>& only,
                                   SuiteShare share) {
  std::vector<AttackRow> rows;
  for (const Attack& attack : attacks) {
    const bool wanted = only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& word) {
                          return attack.name.find(word) != std::string::npos || attack.id == word;
                        });
    if (wanted) rows.push_back({attack});
  }
  if (rows.empty()) {
    std::vector<std::string> names;
    for (const Attack& attack : attacks) {
      names.push_back(attack.name);
      names.push_back(attack.id);
    }
    const auto near = config::nearest(only.front(), names);
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("--only {}: none of {} kernels has this in its name{}", only.front(), attacks.size(),
                    near ? fmt::format(" (did you mean '{}'?)", *near) : ""));
  }
  std::vector<AttackRow> shared;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % static_cast<std::size_t>(share.of) + 1 == static_cast<std::size_t>(share.part))
      shared.push_back(std::move(rows[i]));
  }
  if (!shared.empty()) return shared;
  throw model::Exception(model::ExitCode::usage, fmt::format("--share {}/{}: there are only {} fixtures",
                                                             share.part, share.of, rows.size()));
}

}  // namespace

SuiteShare parse_share(const std::string& text) {
  SuiteShare share;
  const char* const end = text.data() + text.size();
  const auto [slash, wrong] = std::from_chars(text.data(), end, share.part);
  if (wrong == std::errc() && slash != end && *slash == '/') {
    const auto [rest, no_number] = std::from_chars(slash + 1, end, share.of);
    if (no_number == std::errc() && rest == end && share.part >= 1 && share.part <= share.of) return share;
  }
  throw model::Exception(model::ExitCode::usage,
                         fmt::format("--share {}: a part of so many, counted from 1, such as 2/3", text));
}

fs::path find_suite(bool bugs, const std::string& executable) {
  const fs::path name = bugs ? "bugs" : "attacks";
  const fs::path bin = fs::path(executable).parent_path();
  std::vector<fs::path> places{"suites", (bin / ".." / "share" / "evo" / "suites").lexically_normal()};
  // A binary in build/PRESET/cli of a source tree.
  for (fs::path folder = bin; folder.has_relative_path(); folder = folder.parent_path())
    places.push_back(folder / "suites");
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::exists(place / name / (bugs ? "bugs.yaml" : "expected.yaml"), ignored))
      return fs::absolute(place / name);
  }
  throw model::Exception(
      model::ExitCode::usage,
      fmt::format("there is no suites/{} below the working directory, in {} or above the binary; name the "
                  "folder: evo bench {} --attack-folder DIR",
                  name.string(), places[1].string(), bugs ? "--bugs" : "--attacks"));
}

SuiteReport run_suite(const SuiteRequest& request, const session::Tell& tell) {
  const fs::path folder =
      request.folder.empty() ? find_suite(request.bugs, evaluators::process::self_path()) : request.folder;
  const std::vector<Attack> attacks = request.bugs ? read_bugs(folder) : read_attacks(folder);
  SuiteReport report;
  report.rows = wanted_rows(attacks, request.only, request.share);
  // The parts of an evaluation; every fixture then has a ladder of its own on them.
  const auto kernel = std::find_if(report.rows.begin(), report.rows.end(),
                                   [](const AttackRow& row) { return row.attack.is_kernel(); });
  const model::Experiment any =
      attack_experiment(kernel == report.rows.end() ? attacks.front() : kernel->attack, folder, 1);
  const session::DeviceChoice device =
      session::choose_device(request.device.empty() ? "virtual" : request.device, any.target);
  session::StackOptions parts;
  parts.threads = session::threads_or_cores(request.threads);
  report.device = device.id;
  report.seeds = {request.seeds, request.input_seed.value_or(session::draw_entropy())};
  parts.input_seed = report.seeds.entropy;
  session::EvaluationStack stack(any, device, parts);
  Notes notes(tell);
  run_all(report.rows, folder, stack, report.seeds, parts.threads, device.id == "virtual", notes);
  report.as_it_should_be =
      good(count(report.rows), request.bugs, !request.only.empty() || request.share.of > 1);
  return report;
}

}  // namespace evo::suites
