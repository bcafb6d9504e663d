#include "evaluators/worker/launch_main.hpp"

#include <unistd.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/cuda/launch_counters.hpp"
#include "evaluators/devices/cuda/launch_samples.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "evaluators/worker/counted_launches.hpp"
#include "model/error.hpp"

namespace evo::evaluators::worker {
namespace {

/// Instrumented launches take this many times longer.
constexpr double instrumentation_factor = 1000;

using Kept = std::vector<gates::CaseBuffers>;

gates::Outcome<void> launch(devices::Device& device, devices::ModuleId module, const gates::DeviceJob& job,
                            const model::Case& bound, const oracle::Catalogue& known, Kept& kept) {
  const auto inputs = oracle::make_inputs(known, bound, job.input_sets.front(), {.seed = job.input_seed});
  if (!inputs) throw model::Exception(model::ExitCode::invalid_configuration, inputs.error().text());
  const devices::DeviceLock lock = device.lock_device();
  auto buffers = gates::CaseBuffers::create(device, bound, gates::in_turn(bound, 0));
  if (!buffers) return tl::make_unexpected(buffers.error());
  if (auto done = buffers->write_inputs(*inputs); !done) return done;
  devices::LaunchOptions options;
  options.timeout_ms = job.settings.launch_timeout_ms * instrumentation_factor;
  const auto launched = device.launch(module, bound.launch, buffers->arguments(), options);
  if (!launched) return tl::make_unexpected(launched.error());
  kept.push_back(std::move(*buffers));
  return device.synchronize();
}

int refuse(const cuda::NoCounters& why) {
  std::cout << (why.not_permitted ? "no_permission " : "no_counters ") << why.reason << std::endl;
  return 1;
}

int launch_for_watcher(devices::Device& device, const cuda::CudaContext& context, const gates::DeviceJob& job,
                       const oracle::Catalogue& known, int launches) {
  LaunchCounter counter;
  counter.launches = launches;
  counter.watched = [&](bool begins) { cuda::tell_profiler(context, begins); };
  return count_launches(device, job, known, counter, std::cout);
}

int sample_by_cupti(devices::Device& device, cuda::CudaContext& context, const gates::DeviceJob& job,
                    const oracle::Catalogue& known) {
  auto sampler = cuda::open_launch_sampler(context, job.artifact);
  if (!sampler) return refuse(sampler.error());
  LaunchCounter counter;
  counter.method = "CUPTI PC sampling";
  counter.sample = [&](const std::function<bool()>& work) -> tl::expected<cuda::LaunchSamples, std::string> {
    auto samples = (*sampler)->sample(work);
    if (!samples) return tl::unexpected(samples.error().reason);
    return std::move(*samples);
  };
  const int code = count_launches(device, job, known, counter, std::cout);
  // Taken down, it would wait for what a fault has broken.
  if (device.lost()) static_cast<void>(sampler->release());
  return code;
}

int count_by_cupti(devices::Device& device, cuda::CudaContext& context, int ordinal,
                   const gates::DeviceJob& job, const oracle::Catalogue& known, int launches) {
  std::vector<std::string> metrics;
  for (const model::CounterName& counter : model::counter_names()) {
    if (!counter.metric.empty()) metrics.emplace_back(counter.metric);
  }
  auto profiler = cuda::open_launch_counters(context, ordinal, metrics);
  if (!profiler) return refuse(profiler.error());
  LaunchCounter counter;
  counter.method = "CUPTI range profiler";
  counter.launches = launches;
  counter.metrics = (*profiler)->metrics();
  counter.count =
      [&](std::size_t kernels,
          const std::function<bool()>& work) -> tl::expected<std::vector<std::vector<double>>, std::string> {
    auto rows = (*profiler)->count(kernels, work);
    if (!rows) return tl::unexpected(rows.error().reason);
    return std::move(*rows);
  };
  const int code = count_launches(device, job, known, counter, std::cout);
  // Taken down, it would wait for what a fault has broken.
  if (device.lost()) static_cast<void>(profiler->release());
  return code;
}

}  // namespace

int launch_cases(devices::Device& device, const gates::DeviceJob& job, const oracle::Catalogue& known,
                 std::ostream& out) {
  if (job.input_sets.empty() || job.cases.empty())
    throw model::Exception(model::ExitCode::invalid_configuration, "a job without a case or an input set");
  const auto module = device.load(job.artifact);
  if (!module) {
    out << fmt::format("failed {}: {}", job.artifact.entry, module.error().reason) << std::endl;
    return 1;
  }
  Kept kept;
  for (const model::Case& bound : job.cases) {
    const auto done = launch(device, *module, job, bound, known, kept);
    if (!done) {
      out << fmt::format("failed {}: {}", bound.name, done.error().reason) << std::endl;
      return 1;
    }
    out << "launched " << bound.name << std::endl;
  }
  return 0;
}

int launch_main(const LaunchMainOptions& options, oracle::Catalogue known) {
  const auto ordinal = cuda::parse_cuda_ordinal(options.device);
  if (!ordinal) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("launches are made on cuda:N, not \"{}\"", options.device));
  }
  std::ifstream file(options.job_file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw model::Exception(model::ExitCode::usage, "cannot read " + options.job_file);
  const gates::DeviceJob job = gates::device_job_from_json(text);
  // Recorded inputs are the oracle's to give.
  if (job.reference) reference::add_reference(known, *job.reference);
  const auto context = cuda::open_context(*ordinal);
  cuda::share_context(*context);
  int code = 0;
  {
    cuda::CudaDevice device(context, {}, cuda::Zones::none);
    if (options.counters.empty()) code = launch_cases(device, job, known, std::cout);
    if (options.counters == "none") code = launch_for_watcher(device, *context, job, known, options.launches);
    if (options.counters == "samples") code = sample_by_cupti(device, *context, job, known);
    if (options.counters == "cupti")
      code = count_by_cupti(device, *context, *ordinal, job, known, options.launches);
    // What a fault has broken waits for ever when it is taken down.
    if (device.lost()) ::_exit(code);
  }
  return code;
}

}  // namespace evo::evaluators::worker
