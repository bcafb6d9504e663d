// A grid of shapes on a device that measures: proven kernels, their baseline and comparators in turn.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluators/benchmark/side_by_side.hpp"
#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/error.hpp"
#include "session/characterize.hpp"

namespace evo::session {
namespace {

using namespace evaluators;
using benchmark::Standing;
using benchmark::Timed;

/// A sample need not be longer; a slow baseline would otherwise take minutes.
constexpr double grid_sample_seconds = 2e-3;
constexpr double grid_confidence = 0.95;

/// Medians of the rounds, in their order.
std::vector<double> rounds_of(const Timed& timed, int rounds) {
  std::vector<double> medians;
  const std::size_t a_round = timed.samples_us.size() / static_cast<std::size_t>(std::max(rounds, 1));
  for (std::size_t first = 0; a_round > 0 && first + a_round <= timed.samples_us.size(); first += a_round)
    medians.push_back(measure::median(std::span(timed.samples_us).subspan(first, a_round)));
  return medians;
}

/// How many times as fast the first is, over rounds in turn.
std::optional<measure::RatioInterval> speedup_of(const Timed& first, const Timed& second, int rounds) {
  const std::vector<double> own = rounds_of(first, rounds), theirs = rounds_of(second, rounds);
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(own.size(), theirs.size()); ++i)
    logs.push_back(std::log(theirs[i] / own[i]));
  const measure::RatioInterval ratio = measure::ratio_interval(logs, grid_confidence);
  if (!std::isfinite(ratio.interval[0]) || !std::isfinite(ratio.interval[1])) return std::nullopt;
  return ratio;
}

class Grid {
 public:
  Grid(const CharacterizeSubject& subject, const CharacterizeRequest& request, const ProofsOf& proofs_of,
       CharacterizeDevice on, const Tell& tell)
      : subject_(subject), request_(request), proofs_of_(proofs_of), on_(std::move(on)), tell_(tell) {
    found_ = begin_characterization(subject_, {});
    const devices::DeviceInfo info = on_.bench.device->info();
    found_.latency_kind = "measured";
    found_.device_kind = info.kind;
    found_.device_name = info.name;
    found_.driver = info.driver;
    found_.uuid = info.uuid;
    found_.toolchain = on_.bench.compiler->version();
    found_.cold = request_.cold;
    found_.rounds = request_.rounds;
    found_.comparators = std::move(on_.bench.comparators);
    for (const Compared& kernel : subject_.others) found_.comparators.push_back({kernel.given, {}});
    found_.ceilings = std::move(on_.ceilings);
    found_.no_state = on_.no_state;
    const auto add = [&](const Compared& kernel, const std::string& label) {
      kernels_.push_back(std::make_unique<benchmark::KernelContender>(
          label, *on_.bench.device, [this, &kernel, arch = info.arch](const model::Case&) {
            return compile_for(*on_.bench.compiler, kernel.experiment, kernel.variant, *workload_, arch);
          }));
    };
    for (std::size_t k = 0; k < subject_.kernels.size(); ++k)
      add(subject_.kernels[k], k == 0 ? found_.subject.label : found_.baseline->label);
    for (const Compared& kernel : subject_.others) add(kernel, kernel.given);
  }

  Characterization run(const std::stop_token& stop) {
    for (std::size_t first = 0, end = 0; first < found_.shapes.size(); first = end) {
      end = end_of_part(first);
      const std::vector<GridShape> part(subject_.shapes.begin() + static_cast<std::ptrdiff_t>(first),
                                        subject_.shapes.begin() + static_cast<std::ptrdiff_t>(end));
      std::vector<std::vector<ProvenShape>> proofs;
      try {
        proofs = proofs_of_(part);
      } catch (const model::Exception& error) {
        if (first == 0) throw;
        // What was measured stands.
        for (std::size_t i = first; i < found_.shapes.size(); ++i)
          found_.shapes[i].refused = ShapeRefusal{"environment", error.what()};
        break;
      }
      for (std::size_t i = first; i < end; ++i) {
        CharacterizedShape& shape = found_.shapes[i];
        shape.refused = proofs.front()[i - first].refused;
        if (!shape.refused && stop.stop_requested()) shape.refused = ShapeRefusal{"timing", "interrupted"};
        if (!shape.refused) measure_shape(proofs, i - first, shape);
      }
    }
    return std::move(found_);
  }

 private:
  /// Behind the last shape of those from `first` on that are proven together.
  [[nodiscard]] std::size_t end_of_part(std::size_t first) const {
    const Compared& kernel = subject_.kernels.front();
    std::int64_t bytes = 0;
    std::size_t end = first;
    for (; end < subject_.shapes.size(); ++end) {
      const auto bound = bind_for(kernel.experiment, kernel.variant, subject_.shapes[end].workload);
      bytes += bound ? oracle::case_bytes(*bound) : 0;
      if (end > first && bytes > request_.part_bytes) break;
    }
    return end;
  }

  void measure_shape(const std::vector<std::vector<ProvenShape>>& proofs, std::size_t index,
                     CharacterizedShape& shape) {
    const Compared& kernel = subject_.kernels.front();
    const model::Experiment& experiment = kernel.experiment;
    workload_ = &shape.shape.workload;
    const auto refuse = [&](const std::string& reason) { shape.refused = ShapeRefusal{"timing", reason}; };
    const auto bound = bind_for(experiment, kernel.variant, *workload_);
    if (!bound) return refuse(bound.error());
    const std::uint64_t seed = request_.source.input_seed.value_or(bench_input_seed);
    const auto inputs =
        oracle::make_inputs(on_.bench.known, *bound, experiment.problem.input_sets.front(), {.seed = seed});
    if (!inputs) return refuse(inputs.error().text());
    const model::Tolerance tolerance = *experiment.problem.find_tolerance(experiment.accuracy_class);
    const auto reference = benchmark::SampledReference::make(
        on_.bench.known, experiment.problem.oracle, *bound, *inputs, sample_entropy_,
        oracle::whole_reference_flops, tolerance.reference_factor.has_value());
    if (!reference) return refuse(reference.error().text());
    benchmark::Protocol protocol;
    protocol.rounds = request_.rounds;
    protocol.l2_bytes = on_.bench.l2_bytes;
    protocol.sample_seconds = grid_sample_seconds;
    protocol.cold = request_.cold;
    protocol.cut_off =
        gates::cut_off_by_tensor_cores(gates::reduced_axes_of(on_.bench.known, experiment), *bound);
    std::vector<benchmark::Entry> entries;
    std::vector<Role> roles;
    std::vector<ShapeFigure> not_proven;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      const Role role = k == 0                        ? Role::subject
                        : k < subject_.kernels.size() ? Role::baseline
                                                      : Role::comparator;
      if (proofs[k][index].refused) {
        ShapeFigure& figure = not_proven.emplace_back();
        figure.contender = kernels_[k]->name();
        figure.role = role;
        figure.unavailable = proofs[k][index].refused->reason;
        continue;
      }
      entries.push_back({kernels_[k].get()});
      roles.push_back(role);
    }
    for (const auto& other : on_.bench.others) {
      entries.push_back({other.get()});
      roles.push_back(Role::comparator);
    }
    if (tell_) tell_(fmt::format("timing {} with {} contenders", workload_->name, entries.size()));
    // Other runs of evo on this GPU wait until the shape is done.
    const devices::DeviceLock lock = on_.bench.device->lock_device();
    GpuWatch watch(on_.look);
    const std::vector<Standing> standings =
        benchmark::measure_side_by_side(entries, *bound, *inputs, *reference, tolerance, protocol);
    shape.state = watch.stop();
    take(standings, roles, shape);
    if (shape.refused) return;
    for (ShapeFigure& figure : not_proven) shape.figures.push_back(std::move(figure));
    const auto bytes = static_cast<double>(oracle::case_bytes(*bound));
    shape.memory_roof = !request_.cold && bytes <= static_cast<double>(on_.bench.l2_bytes) ? "l2" : "dram";
    shape.share = share_of_roof(found_.ceilings, shape.memory_roof, found_.arithmetic, shape.flops,
                                shape.bytes, shape.figures.front().latency->microseconds);
  }

  void take(const std::vector<Standing>& standings, const std::vector<Role>& roles,
            CharacterizedShape& shape) {
    const auto place = request_.cold ? &Standing::cold : &Standing::hot;
    const std::optional<Timed>& own = standings.front().*place;
    // What failed or was wrong was not timed.
    if (!own) {
      shape.refused = ShapeRefusal{"timing", standings.front().unavailable};
      return;
    }
    for (std::size_t i = 0; i < standings.size(); ++i) {
      const Standing& standing = standings[i];
      ShapeFigure& figure = shape.figures.emplace_back();
      figure.contender = standing.contender;
      figure.role = roles[i];
      figure.unavailable = standing.unavailable;
      const std::optional<Timed>& timed = standing.*place;
      if (!timed || !figure.unavailable.empty()) continue;
      model::Latency latency;
      latency.kind = model::LatencyKind::measured;
      latency.microseconds = timed->median_us;
      latency.ci95 = timed->ci95;
      latency.samples = static_cast<std::uint32_t>(timed->samples_us.size());
      latency.method = standing.method;
      figure.latency = latency;
      if (found_.method.empty()) found_.method = standing.method;
      if (i > 0) figure.speedup = speedup_of(*own, *timed, request_.rounds);
    }
  }

  const CharacterizeSubject& subject_;
  const CharacterizeRequest& request_;
  const ProofsOf& proofs_of_;
  CharacterizeDevice on_;
  const Tell& tell_;
  Characterization found_;
  /// Which rows of big cases are checked: nobody knows beforehand.
  std::uint64_t sample_entropy_ = request_.source.input_seed.value_or(draw_entropy());
  const model::Workload* workload_ = nullptr;  // what the kernels are compiled for now
  std::vector<std::unique_ptr<benchmark::KernelContender>> kernels_;
};

}  // namespace

Characterization characterize_measured(const CharacterizeSubject& subject, const CharacterizeRequest& request,
                                       const ProofsOf& proofs_of, CharacterizeDevice on,
                                       const std::stop_token& stop, const Tell& tell) {
  return Grid(subject, request, proofs_of, std::move(on), tell).run(stop);
}

}  // namespace evo::session
