#include "evaluators/profile/launched.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/gates/evidence.hpp"
#include "evaluators/measure/statistics.hpp"
#include "evaluators/process/capture.hpp"
#include "evaluators/process/temporary_file.hpp"
#include "evaluators/profile/modelled.hpp"
#include "evaluators/profile/ncu.hpp"
#include "evaluators/profile/sampled.hpp"
#include "model/error.hpp"

namespace evo::evaluators::profile {
namespace {

namespace json = boost::json;

/// One kernel of one case, by the metrics' names: a value for each launch that was counted.
using Metrics = std::map<std::string, std::vector<double>, std::less<>>;

struct Counted {
  std::string method;
  std::vector<std::vector<Metrics>> cases;  ///< in the job's order; the kernels of each
};

/// What a tool came to: counts, or why not, or that the kernel itself failed.
struct Tried {
  std::optional<Counted> counted;
  gates::NoProfile refused;
  std::optional<model::Failure> failure;
};

std::string line_after(const std::string& output, std::string_view mark) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) return line.substr(mark.size());
  }
  return {};
}

std::string last_line(const std::string& output) {
  std::string last;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

/// The launcher says "failed CASE: REASON" where a launch of the candidate failed.
std::optional<model::Failure> launch_failure(const std::string& output) {
  const std::string words = line_after(output, "failed ");
  if (words.empty()) return std::nullopt;
  return gates::fail(model::Status::launch_error, "profiled_launch",
                     "a launch failed while it was counted: " + words);
}

std::string why_it_ended(const process::Captured& ran, std::chrono::milliseconds limit) {
  if (ran.stopped) return "interrupted";
  if (ran.timed_out)
    return fmt::format("it did not end in {:.0f} s", std::chrono::duration<double>(limit).count());
  const std::string words = last_line(ran.output);
  return words.empty() ? "it ended without a word" : words;
}

/// What the launcher says behind "`what` " where CUPTI works inside of it; null: `tried` says why not.
json::value launched_with(const LaunchedSettings& settings, const std::string& file, const std::string& how,
                          const std::string& what, Tried& tried) {
  std::vector<std::string> command = settings.launcher;
  command.insert(command.end(),
                 {"--counters", how, "--launches", fmt::format("{}", settings.launches), file});
  const process::Captured ran =
      process::run_captured(command, settings.timeout, std::size_t{16} << 20, {}, settings.stop);
  tried.failure = launch_failure(ran.output);
  if (tried.failure) return nullptr;
  tried.refused.reason = line_after(ran.output, "no_permission ");
  tried.refused.not_permitted = !tried.refused.reason.empty();
  if (tried.refused.reason.empty()) tried.refused.reason = line_after(ran.output, "no_counters ");
  if (!tried.refused.reason.empty()) return nullptr;
  const std::string said = line_after(ran.output, what + " ");
  boost::system::error_code broken;
  json::value document = json::parse(said, broken);
  if (!said.empty() && !broken && document.is_object()) return document;
  tried.refused.reason = why_it_ended(ran, settings.timeout);
  return nullptr;
}

Tried by_cupti(const LaunchedSettings& settings, const std::string& file) {
  Tried tried;
  tried.refused.tool = "CUPTI";
  const json::value document = launched_with(settings, file, "cupti", "counters", tried);
  if (document.is_null()) return tried;
  Counted counted;
  counted.method = document.at("method").as_string();
  for (const json::value& one : document.at("cases").as_array()) {
    std::vector<Metrics>& kernels = counted.cases.emplace_back();
    for (const json::value& kernel : one.as_array()) {
      Metrics& metrics = kernels.emplace_back();
      for (const auto& [name, value] : kernel.as_object())
        for (const json::value& launch : value.as_array())
          metrics[name].push_back(launch.to_number<double>());
    }
  }
  tried.counted = std::move(counted);
  return tried;
}

std::string all_metrics() {
  std::string list;
  for (const model::CounterName& counter : model::counter_names()) {
    if (!counter.metric.empty()) list += (list.empty() ? "" : ",") + ncu_metric(counter.metric);
  }
  return list;
}

std::string ncu_version(const std::filesystem::path& program) {
  const process::Captured ran =
      process::run_captured({program.string(), "--version"}, std::chrono::seconds(20));
  const std::string words = line_after(ran.output, "Version ");
  return words.empty() ? "ncu" : "ncu " + words.substr(0, words.find(' '));
}

/// ncu starts the launcher again for each group of counters, and each time as many launches must come: what
/// they take is asked before, of the slowest case.
int launches_under_ncu(const LaunchedSettings& settings, const std::string& file, Tried& tried) {
  if (settings.launches > 0) return settings.launches;
  std::vector<std::string> command = settings.launcher;
  command.insert(command.end(), {"--counters", "none", "--launches", "0", file});
  const process::Captured ran =
      process::run_captured(command, settings.timeout, std::size_t{16} << 20, {}, settings.stop);
  tried.failure = launch_failure(ran.output);
  double slowest_us = 0;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view mark = "took ";
    if (line.starts_with(mark))
      slowest_us = std::max(slowest_us, std::strtod(line.c_str() + mark.size(), nullptr));
  }
  return model::launches_to_count(slowest_us * 1e-6);
}

Tried by_ncu(const LaunchedSettings& settings, const std::string& file, const gates::DeviceJob& job) {
  Tried tried;
  tried.refused.tool = "ncu";
  const auto program = find_ncu();
  if (!program) {
    tried.refused.reason =
        "it is not installed (looked for in $CUDA_HOME, /usr/local/cuda and on the path; EVO_NCU can name "
        "it)";
    return tried;
  }
  const int launches = launches_under_ncu(settings, file, tried);
  if (tried.failure) return tried;
  const std::size_t left_out = launches > 1 ? 1 : 0;  // worker/counted_launches.hpp
  // Clocks and caches as they are, and each launch behind launches of the same kernel, as CUPTI and the
  // latency gate have it: the whole program runs again for each group of counters. What warms up is not
  // watched, and so not slowed down.
  std::vector<std::string> command{program->string(),
                                   "--csv",
                                   "--page",
                                   "raw",
                                   "--print-units",
                                   "base",
                                   "--metrics",
                                   all_metrics(),
                                   "--clock-control",
                                   "none",
                                   "--cache-control",
                                   "none",
                                   "--replay-mode",
                                   "application",
                                   "--profile-from-start",
                                   "off"};
  command.insert(command.end(), settings.launcher.begin(), settings.launcher.end());
  command.insert(command.end(), {"--counters", "none", "--launches", fmt::format("{}", launches), file});
  const process::Captured ran =
      process::run_captured(command, settings.timeout, std::size_t{16} << 20, {}, settings.stop);
  if (says_not_permitted(ran.output)) {
    tried.refused.not_permitted = true;
    tried.refused.reason = complaint_of(ran.output);
    return tried;
  }
  tried.failure = launch_failure(ran.output);
  if (tried.failure) return tried;
  const auto told = parse_ncu(ran.output);
  const std::size_t rounds = left_out + static_cast<std::size_t>(launches);
  std::size_t expected = 0;
  for (const model::Case& bound : job.cases) expected += rounds * model::kernels_of(bound.launch).size();
  if (!told || told->size() != expected) {
    const std::string complaint = complaint_of(ran.output);
    tried.refused.reason =
        !complaint.empty() ? complaint
        : ran.timed_out || ran.stopped || !told
            ? why_it_ended(ran, settings.timeout)
            : fmt::format("it tells of {} launches, and {} were made", told->size(), expected);
    return tried;
  }
  Counted counted;
  counted.method = ncu_version(*program);
  std::size_t at = 0;
  for (const model::Case& bound : job.cases) {
    const std::size_t kernels = model::kernels_of(bound.launch).size();
    std::vector<Metrics>& of_case = counted.cases.emplace_back(kernels);
    for (std::size_t i = 0; i < rounds * kernels; ++i, ++at) {
      if (i < left_out * kernels) continue;
      for (const model::CounterName& counter : model::counter_names())
        if (const auto value = value_of((*told)[at], counter.metric))
          of_case[i % kernels][std::string(counter.metric)].push_back(*value);
    }
  }
  tried.counted = std::move(counted);
  return tried;
}

/// Of the kernel that a step of a plan launches.
std::pair<std::string, const model::ResourceUsage*> kernel_of(const model::Artifact& artifact,
                                                              const model::LaunchPlan& step) {
  if (step.kernel > 0 && step.kernel <= artifact.others.size()) {
    const model::FurtherKernel& other = artifact.others[step.kernel - 1];
    return {other.entry, &other.resources};
  }
  return {artifact.entry, &artifact.resources};
}

model::CounterReading reading_of(const Counted& counted, const gates::DeviceJob& job,
                                 const std::string& device) {
  model::CounterReading reading{model::CounterBasis::measured, counted.method, device, {}};
  for (std::size_t i = 0; i < std::min(job.cases.size(), counted.cases.size()); ++i) {
    const auto steps = model::kernels_of(job.cases[i].launch);
    for (std::size_t k = 0; k < std::min(steps.size(), counted.cases[i].size()); ++k) {
      const auto [entry, resources] = kernel_of(job.artifact, *steps[k]);
      model::KernelCounters& kernel = reading.kernels.emplace_back();
      kernel.workload = job.cases[i].name;
      kernel.kernel = entry;
      for (const model::CounterName& counter : model::counter_names()) {
        const auto value = counted.cases[i][k].find(counter.metric);
        if (counter.metric.empty() || value == counted.cases[i][k].end() || value->second.empty()) continue;
        const std::string name(counter.name);
        kernel.values[name] = measure::median(value->second) * counter.scale;
        kernel.launches = std::max(kernel.launches, static_cast<int>(value->second.size()));
        if (value->second.size() < 2) continue;
        const auto [low, high] = std::ranges::minmax(value->second);
        kernel.spread[name] = {low * counter.scale, high * counter.scale};
      }
      add_resources(*resources, kernel.values);
    }
  }
  return reading;
}

/// Beside counters that were read: what is missing is told and no more.
void add_sampled(const LaunchedSettings& settings, const std::string& file, const gates::DeviceJob& job,
                 gates::Profiled& profiled) {
  Tried tried;
  tried.refused.tool = "CUPTI PC sampling";
  const json::value document = launched_with(settings, file, "samples", "samples", tried);
  if (!document.is_null()) return add_samples(document, job, *profiled.reading);
  if (tried.failure) tried.refused.reason = tried.failure->reason;
  profiled.refused.push_back(std::move(tried.refused));
}

}  // namespace

std::optional<std::filesystem::path> find_ncu() {
  if (const char* named = std::getenv("EVO_NCU"); named != nullptr && *named != '\0') return named;
  return process::find_program("ncu", {"/usr/local/cuda/bin", "/opt/nvidia/nsight-compute"});
}

gates::Profiled LaunchedProfiler::profile(const gates::DeviceJob& job) {
  gates::Profiled profiled;
  const process::TemporaryFile file("evo-profile", gates::to_json(job));
  const auto take = [&](Tried tried) {
    if (tried.failure) {
      profiled.failure = std::move(tried.failure);
    } else if (tried.counted) {
      profiled.reading = reading_of(*tried.counted, job, settings_.device);
    } else {
      profiled.refused.push_back(std::move(tried.refused));
      return false;
    }
    return true;
  };
  const bool done = settings_.try_cupti && take(by_cupti(settings_, file.path()));
  if (!done && settings_.try_ncu && !settings_.stop.stop_requested())
    take(by_ncu(settings_, file.path(), job));
  if (settings_.sample_lines && profiled.reading && !settings_.stop.stop_requested())
    add_sampled(settings_, file.path(), job, profiled);
  return profiled;
}

}  // namespace evo::evaluators::profile
