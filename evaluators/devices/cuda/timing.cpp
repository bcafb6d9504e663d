// Timing by replays of one CUDA graph. Launches of a few microseconds cannot be timed one by one (events
// resolve about a microsecond, a launch from the host costs several), so a sample is a graph of many
// launches.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
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

/// What is still measured of a kernel that is far behind; enough for a 95 % interval of the median.
constexpr int screened_samples = 6;
/// Samples that no time budget takes away.
constexpr int least_samples = 10;
/// So long the host sleeps at most while samples are taken: signs of life come in between.
constexpr double stretch_ms = 20;

/// How many warm-up replays and samples a kernel of `us` a launch gets.
struct Plan {
  int warmup, samples;
  bool screened = false;
};
Plan plan_samples(const devices::TimingProtocol& protocol, double us) {
  if (protocol.screen_us > 0 && us > protocol.screen_us) {
    return {1, std::min(protocol.samples, screened_samples), true};
  }
  Plan plan{protocol.warmup, protocol.samples};
  const double sample_ms = us * protocol.launches / 1000;
  if (protocol.budget_ms > 0 && sample_ms > 0) {
    const int fit = static_cast<int>(std::min(protocol.budget_ms / sample_ms, 1e6));
    plan.samples = std::min(plan.samples, std::max(fit, least_samples));
    plan.warmup = std::min(plan.warmup, std::max(fit / 10, 1));
  }
  return plan;
}

/// Numbers of samples, ascending: before each but the last the device is looked at; the last is `samples`.
std::vector<std::size_t> pauses_of(const devices::TimingProtocol& protocol, std::size_t samples) {
  std::vector<std::size_t> pauses;
  for (const double share : protocol.spot_check ? protocol.spot_checks : std::vector<double>()) {
    const auto after = static_cast<std::size_t>(share * static_cast<double>(samples));
    if (after > (pauses.empty() ? 0 : pauses.back()) && after < samples) pauses.push_back(after);
  }
  pauses.push_back(samples);
  return pauses;
}

void require_work(std::size_t sets, const devices::TimingProtocol& protocol) {
  if (sets == 0 || protocol.launches < 1 || protocol.samples < 1) {
    throw std::logic_error("timing needs at least one argument set, one launch and one sample");
  }
}

/// Clocks that were asked for within it are told again: the driver takes its time to tell them, in turns of
/// the GPU of which a comparison takes a hundred.
constexpr std::chrono::milliseconds lately{50};

}  // namespace

std::string CudaDevice::State::clocks_lately() {
  if (context->nvml() == nullptr) return {};
  const auto now = std::chrono::steady_clock::now();
  if (clocks_asked && now - *clocks_asked < lately) return clocks_told;
  clocks_asked = now;
  const auto clocks = context->nvml()->clocks(context->info().uuid);
  clocks_told = clocks ? fmt::format("; SM clock {} MHz{}", clocks->sm_mhz,
                                     clocks->throttle.empty() ? "" : ", held down by " + clocks->throttle)
                       : std::string();
  return clocks_told;
}

std::optional<std::string> CudaDevice::held_clocks() {
  const Nvml* nvml = state_->context->nvml();
  if (nvml == nullptr) return std::nullopt;
  const auto clocks = nvml->clocks(state_->context->info().uuid);
  if (!clocks || !clocks->tells_throttle) return std::nullopt;
  return with_strangers(clocks->throttle, state_->context->strangers().count());
}

Outcome<devices::Device::Timing> CudaDevice::time(
    devices::ModuleId module, const model::LaunchPlan& plan,
    std::span<const std::vector<devices::KernelArgument>> argument_sets,
    const devices::TimingProtocol& protocol) {
  require_work(argument_sets.size(), protocol);
  if (auto settled = state_->settle(); !settled) return tl::unexpected(settled.error());
  if (auto filled = state_->fill_new_zones(); !filled) return tl::unexpected(filled.error());
  const std::string action = fmt::format("timing {}", state_->text_of(module, plan));
  std::vector<std::vector<State::Ready>> sets;
  for (const auto& arguments : argument_sets) {
    auto ready = state_->make_ready(module, plan, arguments);
    if (!ready) return tl::unexpected(ready.error());
    sets.push_back(std::move(*ready));
  }
  // The same in every set: a program fills its constants once, and not before every launch.
  if (auto filled = state_->fill_symbols(module, plan, argument_sets.front()); !filled)
    return tl::unexpected(filled.error());
  return state_->time_replays(
      action, sets.size(), [&](std::size_t set) { return state_->check(state_->enqueue(sets[set]), action); },
      protocol);
}

Outcome<devices::Device::Timing> CudaDevice::time(const std::string& name, std::size_t sets,
                                                  const StreamWork& work,
                                                  const devices::TimingProtocol& protocol) {
  require_work(sets, protocol);
  if (auto settled = state_->settle(); !settled) return tl::unexpected(settled.error());
  if (auto filled = state_->fill_new_zones(); !filled) return tl::unexpected(filled.error());
  return state_->time_replays(
      "timing " + name, sets, [&](std::size_t set) { return work(state_->context->stream(), set); },
      protocol);
}

Outcome<devices::Device::Timing> CudaDevice::State::time_replays(
    const std::string& action, std::size_t sets,
    const std::function<Outcome<void>(std::size_t set)>& launch_set,
    const devices::TimingProtocol& protocol) {
  const CUstream stream = context->stream();
  if (auto ok = check(driver().capture_begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), action); !ok) {
    return tl::unexpected(ok.error());
  }
  Outcome<void> captured;
  for (int i = 0; i < protocol.launches && captured; ++i) {
    captured = launch_set(static_cast<std::size_t>(i) % sets);
  }
  Replay replay;
  CUgraph graph = nullptr;
  const CUresult ended =
      driver().capture_end(stream, &graph);  // also after a refused launch: the stream must leave
  replay.graph = Graph(context->driver_pointer(), graph);
  // The refused launch says why; what capture_end adds to it is only that the capture broke.
  if (captured) captured = check(ended, action);
  if (!captured) {
    if (context->loss()) replay.abandon();
    return tl::unexpected(captured.error());
  }
  CUgraphExec exec = nullptr;
  if (auto ok = check(driver().graph_instantiate(&exec, graph, 0), action); !ok) {
    if (context->loss()) replay.abandon();
    return tl::unexpected(ok.error());
  }
  replay.exec = GraphExec(context->driver_pointer(), exec);

  // All replays up to a look are queued at once: the device then never waits for the host, whose launch
  // latency would lie between the two events of a sample.
  const double replay_limit_ms = limit_ms * protocol.launches;
  double replay_ms = 0;  // what a replay takes, once that is known
  std::vector<Sample> samples;
  Timing timing{model::LatencyKind::measured, {}, {}};
  Plan planned{protocol.warmup, protocol.samples};
  const auto empty_cache = [&] {
    return protocol.empty_cache ? context->helpers().read_past_cache(stream) : CUDA_SUCCESS;
  };
  const auto take = [&]() -> Outcome<double> {
    const Sample& sample = samples.emplace_back(
        Sample{context->make_event(CU_EVENT_DEFAULT), context->make_event(CU_EVENT_DEFAULT)});
    for (const CUresult result : {empty_cache(), driver().event_record(sample.begin.get(), stream),
                                  driver().graph_launch(replay.exec.get(), stream),
                                  driver().event_record(sample.end.get(), stream)}) {
      if (auto ok = check(result, action); !ok) return tl::unexpected(ok.error());
    }
    if (auto ok = wait_for(sample.end.get(), action, replay_limit_ms); !ok) return tl::unexpected(ok.error());
    float milliseconds = 0;
    const CUresult result = driver().event_elapsed(&milliseconds, sample.begin.get(), sample.end.get());
    if (auto ok = check(result, action); !ok) return tl::unexpected(ok.error());
    return static_cast<double>(milliseconds) * 1000.0 / protocol.launches;
  };
  const auto take_all = [&](std::size_t count) -> Outcome<void> {
    samples.clear();
    const std::size_t stretch =
        replay_ms > 0 ? static_cast<std::size_t>(std::clamp(stretch_ms / replay_ms, 1.0, 1e6)) : 1;
    for (std::size_t i = 0; i < count; ++i) {
      samples.push_back({context->make_event(CU_EVENT_DEFAULT), context->make_event(CU_EVENT_DEFAULT)});
    }
    for (const Sample& sample : samples) {
      for (const CUresult result : {empty_cache(), driver().event_record(sample.begin.get(), stream),
                                    driver().graph_launch(replay.exec.get(), stream),
                                    driver().event_record(sample.end.get(), stream)}) {
        if (auto ok = check(result, action); !ok) return ok;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      // A stretch of samples is awaited by its last one.
      if (i % stretch == 0) {
        const std::size_t last = std::min(i + stretch, count) - 1;
        const double due_ms = replay_ms * static_cast<double>(last + 1 - i);
        if (auto ok = wait_for(samples[last].end.get(), action, replay_limit_ms + due_ms, due_ms); !ok)
          return ok;
      }
      const Sample& sample = samples[i];
      float milliseconds = 0;
      const CUresult result = driver().event_elapsed(&milliseconds, sample.begin.get(), sample.end.get());
      if (auto ok = check(result, action); !ok) return ok;
      timing.samples_us.push_back(static_cast<double>(milliseconds) * 1000.0 / protocol.launches);
    }
    return {};
  };
  const auto run = [&]() -> Outcome<void> {
    // The first replays warm up, and say what the protocol comes to: the faster of two, since the first one
    // also fetches the code.
    if (protocol.warmup > 0) {
      double us = std::numeric_limits<double>::infinity();
      for (int i = 0; i < std::min(protocol.warmup, 2); ++i) {
        const auto taken = take();
        if (!taken) return tl::unexpected(taken.error());
        us = std::min(us, *taken);
      }
      planned = plan_samples(protocol, us);
      // Of a first replay alone it would be too much, and who sleeps too long leaves the device idle between
      // turns, behind which it is faster.
      if (protocol.warmup > 1) replay_ms = us * protocol.launches / 1000;
    }
    for (int i = 2; i < planned.warmup; ++i) {
      if (auto ok = check(driver().graph_launch(replay.exec.get(), stream), action); !ok) return ok;
      if (auto ok = drain(action, replay_limit_ms); !ok) return ok;
    }
    const std::vector<std::size_t> pauses = pauses_of(protocol, static_cast<std::size_t>(planned.samples));
    for (std::size_t part = 0; part < pauses.size(); ++part) {
      if (part > 0) {
        if (auto ok = protocol.spot_check(pauses[part - 1]); !ok) return ok;
        if (auto ok = check(driver().graph_launch(replay.exec.get(), stream), action); !ok) return ok;
        if (auto ok = drain(action, replay_limit_ms); !ok) return ok;
      }
      if (protocol.prepare) {
        if (auto ok = protocol.prepare(); !ok) return ok;
      }
      if (auto ok = take_all(pauses[part] - (part > 0 ? pauses[part - 1] : 0)); !ok) return ok;
    }
    return {};
  };
  if (auto ok = run(); !ok) {
    if (context->loss()) {
      replay.abandon();
      for (Sample& sample : samples) sample.abandon();
    }
    return tl::unexpected(ok.error());
  }
  timing.method = fmt::format("CUDA graph {} launches x {} samples{}, rotating {} buffer set{}{}{}",
                              protocol.launches, planned.samples,
                              planned.screened ? " (screened: far behind)" : "", sets, sets == 1 ? "" : "s",
                              protocol.empty_cache ? ", the L2 emptied before each" : "", clocks_lately());
  return timing;
}

}  // namespace evo::evaluators::cuda
