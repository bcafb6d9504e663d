// What the host does for a trial's correctness on a GPU, taken alone: the experiment's baseline on a device
// whose launches take no time.
//   evo-host-cost EXPERIMENT.yaml [--repeat N] [--set KEY=VALUE ...]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/host/tape.hpp"
#include "engine/search_space.hpp"
#include "evaluators/compile/worker_main.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/ladder.hpp"
#include "packs/builtin.hpp"
#include "session/evaluation_stack.hpp"
#include "session/load.hpp"

namespace {

using namespace evo;
using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;

class OnTape final : public evaluators::gates::JobRunner {
 public:
  OnTape(model::TargetProfile target, const evaluators::oracle::Catalogue& known, int repeat)
      : target_(std::move(target)), cache_(known), repeat_(repeat) {}

  [[nodiscard]] evaluators::devices::DeviceInfo info() const override {
    return {"cuda", "a tape", "", "", "tape"};
  }
  [[nodiscard]] DeviceResult run(const DeviceJob& job) override {
    DeviceJob untimed = job;
    untimed.timed_cases.clear();
    bench::Tape tape;
    const auto turn = [&](bool records) {
      bench::TapeDevice device(
          tape, info(), records ? std::make_unique<evaluators::devices::VirtualDevice>(target_) : nullptr);
      const auto start = std::chrono::steady_clock::now();
      DeviceResult result = evaluators::gates::run_device_job(device, untimed, cache_);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      return std::pair(seconds, std::move(result));
    };
    DeviceResult result = turn(true).second;
    std::size_t bytes = 0;
    for (const auto& read : tape.reads)
      for (const auto& piece : read) bytes += piece.span().size();
    fmt::print("{} launches, {} reads, {:.1f} MB of outputs; correctness {}\n", tape.launches,
               tape.reads.size(), static_cast<double>(bytes) / 1e6,
               result.gates.front().pass() ? "passed" : result.gates.front().failure->reason);
    std::vector<double> wall_times, cpus;
    for (int i = 0; i < repeat_; ++i) {
      auto [seconds, again] = turn(false);
      wall_times.push_back(seconds * 1000);
      cpus.push_back(again.times.front().cpu * 1000);
    }
    std::ranges::sort(wall_times);
    std::ranges::sort(cpus);
    fmt::print("host, ms: median {:.1f}, least {:.1f}; CPU ms: median {:.1f}, least {:.1f}\n",
               wall_times[wall_times.size() / 2], wall_times.front(), cpus[cpus.size() / 2], cpus.front());
    return result;
  }

 private:
  model::TargetProfile target_;
  evaluators::oracle::ReferenceCache cache_;
  int repeat_;
};

int measure(const std::vector<std::string>& words) {
  std::vector<std::string> overrides;
  std::string file;
  int repeat = 5;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--set" && i + 1 < words.size())
      overrides.push_back(words[++i]);
    else if (words[i] == "--repeat" && i + 1 < words.size())
      repeat = std::max(1, std::atoi(words[++i].c_str()));
    else
      file = words[i];
  }
  if (file.empty()) {
    fmt::print(stderr, "usage: evo-host-cost EXPERIMENT.yaml [--repeat N] [--set KEY=VALUE ...]\n");
    return 2;
  }
  const model::Experiment experiment =
      session::load_experiment_or_throw(file, session::parse_overrides(overrides));
  session::DeviceChoice device;
  device.id = "virtual";
  session::StackParts parts = session::real_parts(experiment.target, device, {});
  parts.device = "cuda:0";
  parts.runner = [target = experiment.target, known = parts.known, repeat] {
    return std::make_unique<OnTape>(target, *known, repeat);
  };
  session::EvaluationStack stack(experiment, std::move(parts), 5);
  auto& ladder = stack.ladder();
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const auto* entry = space.find(experiment.baseline_template);
  const auto prepared =
      ladder.prepare(model::make_variant(entry->kernel_template, entry->space, experiment.baseline));
  static_cast<void>(ladder.evaluate(prepared));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "compile-worker")
    return evaluators::compile::compile_worker_main();
  try {
    return measure({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
