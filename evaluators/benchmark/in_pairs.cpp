#include "evaluators/benchmark/in_pairs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include "evaluators/benchmark/side_by_side.hpp"
#include "evaluators/gates/clock_watch.hpp"
#include "evaluators/gates/loaded_module.hpp"
#include "evaluators/measure/statistics.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/reduced.hpp"
#include "model/random.hpp"

namespace evo::evaluators::benchmark {
namespace {

/// A sample need not be longer than this; one launch of a slow kernel does.
constexpr double sample_us = 1000;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

using Modules = std::array<std::unique_ptr<gates::LoadedModule>, 2>;

/// The case of both kernels, and the buffers through which their launches rotate.
struct Ring {
  model::Case bound;  ///< workspaces large enough for both
  std::vector<gates::CaseBuffers> sets{};
  std::vector<std::vector<devices::KernelArgument>> arguments{};
  int launches = 1;
  std::optional<gates::ColdPlan> cold{};
  /// Of a sample, where so many are enough.
  [[nodiscard]] int whole_turns(int wanted) const {
    return cold ? gates::cold_launches(wanted, *cold) : wanted;
  }
};

class Pairs {
 public:
  Pairs(devices::Device& device, const PairKernel& first, const PairKernel& second,
        const std::vector<oracle::InputBuffers>& inputs, const PairsProtocol& protocol,
        const OutputJudge& judge)
      : device_(device),
        kernels_{&first, &second},
        inputs_(inputs),
        protocol_(protocol),
        judge_(judge),
        draws_({.seed = protocol.seed, .generation = 0, .slot = 0, .purpose = "pairs"}) {}

  PairOutcome<TimedPairs> run(const Enough& enough, const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (auto made = make_ring(i); !made) return tl::make_unexpected(made.error());
      const model::Case& bound = rings_.back()->bound;
      found_.push_back({bound.name, bound.weight, {}, {}, {}, {nothing, {nothing, nothing}}, false});
    }
    if (auto correct = check_outputs(); !correct) return tl::make_unexpected(correct.error());
    const std::size_t first_look = protocol_.plan.looks.front();
    clocks_.watched = true;
    for (std::size_t load = 0; load < protocol_.plan.last() && !stop.stop_requested(); ++load) {
      const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - start;
      if (load >= first_look && so_far.count() > protocol_.seconds) break;
      if (auto timed = one_cool_load(stop); !timed) return tl::make_unexpected(timed.error());
      for (PairedCase& one : found_) {
        if (one.settled) continue;
        const auto seen = measure::look(protocol_.plan, one.load_logs);
        if (!seen) continue;
        one.ratio = *seen;
        one.settled = enough(*seen);
      }
      if (std::all_of(found_.begin(), found_.end(), [](const PairedCase& one) { return one.settled; })) break;
    }
    if (auto correct = check_outputs(); !correct) return tl::make_unexpected(correct.error());
    return TimedPairs{std::move(found_), std::move(clocks_)};
  }

 private:
  /// A load whose samples are kept. What is thrown away is chosen by clocks alone, never by a sample.
  PairOutcome<void> one_cool_load(const std::stop_token& stop) {
    while (true) {
      gates::ClockWatch watch(device_);
      const std::vector<PairedCase> before = found_;
      if (auto timed = one_load(); !timed) return timed;
      watch.end();
      if (!gates::note_clocks(watch, protocol_.most_discarded, clocks_) || stop.stop_requested()) return {};
      found_ = before;
      std::this_thread::sleep_for(protocol_.pause);
    }
  }

  [[nodiscard]] static tl::unexpected<PairFailure> failed(std::size_t side, const model::Failure& failure) {
    return tl::make_unexpected(PairFailure{side, line_of(failure)});
  }

  PairOutcome<void> make_ring(std::size_t index) {
    auto ring = std::make_unique<Ring>();
    ring->bound = kernels_[0]->cases[index];
    const std::vector<model::BoundArgument>& theirs = kernels_[1]->cases[index].arguments;
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      model::BoundArgument& own = ring->bound.arguments[k];
      const bool grows = own.role == model::ArgumentRole::workspace || own.reduce != model::Reduction::none;
      if (grows && theirs[k].extent() > own.extent()) own = theirs[k];
    }
    const auto [hot, cold] = buffer_sets(oracle::case_bytes(ring->bound), protocol_.l2_bytes);
    if (protocol_.cold) ring->cold = cold;
    const int wanted = protocol_.cold ? cold.sets : hot;
    for (int set = 0; set < wanted; ++set) {
      auto buffers = gates::CaseBuffers::create(device_, ring->bound, gates::as_allocated);
      if (!buffers) return failed(0, buffers.error());
      if (auto done = buffers->write_inputs(inputs_[index]); !done) return failed(0, done.error());
      ring->sets.push_back(std::move(*buffers));
      ring->arguments.emplace_back(ring->sets.back().arguments().begin(),
                                   ring->sets.back().arguments().end());
    }
    ring->launches = ring->whole_turns(std::max(protocol_.launches, wanted));
    rings_.push_back(std::move(ring));
    return {};
  }

  PairOutcome<Modules> load_both(std::size_t first) {
    Modules modules;
    for (const std::size_t side : {first, 1 - first}) {
      const auto module = device_.load(kernels_[side]->artifact);
      if (!module) return failed(side, module.error());
      modules[side] = std::make_unique<gates::LoadedModule>(device_, *module);
    }
    return modules;
  }

  /// Each kernel alone on buffers that hold poison.
  PairOutcome<void> check_outputs() {
    auto modules = load_both(0);
    if (!modules) return tl::make_unexpected(modules.error());
    for (std::size_t index = 0; index < rings_.size(); ++index) {
      gates::CaseBuffers& set = rings_[index]->sets.front();
      for (std::size_t side = 0; side < kernels_.size(); ++side) {
        if (auto done = set.poison(draws_.next_u32(), false); !done) return failed(side, done.error());
        const auto launched =
            device_.launch((*modules)[side]->id(), kernels_[side]->cases[index].launch, set.arguments(), {});
        if (!launched) return failed(side, launched.error());
        if (auto done = device_.synchronize(); !done) return failed(side, done.error());
        if (auto done = device_.check_guards(); !done) return failed(side, done.error());
        const auto contents = set.read_outputs();
        if (!contents) return failed(side, contents.error());
        Outputs outputs;
        std::size_t next = 0;
        for (const model::BoundArgument& argument : kernels_[side]->cases[index].arguments) {
          if (!model::is_judged(argument.role)) continue;
          // The other side may have more slices.
          const std::span<const std::byte> all = (*contents)[next++].span();
          outputs.push_back(oracle::as_one_slice(
              argument, all.first(static_cast<std::size_t>(oracle::buffer_bytes(argument)))));
        }
        const std::string wrong = judge_(index, outputs);
        if (!wrong.empty()) return tl::make_unexpected(PairFailure{side, "its output is wrong: " + wrong});
      }
    }
    return {};
  }

  PairOutcome<double> turn(const Modules& modules, std::size_t side, std::size_t index) {
    Ring& ring = *rings_[index];
    devices::TimingProtocol timing;
    timing.warmup = 1;
    timing.samples = protocol_.samples;
    timing.launches = ring.launches;
    timing.empty_cache = ring.cold && ring.cold->emptied;
    const auto taken =
        device_.time(modules[side]->id(), kernels_[side]->cases[index].launch, ring.arguments, timing);
    if (!taken) return failed(side, taken.error());
    const double us = measure::median(taken->samples_us);
    if (!std::isfinite(us) || us <= 0)
      return tl::make_unexpected(PairFailure{side, "a sample is no positive number"});
    return us;
  }

  /// As many launches as fill a sample; all sets have their turn.
  void fit_launches(Ring& ring, double us) {
    const int sets = static_cast<int>(ring.sets.size());
    const int fit = static_cast<int>(std::min(sample_us / us, 1e6));
    ring.launches = ring.whole_turns(std::clamp(fit, sets, std::max(protocol_.launches, sets)));
  }

  PairOutcome<void> one_load() {
    auto modules = load_both(draws_.below(2));
    if (!modules) return tl::make_unexpected(modules.error());
    for (std::size_t index = 0; index < rings_.size(); ++index) {
      PairedCase& one = found_[index];
      if (one.settled) continue;
      if (one.first_us.empty()) {
        const auto us = turn(*modules, 0, index);
        if (!us) return tl::make_unexpected(us.error());
        fit_launches(*rings_[index], *us);
      }
      double logs = 0;
      std::size_t begins = draws_.below(2);
      for (int pair = 0; pair < protocol_.pairs_a_load; ++pair) {
        // Of two pairs one begins with each kernel; which of the two is drawn.
        begins = pair % 2 == 0 ? static_cast<std::size_t>(draws_.below(2)) : 1 - begins;
        std::array<double, 2> us{};
        for (const std::size_t side : {begins, 1 - begins}) {
          const auto taken = turn(*modules, side, index);
          if (!taken) return tl::make_unexpected(taken.error());
          us[side] = *taken;
        }
        one.first_us.push_back(us[0]);
        one.second_us.push_back(us[1]);
        logs += std::log(us[1] / us[0]);
      }
      one.load_logs.push_back(logs / protocol_.pairs_a_load);
    }
    if (auto done = device_.synchronize(); !done) return failed(0, done.error());
    return {};
  }

  devices::Device& device_;
  std::array<const PairKernel*, 2> kernels_;
  const std::vector<oracle::InputBuffers>& inputs_;
  const PairsProtocol& protocol_;
  const OutputJudge& judge_;
  model::RandomStream draws_;
  std::vector<std::unique_ptr<Ring>> rings_;  // a CaseBuffers points to its case
  std::vector<PairedCase> found_;
  model::HeldClocks clocks_;
};

}  // namespace

PairOutcome<TimedPairs> time_in_pairs(devices::Device& device, const PairKernel& first,
                                      const PairKernel& second,
                                      const std::vector<oracle::InputBuffers>& inputs,
                                      const PairsProtocol& protocol, const OutputJudge& judge,
                                      const Enough& enough, const std::stop_token& stop) {
  const auto fits = [&](const PairKernel& kernel) { return kernel.cases.size() == inputs.size(); };
  if (!fits(first) || !fits(second) || protocol.plan.looks.empty() || protocol.pairs_a_load < 1)
    throw std::logic_error("a comparison in pairs needs the same cases for both, and looks");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (first.cases[i].arguments.size() != second.cases[i].arguments.size())
      throw std::logic_error("the two kernels of a comparison take different arguments");
  }
  const devices::DeviceLock lock = device.lock_device();
  return Pairs(device, first, second, inputs, protocol, judge).run(enough, stop);
}

}  // namespace evo::evaluators::benchmark
