#include "evaluators/gates/device_job.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "evaluators/gates/correctness.hpp"
#include "evaluators/gates/job_context.hpp"
#include "evaluators/gates/latency.hpp"
#include "evaluators/gates/loaded_module.hpp"
#include "evaluators/gates/paired.hpp"
#include "evaluators/gates/sanitize.hpp"
#include "evaluators/gates/stopwatch.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {
namespace {

/// What one gate of a job takes. In a worker, which runs one job at a time, all of the process's CPU time is
/// the gate's; on the virtual device it is this thread's and its helpers'.
class Meter {
 public:
  explicit Meter(const devices::Device& device)
      : device_(device), is_virtual_(device.info().kind == "virtual"), cpu_(cpu()), usage_(device.usage()) {}

  void close(model::Gate gate, std::optional<model::Failure> failure, DeviceResult& result) const {
    const double milliseconds = watch_.milliseconds();
    const devices::DeviceUsage now = device_.usage();
    const bool passed = !failure.has_value();
    result.gates.push_back({gate, std::move(failure), milliseconds});
    result.times.push_back(
        {gate, 1, milliseconds / 1000, cpu() - cpu_ + now.helper_cpu_seconds - usage_.helper_cpu_seconds,
         now.device_seconds - usage_.device_seconds, now.waiting_seconds - usage_.waiting_seconds});
    GateTime& time = result.times.back();
    time.wall -= time.waiting;
    if (passed) time.passed = 1, time.device_passed = time.device;
  }

 private:
  [[nodiscard]] double cpu() const { return is_virtual_ ? thread_cpu_seconds() : process_cpu_seconds(); }

  const devices::Device& device_;
  bool is_virtual_;
  double cpu_;
  devices::DeviceUsage usage_;
  Stopwatch watch_;
};

/// What `measure` times, again where the device slowed itself down meanwhile. A failure is told, hot or not.
template <class Measure>
auto time_unslowed(devices::Device& device, const DeviceJob& job, model::HeldClocks& clocks,
                   const Measure& measure) {
  clocks.watched = true;
  for (std::uint32_t pause = job.pause_ms;; pause *= 2) {
    ClockWatch watch(device);
    auto measured = measure(watch);
    watch.end();
    if (!note_clocks(watch, measured ? job.most_discarded : 0, clocks)) return measured;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
  }
}

using Until = std::optional<std::chrono::steady_clock::time_point>;

void run_gates(devices::Device& device, const DeviceJob& job, oracle::ReferenceCache& cache, Until until,
               DeviceResult& result) {
  const Meter correctness(device);
  const auto module = [&] {
    const devices::DeviceLock lock = device.lock_device();
    return device.load(job.artifact);
  }();
  if (!module) {
    correctness.close(model::Gate::correctness, module.error(), result);
    return;
  }
  const LoadedModule loaded(device, *module);
  const JobContext context{device, *module, job, cache, until};
  correctness.close(model::Gate::correctness, check_correctness(context, result.notes), result);
  if (!result.gates.back().pass() || job.timed_cases.empty()) return;

  const Meter latency(device);
  std::vector<model::Evidence> notes;
  auto timed = time_unslowed(device, job, result.clocks, [&](ClockWatch& watch) {
    notes.clear();
    return measure_latency(context, watch, &notes);
  });
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  if (timed) {
    result.latencies = std::move(timed->latencies);
    for (model::SampleSeries& one : timed->samples) one.us = model::kept_samples(one.us);
    result.samples = std::move(timed->samples);
  }
  latency.close(model::Gate::latency, timed ? std::nullopt : std::optional(std::move(timed.error())), result);
}

void run_paired(devices::Device& device, const DeviceJob& job, oracle::ReferenceCache& cache, Until,
                DeviceResult& result) {
  const Meter latency(device);
  auto series = time_unslowed(device, job, result.clocks,
                              [&](ClockWatch& watch) { return measure_paired(device, job, cache, watch); });
  if (series) result.paired = std::move(*series);
  latency.close(model::Gate::latency, series ? std::nullopt : std::optional(std::move(series.error())),
                result);
  // Its time is the latency gate's, but no trial climbed here.
  GateTime& time = result.times.back();
  time.trials = 0, time.passed = 0, time.device_passed = 0;
}

void run_sanitize(devices::Device& device, const DeviceJob& job, oracle::ReferenceCache& cache, Until,
                  DeviceResult& result) {
  if (job.input_sets.empty() || job.workload_count > job.cases.size())
    throw model::Exception(model::ExitCode::failed,
                           "a sanitize job without input sets or with too few cases");
  const Meter meter(device);
  const auto first_other = job.cases.begin() + static_cast<std::ptrdiff_t>(job.workload_count);
  SanitizeReport report =
      sanitize(device, job.artifact, {job.cases.begin(), first_other}, {first_other, job.cases.end()},
               {cache.catalogue(), job.input_sets.front()}, job.settings, job.sanitize->unreached,
               std::span(job.input_sets).subspan(1), {!job.equal_writes.empty(), job.whole_launches});
  result.notes = std::move(report.notes);
  result.blocks_share = report.blocks_share;
  meter.close(model::Gate::sanitize, std::move(report.failure), result);
}

}  // namespace

CaseUse use_of(const DeviceJob& job, std::size_t case_index) {
  if (case_index < job.uses.size()) return job.uses[case_index];
  return case_index < job.workload_count ? CaseUse::workload : CaseUse::odd;
}

void name_oracle(DeviceJob& job, const std::string& name, const oracle::Catalogue& known) {
  job.oracle = name;
  const oracle::Oracle* oracle = known.find_oracle(name);
  if (oracle != nullptr && oracle->computed != nullptr && oracle->computed->parts() != nullptr)
    job.reference = *oracle->computed->parts();
}

std::int64_t largest_of(const DeviceJob& job, const std::string& axis) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < job.cases.size(); ++i) {
    if (use_of(job, i) == CaseUse::alone) continue;
    const auto value = job.cases[i].axes.find(axis);
    if (value != job.cases[i].axes.end()) largest = std::max(largest, value->second);
  }
  return largest;
}

bool is_stretched(const DeviceJob& job, std::size_t case_index) {
  constexpr double small_flops = 1048576;  // 2^20
  constexpr std::uint64_t few_blocks = 32;
  const CaseUse use = use_of(job, case_index);
  if (use != CaseUse::crossed && use != CaseUse::rescaled)
    return use == CaseUse::stretched || use == CaseUse::alone;
  const auto& grid = job.cases[case_index].launch.grid;
  return job.cases[case_index].flops > small_flops || std::uint64_t{grid[0]} * grid[1] * grid[2] > few_blocks;
}

DeviceResult run_device_job(devices::Device& device, const DeviceJob& job, oracle::ReferenceCache& cache,
                            std::optional<std::chrono::steady_clock::time_point> until) {
  const Stopwatch total;
  DeviceResult result;
  const auto run = job.sanitize ? &run_sanitize : job.opponent ? &run_paired : &run_gates;
  run(device, job, cache, until, result);
  // A device that nobody shares is taken for the whole job.
  const double held = device.usage().device_seconds;
  result.device_seconds = held > 0 ? held : total.milliseconds() / 1000;
  return result;
}

DeviceResult run_device_job(devices::Device& device, const DeviceJob& job, const oracle::Catalogue& known) {
  oracle::ReferenceCache cache(known);
  return run_device_job(device, job, cache);
}

}  // namespace evo::evaluators::gates
