#include "evaluators/gates/paired.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "evaluators/gates/loaded_module.hpp"
#include "evaluators/gates/timed_buffers.hpp"
#include "evaluators/measure/statistics.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

/// In how many parts the rounds before a look are timed. Behind each, outputs are verified, and who shows no
/// advantage is left.
constexpr int parts = 4;

/// A turn: samples of a graph of launches, behind one that warms up.
constexpr int samples_a_turn = 2;
/// A sample need not be longer than this; one launch of a slow kernel does.
constexpr double sample_us = 1000;

/// Of the two sides, the candidate's.
constexpr std::size_t candidate_side = 0;

struct Side {
  const model::Artifact* artifact;
  const std::vector<model::Case>* cases;
  std::vector<double> PairedSeries::*series;
};

/// Times one turn of a side's module on case `index` and appends its median.
Outcome<void> take_turn(devices::Device& device, devices::ModuleId module, const TimedBufferSets& rings,
                        const Side& side, std::size_t index, PairedSeries& series, int launches) {
  devices::TimingProtocol protocol;
  protocol.warmup = 1;
  protocol.samples = samples_a_turn;
  protocol.launches = launches;
  protocol.empty_cache = rings.cold() && rings.cold()->emptied;
  const model::Case& own = (*side.cases)[index];
  // The buffers are those of both sides; a scalar may be what only the own genome's launches need.
  std::vector<std::vector<devices::KernelArgument>> sets = rings.argument_sets();
  for (std::vector<devices::KernelArgument>& set : sets) {
    for (std::size_t i = 0; i < own.arguments.size(); ++i) {
      if (own.arguments[i].role == model::ArgumentRole::scalar) set.at(i) = scalar_bytes(own.arguments[i]);
    }
  }
  const auto timing = device.time(module, own.launch, sets, protocol);
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
/// not written is not correct afterwards.
int launches_of(const model::GateSettings& settings, const TimedBufferSets& rings,
                const PairedSeries& series) {
  const int sets = static_cast<int>(rings.buffers().size());
  const auto whole_turns = [&](int wanted) {
    return rings.cold() ? cold_launches(wanted, *rings.cold()) : wanted;
  };
  const int most = whole_turns(std::max(settings.timing_launches, sets));
  if (series.candidate_us.empty()) return most;
  return whole_turns(std::clamp(static_cast<int>(sample_us / series.candidate_us.front()), sets, most));
}

/// What is done between two verifications: whole loads.
struct Part {
  std::array<int, 2> rounds;  ///< [first, last)
  int watched;                ///< round in which the candidate finds poison
};

/// Which side begins each round: drawn for every two rounds, in which each begins once, so that nothing that
/// comes again and again stands with one side.
class Order {
 public:
  explicit Order(const DeviceJob& job)
      : draws_({.seed = job.input_seed,
                .generation = 0,
                .slot = 0,
                .purpose = "who begins " + job.artifact.code_hash}) {}
  /// Rounds are asked for in order, or again.
  [[nodiscard]] std::size_t first_of(int round) {
    while (begins_.size() <= static_cast<std::size_t>(round)) {
      begins_.push_back(static_cast<std::size_t>(draws_.below(2)));
      begins_.push_back(1 - begins_.back());
    }
    return begins_[static_cast<std::size_t>(round)];
  }

 private:
  model::RandomStream draws_;
  std::vector<std::size_t> begins_;
};

/// Both sides' modules, in the order of the sides.
using Modules = std::array<std::unique_ptr<LoadedModule>, 2>;

Outcome<Modules> load_both(devices::Device& device, const std::array<Side, 2>& sides, std::size_t first) {
  Modules modules;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const std::size_t next = (first + k) % sides.size();
    const auto module = device.load(*sides[next].artifact);
    if (!module) return tl::make_unexpected(module.error());
    modules[next] = std::make_unique<LoadedModule>(device, *module);
  }
  return modules;
}

/// The part's rounds of all cases. What the candidate leaves in the watched round, and in the last one where
/// the opponent would write over it, is looked at before the opponent's turn: else the one's correct outputs
/// would stand for the other's. A device that stood idle meanwhile is faster for a while (1.5 % on an H100),
/// so it stands idle before the turns of both sides in these rounds, and between two turns of no other.
Outcome<void> run_rounds(devices::Device& device, const DeviceJob& job, const std::array<Side, 2>& sides,
                         std::vector<TimedBufferSets>& rings, std::vector<PairedSeries>& series,
                         const Part& part, Order& order, ClockWatch& watch) {
  const devices::DeviceLock lock = device.lock_device();
  std::optional<Modules> modules;
  for (int round = part.rounds[0]; round < part.rounds[1]; ++round) {
    if (round % paired_rounds_a_load == 0) {
      modules.reset();
      // To look takes the device from its work, as a load does, and stands before both sides' turns.
      watch.look();
      // Where code lies in memory may depend on who is loaded first. It does not depend on who begins a
      // round.
      const auto load = static_cast<std::size_t>(round / paired_rounds_a_load);
      auto loaded = load_both(device, sides, load % sides.size());
      if (!loaded) return tl::make_unexpected(loaded.error());
      modules = std::move(*loaded);
    }
    const std::size_t begins = order.first_of(round);
    const bool watched = round == part.watched;
    const bool written_over = round + 1 == part.rounds[1] && begins == candidate_side;
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const int launches = launches_of(job.settings, rings[i], series[i]);
      for (std::size_t k = 0; k < sides.size(); ++k) {
        const std::size_t next = (k + begins) % sides.size();
        const model::Case& own = (*sides[candidate_side].cases)[i];
        if (watched) {
          if (auto done = rings[i].fill(0); !done) return done;
        } else if (written_over && next == candidate_side) {
          // What it left in the round before, where it was second.
          if (auto done = rings[i].verify(0, "after launches timed in turn", &own); !done) return done;
        }
        const devices::ModuleId module = (*modules)[next]->id();
        if (auto done = take_turn(device, module, rings[i], sides[next], i, series[i], launches); !done)
          return done;
        if (next != candidate_side || !(watched || written_over)) continue;
        if (auto done = rings[i].verify(0, "after launches timed in turn", &own); !done) return done;
      }
    }
  }
  return device.synchronize();
}

/// The job's timed cases with workspaces, and slices of outputs, that are enough for both sides.
std::vector<model::Case> cases_of_both(const DeviceJob& job) {
  std::vector<model::Case> cases = job.timed_cases;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::vector<model::BoundArgument>& theirs = job.opponent->timed_cases[i].arguments;
    for (std::size_t k = 0; k < std::min(theirs.size(), cases[i].arguments.size()); ++k) {
      model::BoundArgument& own = cases[i].arguments[k];
      const bool grows = own.role == model::ArgumentRole::workspace || own.reduce != model::Reduction::none;
      if (grows && theirs[k].extent() > own.extent()) own = theirs[k];
    }
  }
  return cases;
}

/// ln(candidate / opponent) over all cases, for each load from round `begin` on the mean of its rounds. Empty
/// where the series do not fit each other.
std::vector<double> load_logs(const std::vector<PairedSeries>& series, std::size_t begin) {
  if (series.empty()) return {};
  const std::size_t rounds = series.front().candidate_us.size();
  std::vector<double> logs;
  for (std::size_t first = begin; first < rounds; first += paired_rounds_a_load) {
    const std::size_t last = std::min<std::size_t>(first + paired_rounds_a_load, rounds);
    double sum = 0, weights = 0;
    for (const PairedSeries& one : series) {
      if (one.candidate_us.size() != rounds || one.opponent_us.size() != rounds) return {};
      weights += one.weight * static_cast<double>(last - first);
      for (std::size_t i = first; i < last; ++i)
        sum += one.weight * std::log(one.candidate_us[i] / one.opponent_us[i]);
    }
    logs.push_back(sum / weights);
  }
  return logs;
}

/// Behind the screening, where there is more than it.
std::size_t first_that_counts(const std::vector<PairedSeries>& series) {
  const std::size_t rounds = series.empty() ? 0 : series.front().candidate_us.size();
  return rounds > screening_rounds ? screening_rounds : 0;
}

/// Nothing of an advantage beyond the resolution so far, of two loads at least: one has no interval. To stop
/// then costs now and then a true gain; it promotes nobody.
bool behind(const std::vector<PairedSeries>& series, double resolution) {
  double sum = 0;
  const std::vector<double> logs = load_logs(series, first_that_counts(series));
  for (const double value : logs) sum += value;
  return logs.size() >= 2 && std::exp(sum / static_cast<double>(logs.size())) > 1 - resolution;
}

/// The interval says that the candidate is faster by more than the resolution, or that it is not.
bool is_decided(const std::vector<PairedSeries>& series, double resolution, double error) {
  const auto seen = compare_series(series, {}, error);
  return !seen || seen->interval[1] < 1 - resolution || seen->interval[0] > 1 - resolution;
}

}  // namespace

Outcome<std::vector<PairedSeries>> measure_paired(devices::Device& device, const DeviceJob& job,
                                                  oracle::ReferenceCache& cache, ClockWatch& watch) {
  if (!job.opponent || job.opponent->timed_cases.size() != job.timed_cases.size() || job.timed_cases.empty())
    throw std::logic_error("a paired job needs an opponent with the same timed cases");
  const JobContext context{device, 0, job, cache};
  std::vector<TimedBufferSets> rings;
  std::vector<PairedSeries> series;
  const std::vector<model::Case> cases = cases_of_both(job);
  for (const model::Case& bound : cases) {
    auto made = TimedBufferSets::create(context, bound);
    if (!made) return tl::make_unexpected(made.error());
    rings.push_back(std::move(*made));
    if (auto done = rings.back().fill(0); !done) return tl::make_unexpected(done.error());
    series.push_back({bound.name, bound.weight, {}, {}});
  }
  const std::array<Side, 2> sides{
      Side{&job.artifact, &job.timed_cases, &PairedSeries::candidate_us},
      Side{&job.opponent->artifact, &job.opponent->timed_cases, &PairedSeries::opponent_us}};
  const int loads =
      (std::max(job.settings.paired_rounds, 2 * paired_rounds_a_load) + paired_rounds_a_load - 1) /
      paired_rounds_a_load;
  model::RandomStream draws({.seed = job.input_seed,
                             .generation = 0,
                             .slot = 0,
                             .purpose = "watched rounds " + job.artifact.code_hash});
  Order order(job);
  const double error = job.opponent->error, resolution = job.settings.timing_resolution;
  // Times the rounds and verifies what both have written.
  const auto run_part = [&](int first, int last) -> Outcome<void> {
    const int watched = first + static_cast<int>(draws.below(static_cast<std::uint64_t>(last - first)));
    const Part part{{first, last}, watched};
    if (auto done = run_rounds(device, job, sides, rings, series, part, order, watch); !done) return done;
    // Each has as many slices of an output as its genome says: what stands there is the last one's.
    const Side& last_side = sides[1 - order.first_of(last - 1)];
    for (std::size_t i = 0; i < rings.size(); ++i) {
      if (auto done = rings[i].verify(0, "after the last launches timed in turn", &(*last_side.cases)[i]);
          !done)
        return done;
    }
    return {};
  };
  int begin = 0;
  if (error > 0) {
    begin = screening_rounds;
    if (auto done = run_part(0, begin); !done) return tl::make_unexpected(done.error());
    if (behind(series, resolution)) return series;
  }
  int next_look = loads * paired_rounds_a_load, looks_left = error > 0 ? paired_looks : 1;
  for (int number = 0; looks_left > 0; ++number) {
    const int first = loads * number / parts * paired_rounds_a_load;
    const int last = loads * (number + 1) / parts * paired_rounds_a_load;
    if (first == last) continue;
    if (auto done = run_part(begin + first, begin + last); !done) return tl::make_unexpected(done.error());
    if (error > 0 && behind(series, resolution)) break;
    if (last != next_look) continue;
    if (error > 0 && is_decided(series, resolution, error)) break;
    next_look *= 2;
    --looks_left;
  }
  return series;
}

std::optional<model::PairedComparison> compare_series(const std::vector<PairedSeries>& series,
                                                      const std::string& incumbent, double error) {
  const std::size_t first = error > 0 ? first_that_counts(series) : 0;
  const std::vector<double> logs = load_logs(series, first);
  if (logs.size() < 2) return std::nullopt;
  const auto rounds = static_cast<std::uint32_t>(series.front().candidate_us.size());
  const bool screened_out = error > 0 && first == 0;
  const double confidence = look_confidence(screened_out ? 0 : error);
  measure::RatioInterval ratio = measure::ratio_interval(logs, confidence);
  // So few loads at so small an error may say nothing at all.
  if (!std::isfinite(ratio.ratio) || std::isnan(ratio.interval[0]) || std::isnan(ratio.interval[1]))
    return std::nullopt;
  ratio.interval[1] = std::min(ratio.interval[1], std::max(widest_ratio, ratio.ratio));
  model::PairedComparison comparison{incumbent, ratio.ratio, ratio.interval, confidence, rounds};
  if (error > 0) comparison.error = screened_out ? 0 : error;
  return comparison;
}

}  // namespace evo::evaluators::gates
