#include "cli/bench_attacks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "cli/assembly.hpp"
#include "cli/attack_checks.hpp"
#include "cli/attack_manifest.hpp"
#include "cli/json_output.hpp"
#include "cli/load.hpp"
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

struct Row {
  Attack attack;
  std::string gate, reason, message;  ///< of the refusal; empty when nothing refused it
  std::string outcome;                ///< caught, earlier, accepted, missed, or what is wrong
  bool as_expected = false;
  double milliseconds = 0;
};

fs::path suite_folder(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  std::vector<fs::path> above{fs::current_path()};
  for (fs::path folder = fs::path(evaluators::process::self_path()).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    above.push_back(folder);
  }
  for (const fs::path& folder : above) {
    std::error_code ignored;
    if (fs::exists(folder / "tests/attacks/expected.yaml", ignored)) return folder / "tests/attacks";
  }
  throw model::Exception(
      model::ExitCode::usage,
      "there is no tests/attacks here; name the folder: evo bench --attacks --attack-folder DIR");
}

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw model::Exception(model::ExitCode::invalid_configuration, "cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

model::Workload read_workload(const std::string& text) {
  model::Workload workload{"timed", 1, {}};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t equals = text.find('=', begin);
    if (equals >= end)
      throw model::Exception(model::ExitCode::invalid_configuration, "no axis=value: " + text);
    workload.axes[text.substr(begin, equals - begin)] = std::stoll(text.substr(equals + 1, end - equals - 1));
    begin = end + 1;
  }
  return workload;
}

/// What `evo check` would do with the fixture, under limits that suit a suite.
model::Experiment experiment_of(const Attack& attack, const fs::path& folder, std::uint64_t input_seed) {
  model::Experiment experiment;
  experiment.name = attack.name;
  experiment.problem = load_problem_or_throw((folder / "problems" / attack.problem).string());
  const model::Template* found = experiment.problem.find_template(attack.kernel);
  if (found == nullptr) {
    throw model::Exception(model::ExitCode::invalid_configuration,
                           fmt::format("problem {} has no template {}", attack.problem, attack.kernel));
  }
  model::Template kernel = *found;
  kernel.source = read_text(attack.file);
  // What an earlier run compiled under a longer limit must not answer for the compiler now.
  if (attack.file.parent_path().filename() == "compile")
    kernel.source += fmt::format("\n// {}\n", input_seed);
  kernel.source_file = attack.file.filename().string();
  experiment.problem.templates = {kernel};
  experiment.baseline_template = kernel.name;
  experiment.baseline = kernel.space.initial();
  experiment.accuracy_class = experiment.problem.tolerances.front().accuracy_class;
  const std::string target = attack.target.empty() ? "l4" : attack.target;
  if (model::find_target(target) == nullptr)
    throw model::Exception(model::ExitCode::invalid_configuration, "unknown target " + target);
  experiment.target = *model::find_target(target);
  experiment.input_seed = input_seed;
  experiment.workloads = {read_workload(attack.workload)};
  experiment.gates.compile_timeout_s = 4;
  experiment.gates.compile_memory_mb = 1500;
  experiment.gates.instruction_budget = 30'000'000;
  experiment.gates.launch_timeout_ms = 500;
  config::complete_workloads(experiment);
  return experiment;
}

void run_kernel(Row& row, const fs::path& folder, Assembly& assembly, std::uint64_t input_seed) {
  const model::Experiment experiment = experiment_of(row.attack, folder, input_seed);
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

void judge(Row& row) {
  const Attack& attack = row.attack;
  const bool passed = row.gate.empty();
  if (attack.verdict == AttackVerdict::accept) {
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
    row.as_expected = attack.file.empty() ? false : place_of(row.gate) < place_of(attack.gate);
    row.outcome = row.as_expected ? "caught earlier" : "CAUGHT BY A LATER GATE";
  }
}

/// Runs every row, several at a time; the first exception ends the suite.
void run_all(std::vector<Row>& rows, const fs::path& folder, Assembly& assembly, std::uint64_t input_seed,
             int threads) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first;
  const auto work = [&] {
    for (std::size_t i = next++; i < rows.size(); i = next++) {
      const auto start = std::chrono::steady_clock::now();
      try {
        if (rows[i].attack.file.empty()) {
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

struct Totals {
  int attacks = 0, caught = 0, missed = 0, controls = 0, accepted = 0, unexpected = 0;
  std::map<std::string, int> by_gate;
};

Totals count(const std::vector<Row>& rows) {
  Totals totals;
  for (const Row& row : rows) {
    totals.unexpected += row.as_expected ? 0 : 1;
    if (row.attack.verdict == AttackVerdict::accept) {
      ++totals.controls;
      totals.accepted += row.gate.empty() ? 1 : 0;
      continue;
    }
    ++totals.attacks;
    if (row.gate.empty()) {
      ++totals.missed;
    } else {
      ++totals.caught;
      ++totals.by_gate[row.gate];
    }
  }
  return totals;
}

void print_text(const std::vector<Row>& rows, const Totals& totals, const std::string& device) {
  fmt::print("{:<8} {:<26} {:<12} {:<22} {:>7}  {}\n", "id", "attack", "gate", "reason", "ms", "outcome");
  for (const Row& row : rows) {
    fmt::print("{:<8} {:<26} {:<12} {:<22} {:>7.0f}  {}\n", row.attack.id, row.attack.name,
               row.gate.empty() ? "-" : row.gate, row.reason.empty() ? "-" : row.reason, row.milliseconds,
               row.outcome);
    if (!row.attack.why.empty()) fmt::print("{:>8} because {}\n", "", row.attack.why);
    if (!row.as_expected && !row.message.empty()) fmt::print("{:>8} {}\n", "", row.message.substr(0, 300));
  }
  std::string gates;
  for (const auto& [gate, number] : totals.by_gate)
    gates += fmt::format("{}{} {}", gates.empty() ? "" : ", ", gate, number);
  fmt::print(
      "on {}: {} of {} attacks caught ({}); {} missed; {} of {} controls accepted; {} not as expected\n",
      device, totals.caught, totals.attacks, gates, totals.missed, totals.accepted, totals.controls,
      totals.unexpected);
}

void print_document(const std::vector<Row>& rows, const Totals& totals, const std::string& device) {
  boost::json::array list;
  for (const Row& row : rows) {
    list.push_back({{"id", row.attack.id},
                    {"attack", row.attack.name},
                    {"title", row.attack.title},
                    {"gate", row.gate.empty() ? boost::json::value(nullptr) : boost::json::value(row.gate)},
                    {"reason", row.reason},
                    {"outcome", row.outcome},
                    {"as_expected", row.as_expected},
                    {"why", row.attack.why},
                    {"ms", row.milliseconds}});
  }
  print_json(boost::json::object{{"device", device},
                                 {"attacks", totals.attacks},
                                 {"caught", totals.caught},
                                 {"missed", totals.missed},
                                 {"controls", totals.controls},
                                 {"accepted", totals.accepted},
                                 {"unexpected", totals.unexpected},
                                 {"fixtures", std::move(list)}});
}

}  // namespace

int bench_attacks(const CommonOptions& common, const AttackOptions& options) {
  const fs::path folder = suite_folder(options.folder);
  std::vector<Row> rows;
  for (Attack& attack : read_attacks(folder)) {
    const bool wanted = options.only.empty() ||
                        std::any_of(options.only.begin(), options.only.end(), [&](const std::string& word) {
                          return attack.name.find(word) != std::string::npos || attack.id == word;
                        });
    if (wanted) rows.push_back({std::move(attack), {}, {}, {}, {}, false, 0});
  }
  if (rows.empty()) throw model::Exception(model::ExitCode::usage, "no attack of that name");
  // The parts of an evaluation; every fixture then has a ladder of its own on them.
  const auto kernel =
      std::find_if(rows.begin(), rows.end(), [](const Row& row) { return !row.attack.file.empty(); });
  const model::Experiment any =
      experiment_of(kernel == rows.end() ? read_attacks(folder).front() : kernel->attack, folder, 1);
  const DeviceChoice device = choose_device(options.device.empty() ? "virtual" : options.device, any.target);
  AssemblyOptions parts;
  parts.threads = threads_or_cores(options.threads);
  parts.input_seed = draw_entropy();
  Assembly assembly(any, device, parts);
  run_all(rows, folder, assembly, parts.input_seed, parts.threads);
  const Totals totals = count(rows);
  if (common.json) {
    print_document(rows, totals, device.spelling);
  } else {
    print_text(rows, totals, device.spelling);
  }
  const bool few_missed = !options.only.empty() || totals.missed <= most_missed * totals.attacks;
  const bool good = totals.unexpected == 0 && few_missed;
  return static_cast<int>(good ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
