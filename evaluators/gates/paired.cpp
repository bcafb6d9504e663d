#include "evaluators/gates/paired.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "evaluators/gates/loaded_module.hpp"
#include "evaluators/gates/timed_rings.hpp"
#include "evaluators/measure/statistics.hpp"

namespace evo::evaluators::gates {
namespace {

/// How often both modules are loaded afresh: where code lies in memory is part of what a comparison must not
/// see.
constexpr int loads = 4;

/// A turn: samples of a graph of launches, behind one that warms up.
constexpr int samples_a_turn = 2;
/// A sample need not be longer than this; one launch of a slow kernel does.
constexpr double sample_us = 1000;

struct Side {
  const model::Artifact* artifact;
  const std::vector<model::Case>* cases;
  std::vector<double> PairedSeries::*series;
};

/// Times one turn of a side on case `index` and appends its median.
Outcome<void> take_turn(const JobContext& context, const TimedRings& rings, const Side& side,
                        std::size_t index, PairedSeries& series, int launches) {
  devices::TimingProtocol protocol;
  protocol.warmup = 1;
  protocol.samples = samples_a_turn;
  protocol.launches = launches;
  const auto timing =
      context.device.time(context.module, (*side.cases)[index].launch, rings.argument_sets(), protocol);
  if (!timing) return tl::make_unexpected(timing.error());
  const double us = measure::median(timing->samples_us);
  if (!std::isfinite(us) || us <= 0) {
    return tl::make_unexpected(
        fail(model::Status::launch_error, "no_samples", "timing gave a sample that is no positive number"));
  }
  (series.*side.series).push_back(us);
  return {};
}

/// As many as fill a sample, at most what the settings say, but all sets of buffers have their turn: what is
/// not written is not right afterwards.
int launches_of(const model::GateSettings& settings, const TimedRings& rings, const PairedSeries& series) {
  const int sets = static_cast<int>(rings.buffers().size());
  const int most = std::max(settings.timing_launches, sets);
  if (series.candidate_us.empty()) return most;
  return std::clamp(static_cast<int>(sample_us / series.candidate_us.front()), sets, most);
}

/// Rounds [first, last) of all cases, with the modules loaded in the order of `sides`.
Outcome<void> run_rounds(devices::Device& device, const DeviceJob& job, oracle::ReferenceCache& cache,
                         std::array<Side, 2> sides, std::vector<TimedRings>& rings,
                         std::vector<PairedSeries>& series, const std::array<int, 2>& rounds) {
  const devices::Turn turn = device.take_turn();
  std::vector<JobContext> contexts;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  for (const Side& side : sides) {
    const auto module = device.load(*side.artifact);
    if (!module) return tl::make_unexpected(module.error());
    modules.push_back(std::make_unique<LoadedModule>(device, *module));
    contexts.push_back({device, *module, job, cache});
  }
  for (int round = rounds[0]; round < rounds[1]; ++round) {
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const int launches = launches_of(job.settings, rings[i], series[i]);
      for (std::size_t k = 0; k < sides.size(); ++k) {
        const std::size_t next = (k + static_cast<std::size_t>(round)) % sides.size();
        if (auto done = take_turn(contexts[next], rings[i], sides[next], i, series[i], launches); !done)
          return done;
      }
    }
  }
  return device.synchronize();
}

/// Nothing of an advantage beyond the resolution so far. To stop then costs now and then a true gain; it
/// promotes nobody.
bool behind(const std::vector<PairedSeries>& series, double resolution) {
  const auto so_far = compare_series(series, {});
  return so_far && so_far->ratio > 1 - resolution;
}

}  // namespace

Outcome<std::vector<PairedSeries>> measure_paired(devices::Device& device, const DeviceJob& job,
                                                  oracle::ReferenceCache& cache) {
  if (!job.opponent || job.opponent->timed_cases.size() != job.timed_cases.size() || job.timed_cases.empty())
    throw std::logic_error("a paired job needs an opponent with the same timed cases");
  const JobContext context{device, 0, job, cache};
  std::vector<TimedRings> rings;
  std::vector<PairedSeries> series;
  for (const model::Case& bound : job.timed_cases) {
    auto made = TimedRings::create(context, bound);
    if (!made) return tl::make_unexpected(made.error());
    rings.push_back(std::move(*made));
    if (auto done = rings.back().fill(0); !done) return tl::make_unexpected(done.error());
    series.push_back({bound.name, bound.weight, {}, {}});
  }
  std::array<Side, 2> sides{
      Side{&job.artifact, &job.timed_cases, &PairedSeries::candidate_us},
      Side{&job.opponent->artifact, &job.opponent->timed_cases, &PairedSeries::opponent_us}};
  const int rounds = std::max(job.settings.paired_rounds, loads);
  for (int load = 0; load < loads; ++load) {
    if (auto done = run_rounds(device, job, cache, sides, rings, series,
                               {rounds * load / loads, rounds * (load + 1) / loads});
        !done)
      return tl::make_unexpected(done.error());
    std::swap(sides[0], sides[1]);
    const bool hopeless = behind(series, job.settings.timing_resolution);
    // Poisoned again: the other side was the last to write before the next look.
    for (TimedRings& ring : rings) {
      if (auto done = ring.verify(0, "after launches timed in turn"); !done)
        return tl::make_unexpected(done.error());
      if (auto done = ring.fill(0); !done) return tl::make_unexpected(done.error());
    }
    if (hopeless) break;
  }
  return series;
}

std::optional<model::PairedComparison> compare_series(const std::vector<PairedSeries>& series,
                                                      const std::string& incumbent) {
  if (series.empty()) return std::nullopt;
  const std::size_t rounds = series.front().candidate_us.size();
  std::vector<double> logs(rounds, 0.0);
  double weights = 0;
  for (const PairedSeries& one : series) {
    if (one.candidate_us.size() != rounds || one.opponent_us.size() != rounds) return std::nullopt;
    weights += one.weight;
    for (std::size_t i = 0; i < rounds; ++i)
      logs[i] += one.weight * std::log(one.candidate_us[i] / one.opponent_us[i]);
  }
  for (double& value : logs) value /= weights;
  const measure::RatioInterval ratio = measure::ratio_interval(logs, paired_confidence);
  if (!std::isfinite(ratio.interval[0]) || !std::isfinite(ratio.interval[1])) return std::nullopt;
  return model::PairedComparison{incumbent, ratio.ratio, ratio.interval, paired_confidence,
                                 static_cast<std::uint32_t>(rounds)};
}

}  // namespace evo::evaluators::gates
