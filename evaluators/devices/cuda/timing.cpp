// Timing by replays of one CUDA graph. Launches of a few microseconds cannot be timed one by one (events
// resolve about a microsecond, a launch from the host costs several), so a sample is a graph of many
// launches.
#include <fmt/format.h>

#include <stdexcept>

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/cuda/device_state.hpp"

namespace evo::evaluators::cuda {

using devices::Outcome;

namespace {

struct Replay {
  Graph graph;
  GraphExec exec;
  void abandon() {
    graph.abandon();
    exec.abandon();
  }
};

struct Sample {
  Event begin, end;
  void abandon() {
    begin.abandon();
    end.abandon();
  }
};

/// "; SM clock 1980 MHz" or with the reason that holds it down; empty without NVML.
std::string clock_text(const CudaContext& context) {
  if (context.nvml() == nullptr) return {};
  const auto clocks = context.nvml()->clocks(context.info().uuid);
  if (!clocks) return {};
  return fmt::format("; SM clock {} MHz{}", clocks->sm_mhz,
                     clocks->throttle.empty() ? "" : ", held down by " + clocks->throttle);
}

}  // namespace

Outcome<devices::Device::Timing> CudaDevice::time(
    devices::ModuleId module, const model::LaunchPlan& plan,
    std::span<const std::vector<devices::KernelArgument>> argument_sets,
    const devices::TimingProtocol& protocol) {
  if (argument_sets.empty() || protocol.launches < 1 || protocol.samples < 1) {
    throw std::logic_error("timing needs at least one argument set, one launch and one sample");
  }
  if (auto settled = state_->settle(); !settled) return tl::unexpected(settled.error());
  State::Kernel& kernel = state_->kernel(module);
  const DriverApi& driver = state_->driver();
  const CUstream stream = state_->context->stream();
  const std::string action = fmt::format("timing {}", launch_text(kernel.entry, plan));

  if (auto ok = state_->opt_in_shared_memory(kernel, plan.dynamic_smem); !ok)
    return tl::unexpected(ok.error());
  std::vector<PackedArguments> sets;
  for (const auto& arguments : argument_sets) {
    auto packed = state_->pack(kernel, plan, arguments);
    if (!packed) return tl::unexpected(packed.error());
    sets.push_back(std::move(*packed));
  }

  if (auto ok = state_->check(driver.capture_begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), action);
      !ok) {
    return tl::unexpected(ok.error());
  }
  CUresult captured = CUDA_SUCCESS;
  for (int i = 0; i < protocol.launches && captured == CUDA_SUCCESS; ++i) {
    captured = state_->enqueue(kernel, plan, sets[static_cast<std::size_t>(i) % sets.size()]);
  }
  Replay replay;
  CUgraph graph = nullptr;
  const CUresult ended =
      driver.capture_end(stream, &graph);  // also after a refused launch: the stream must leave
  replay.graph = Graph(state_->context->driver_pointer(), graph);
  // The refused launch says why; what capture_end adds to it is only that the capture broke.
  if (auto ok = state_->check(captured != CUDA_SUCCESS ? captured : ended, action); !ok) {
    if (lost()) replay.abandon();
    return tl::unexpected(ok.error());
  }
  CUgraphExec exec = nullptr;
  if (auto ok = state_->check(driver.graph_instantiate(&exec, graph, 0), action); !ok) {
    if (lost()) replay.abandon();
    return tl::unexpected(ok.error());
  }
  replay.exec = GraphExec(state_->context->driver_pointer(), exec);

  // All replays are queued at once: the device then never waits for the host, whose launch latency would lie
  // between the two events of a sample.
  const double limit_ms = state_->limit_ms * protocol.launches;
  std::vector<Sample> samples;
  Timing timing{model::LatencyKind::measured, {}, {}};
  const auto run = [&]() -> Outcome<void> {
    for (int i = 0; i < protocol.warmup; ++i) {
      if (auto ok = state_->check(driver.graph_launch(replay.exec.get(), stream), action); !ok) return ok;
      if (auto ok = state_->drain(action, limit_ms); !ok) return ok;
    }
    for (int i = 0; i < protocol.samples; ++i) {
      samples.push_back(
          {state_->context->make_event(CU_EVENT_DEFAULT), state_->context->make_event(CU_EVENT_DEFAULT)});
    }
    for (const Sample& sample : samples) {
      for (const CUresult result :
           {driver.event_record(sample.begin.get(), stream), driver.graph_launch(replay.exec.get(), stream),
            driver.event_record(sample.end.get(), stream)}) {
        if (auto ok = state_->check(result, action); !ok) return ok;
      }
    }
    for (const Sample& sample : samples) {
      if (auto ok = state_->wait_for(sample.end.get(), action, limit_ms); !ok) return ok;
      float milliseconds = 0;
      const CUresult result = driver.event_elapsed(&milliseconds, sample.begin.get(), sample.end.get());
      if (auto ok = state_->check(result, action); !ok) return ok;
      timing.samples_us.push_back(static_cast<double>(milliseconds) * 1000.0 / protocol.launches);
    }
    return {};
  };
  if (auto ok = run(); !ok) {
    if (lost()) {
      replay.abandon();
      for (Sample& sample : samples) sample.abandon();
    }
    return tl::unexpected(ok.error());
  }
  timing.method =
      fmt::format("CUDA graph {} launches x {} samples, rotating {} buffer set{}{}", protocol.launches,
                  protocol.samples, sets.size(), sets.size() == 1 ? "" : "s", clock_text(*state_->context));
  return timing;
}

}  // namespace evo::evaluators::cuda
