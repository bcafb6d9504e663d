#include "evaluators/worker/counted_launches.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "model/error.hpp"

namespace evo::evaluators::worker {
namespace {

namespace json = boost::json;

using Seconds = std::chrono::duration<double>;

/// Launches of so many seconds bring a GPU's clocks up; short launches need no more than so many.
constexpr double warming_s = 0.03;
constexpr int most_warming = 5000;

/// Under ncu a launch takes much longer than alone.
constexpr double counting_factor = 1000;

json::object to_json(const cuda::LaunchSamples& samples) {
  json::array places;
  for (const cuda::SampledPlace& place : samples.places) {
    json::object stalls;
    for (const auto& [reason, count] : place.stalls) stalls[reason] = count;
    places.push_back({{"function", place.function},
                      {"offset", place.offset},
                      {"file", place.file},
                      {"line", place.line},
                      {"stalls", std::move(stalls)}});
  }
  return {{"samples", samples.all},
          {"dropped", samples.dropped},
          {"launches", samples.repetitions},
          {"places", std::move(places)}};
}

class CountedLaunches {
 public:
  CountedLaunches(devices::Device& device, const gates::DeviceJob& job, const oracle::Catalogue& known,
                  const LaunchCounter& counter, std::ostream& out)
      : device_(device), job_(job), known_(known), counter_(counter), out_(out) {}

  int run() {
    const auto module = device_.load(job_.artifact);
    if (!module) return fail(job_.artifact.entry, module.error());
    for (const model::Case& bound : job_.cases) {
      if (const int code = run_case(*module, bound); code != 0) return code;
      out_ << "launched " << bound.name << std::endl;
    }
    if (counter_.count || counter_.sample)
      out_ << (counter_.sample ? "samples " : "counters ")
           << json::serialize(json::object{{"method", counter_.method}, {"cases", std::move(cases_)}})
           << std::endl;
    return 0;
  }

 private:
  int fail(const std::string& name, const model::Failure& failure) {
    out_ << fmt::format("failed {}: {}", name, failure.reason) << std::endl;
    return 1;
  }

  int no_counters(const std::string& why) {
    out_ << "no_counters " << why << std::endl;
    return 1;
  }

  int run_case(devices::ModuleId module, const model::Case& bound) {
    const auto inputs =
        oracle::make_inputs(known_, bound, job_.input_sets.front(), {.seed = job_.input_seed});
    if (!inputs) throw model::Exception(model::ExitCode::invalid_configuration, inputs.error().text());
    const devices::DeviceLock lock = device_.lock_device();
    auto buffers = gates::CaseBuffers::create(device_, bound, gates::as_allocated);
    if (!buffers) return fail(bound.name, buffers.error());
    if (auto done = buffers->write_inputs(*inputs); !done) return fail(bound.name, done.error());
    if (auto done = buffers->poison(1, false); !done) return fail(bound.name, done.error());
    devices::LaunchOptions options;
    options.timeout_ms = job_.settings.launch_timeout_ms * counting_factor;
    std::optional<model::Failure> failure;
    const auto launch_once = [&] {
      const auto launched = device_.launch(module, bound.launch, buffers->arguments(), options);
      if (!launched) failure = launched.error();
      if (failure) return false;
      if (auto done = device_.synchronize(); !done) failure = done.error();
      return !failure;
    };
    const auto took = warm_up(launch_once, !counter_.sample && counter_.launches != 1);
    if (!took) return fail(bound.name, *failure);
    if (counter_.sample) {
      auto sampled = counter_.sample(launch_once);
      if (failure) return fail(bound.name, *failure);
      if (!sampled) return no_counters(sampled.error());
      cases_.push_back(to_json(*sampled));
      return 0;
    }
    out_ << fmt::format("took {:.3f}", 1e6 * *took) << std::endl;
    const int launches = counter_.launches > 0 ? counter_.launches : model::launches_to_count(*took);
    const int left_out = launches > 1 ? 1 : 0;
    const auto work = [&] {
      for (int i = 0; i < left_out + launches; ++i)
        if (!launch_once()) return false;
      return true;
    };
    if (!counter_.count) {
      if (counter_.watched) counter_.watched(true);
      const bool worked = work();
      if (counter_.watched) counter_.watched(false);
      return worked ? 0 : fail(bound.name, *failure);
    }
    const std::size_t kernels = model::kernels_of(bound.launch).size();
    const auto counted = counter_.count(kernels * static_cast<std::size_t>(left_out + launches), work);
    if (failure) return fail(bound.name, *failure);
    if (!counted) return no_counters(counted.error());
    cases_.push_back(values_of(*counted, kernels, static_cast<std::size_t>(left_out) * kernels));
    return 0;
  }

  /// Seconds of the quickest launch; nullopt: one failed. `long_enough`: not one alone.
  static std::optional<double> warm_up(const std::function<bool()>& launch_once, bool long_enough) {
    double quickest = std::numeric_limits<double>::infinity();
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i == 0 || (long_enough && i < most_warming); ++i) {
      const auto before = std::chrono::steady_clock::now();
      if (!launch_once()) return std::nullopt;
      const auto now = std::chrono::steady_clock::now();
      // The first one loads the code.
      if (i <= 1 || Seconds(now - before).count() < quickest) quickest = Seconds(now - before).count();
      if (Seconds(now - begun).count() > warming_s) break;
    }
    return quickest;
  }

  /// Rows are launch by launch, in each of them kernel by kernel; the first `left_out` rows do not count.
  [[nodiscard]] json::array values_of(const std::vector<std::vector<double>>& rows, std::size_t kernels,
                                      std::size_t left_out) const {
    json::array list;
    for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
      json::object values;
      for (std::size_t i = 0; i < counter_.metrics.size(); ++i) {
        json::array launches;
        for (std::size_t row = left_out + kernel; row < rows.size(); row += kernels)
          if (i < rows[row].size()) launches.emplace_back(rows[row][i]);
        if (!launches.empty()) values[counter_.metrics[i]] = std::move(launches);
      }
      list.push_back(std::move(values));
    }
    return list;
  }

  devices::Device& device_;
  const gates::DeviceJob& job_;
  const oracle::Catalogue& known_;
  const LaunchCounter& counter_;
  std::ostream& out_;
  json::array cases_;
};

}  // namespace

int count_launches(devices::Device& device, const gates::DeviceJob& job, const oracle::Catalogue& known,
                   const LaunchCounter& counter, std::ostream& out) {
  if (job.input_sets.empty() || job.cases.empty())
    throw model::Exception(model::ExitCode::invalid_configuration, "a job without a case or an input set");
  return CountedLaunches(device, job, known, counter, out).run();
}

}  // namespace evo::evaluators::worker
