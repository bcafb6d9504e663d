#include "session/comparator_pairs.hpp"

#include <algorithm>
#include <sstream>

#include <boost/json.hpp>

#include "evaluators/benchmark/against.hpp"
#include "evaluators/benchmark/kernel_contender.hpp"
#include "evaluators/benchmark/sampled_reference.hpp"
#include "evaluators/gates/paired.hpp"
#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/oracle/input_sets.hpp"

namespace evo::session {
namespace {

using namespace evaluators;
using benchmark::Attempt;
namespace json = boost::json;

constexpr std::chrono::milliseconds look_period{200};
constexpr const char* line_begins = "comparators ";
constexpr char seed_mark = '#';

/// One contender against the champion, until its jobs are all there or it has failed.
class Against {
 public:
  Against(const ComparatorJob& wanted, ComparatorDevice& on, benchmark::Contender& other)
      : wanted_(wanted),
        on_(on),
        other_(other),
        kernel_("champion", *on.device, [this](const model::Case&) -> Attempt<benchmark::BoundKernel> {
          return benchmark::BoundKernel{wanted_.job.artifact, *bound_};
        }) {
    pairs_.against = other.name();
    pairs_.kind = model::LatencyKind::measured;
    pairs_.cache = wanted.job.settings.cache;
    pairs_.clocks.watched = static_cast<bool>(on.look);
  }

  TimedPairs run() {
    for (const std::uint64_t seed : wanted_.seeds) {
      while (take(seed)) {
      }
      if (!pairs_.failure.empty()) break;
      pairs_.input_seeds.push_back(seed);
    }
    kernel_.release();
    other_.release();
    if (!pairs_.failure.empty()) pairs_.series.clear();
    return std::move(pairs_);
  }

 private:
  /// True: the GPU slowed itself down, and the job is to be taken again.
  bool take(std::uint64_t seed) {
    // Another evo on this GPU waits until the job is done.
    const devices::DeviceLock lock = on_.device->lock_device();
    GpuWatch watch(on_.look, look_period);
    std::vector<gates::PairedSeries> series;
    for (const model::Case& bound : wanted_.job.cases) {
      auto times = time_case(bound, seed);
      if (!times) {
        pairs_.failure = times.error();
        return false;
      }
      series.push_back({bound.name, bound.weight, std::move(times->kernel_us), std::move(times->other_us)});
    }
    if (note_job(pairs_.clocks, watch.stop())) return true;
    if (!pairs_.add(series)) pairs_.failure = "the samples of the jobs do not fit each other";
    return false;
  }

  Attempt<benchmark::AgainstTimes> time_case(const model::Case& bound, std::uint64_t seed) {
    const gates::DeviceJob& job = wanted_.job;
    bound_ = &bound;
    // A comparator remembers a case by its name, and these are other inputs.
    model::Case named = bound;
    named.name += seed_mark + std::to_string(seed);
    const auto inputs = oracle::make_inputs(on_.known, bound, job.input_sets.front(), {.seed = seed});
    if (!inputs) return tl::make_unexpected(inputs.error().text());
    const auto reference = benchmark::SampledReference::make(on_.known, job.oracle, bound, *inputs, seed,
                                                             oracle::whole_reference_flops,
                                                             job.tolerance.reference_factor.has_value());
    if (!reference) return tl::make_unexpected(reference.error().text());
    const double cut_off = gates::cut_off_by_tensor_cores(job.reduced_axes, bound);
    const auto judge = [&](const benchmark::Contender& who, const benchmark::Outputs& outputs) {
      const benchmark::OutputCheck check =
          reference->check(outputs, job.tolerance, who.adds_in_tensor_cores() ? cut_off : 0);
      return check.pass ? std::string() : check.text;
    };
    benchmark::AgainstProtocol protocol;
    protocol.rounds = verdict_rounds;
    protocol.rounds_a_load = gates::paired_rounds_a_load;
    protocol.launches = job.settings.timing_launches;
    protocol.l2_bytes = on_.l2_bytes;
    protocol.cold = job.settings.cold();
    protocol.seed = seed;
    return benchmark::time_against(kernel_, other_, named, *inputs, judge, protocol);
  }

  const ComparatorJob& wanted_;
  ComparatorDevice& on_;
  benchmark::Contender& other_;
  const model::Case* bound_ = nullptr;  // what the kernel is launched for now
  benchmark::KernelContender kernel_;
  TimedPairs pairs_;
};

/// What such a kernel needs for a case, which is named as time_case() does.
Attempt<benchmark::BoundKernel> launches_of(const ComparatorJob::Kernel& kernel, const model::Case& wanted) {
  const std::string name = wanted.name.substr(0, wanted.name.rfind(seed_mark));
  for (const model::Case& one : kernel.job.cases)
    if (one.name == name) return benchmark::BoundKernel{kernel.job.artifact, one};
  return tl::make_unexpected("it has no launches of " + name);
}

}  // namespace

std::vector<TimedPairs> time_comparators(const ComparatorJob& job, ComparatorDevice on) {
  std::vector<TimedPairs> all;
  for (const BenchComparator& one : on.looked_for) {
    if (one.unavailable.empty()) continue;
    TimedPairs& pairs = all.emplace_back();
    pairs.against = one.name;
    pairs.kind = model::LatencyKind::measured;
    pairs.cache = job.job.settings.cache;
    pairs.failure = one.unavailable;
  }
  for (const ComparatorJob::Kernel& kernel : job.kernels)
    on.contenders.push_back(std::make_unique<benchmark::KernelContender>(
        kernel.name, *on.device,
        [&kernel](const model::Case& wanted) { return launches_of(kernel, wanted); }));
  for (const auto& contender : on.contenders) {
    all.push_back(Against(job, on, *contender).run());
    // The next would find nothing to run on.
    if (on.device->lost()) break;
  }
  return all;
}

std::string to_json(const ComparatorJob& job) {
  json::array seeds;
  for (const std::uint64_t seed : job.seeds) seeds.emplace_back(std::to_string(seed));
  json::array comparators;
  for (const model::Comparator& one : job.comparators)
    comparators.push_back({{"name", one.name},
                           {"command", json::value_from(one.command)},
                           {"kind", static_cast<int>(one.kind)}});
  json::array kernels;
  for (const ComparatorJob::Kernel& kernel : job.kernels)
    kernels.push_back({{"name", kernel.name}, {"job", gates::to_json(kernel.job)}});
  return json::serialize(json::object{{"job", gates::to_json(job.job)},
                                      {"problem_folder", job.problem_folder},
                                      {"comparators", std::move(comparators)},
                                      {"kernels", std::move(kernels)},
                                      {"named", job.named},
                                      {"seeds", std::move(seeds)}});
}

ComparatorJob comparator_job_from_json(const std::string& text) {
  const json::value document = json::parse(text);
  ComparatorJob job;
  job.job = gates::device_job_from_json(std::string(document.at("job").as_string()));
  job.problem_folder = std::string(document.at("problem_folder").as_string());
  job.named = document.at("named").as_bool();
  for (const json::value& one : document.at("comparators").as_array())
    job.comparators.push_back({json::value_to<std::string>(one.at("name")),
                               json::value_to<std::vector<std::string>>(one.at("command")),
                               model::ComparatorKind{one.at("kind").to_number<std::uint8_t>()}});
  for (const json::value& one : document.at("kernels").as_array())
    job.kernels.push_back({json::value_to<std::string>(one.at("name")),
                           gates::device_job_from_json(std::string(one.at("job").as_string()))});
  for (const json::value& seed : document.at("seeds").as_array())
    job.seeds.push_back(std::stoull(std::string(seed.as_string())));
  return job;
}

std::optional<std::vector<TimedPairs>> comparators_in(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(line_begins)) continue;
    try {
      std::vector<TimedPairs> all;
      const json::value document = json::parse(line.substr(std::string(line_begins).size()));
      for (const json::value& one : document.as_array())
        all.push_back(timed_pairs_from_json(one.as_object()));
      return all;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace evo::session
