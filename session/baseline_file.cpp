#include "session/baseline_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/measure/statistics.hpp"
#include "session/run_folder.hpp"

namespace evo::session {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;
namespace measure = evaluators::measure;

constexpr const char* format_name = "evo baseline 1";

[[noreturn]] void invalid(const fs::path& file, const std::string& message) {
  throw model::Exception(model::ExitCode::invalid_configuration,
                         fmt::format("{}: {}", file.string(), message));
}

/// nvbench writes numbers of summaries as texts.
json::object number(const char* tag, const char* name, const char* hint, double value) {
  return {
      {"tag", tag},
      {"name", name},
      {"hint", hint},
      {"data", json::array{{{"name", "value"}, {"type", "float64"}, {"value", fmt::format("{}", value)}}}}};
}

json::object count(const char* tag, const char* name, std::size_t value) {
  return {{"tag", tag},
          {"name", name},
          {"hint", "sample_size"},
          {"data", json::array{{{"name", "value"}, {"type", "int64"}, {"value", fmt::format("{}", value)}}}}};
}

json::array summaries_of(const std::vector<double>& samples_us, const std::string& binary) {
  std::vector<double> seconds;
  for (const double us : samples_us) seconds.push_back(us * 1e-6);
  double mean = 0, squares = 0;
  for (const double s : seconds) mean += s / static_cast<double>(seconds.size());
  for (const double s : seconds) squares += (s - mean) * (s - mean);
  const double deviation =
      seconds.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(seconds.size() - 1));
  const auto quantile = [&](double q) { return measure::quantile(seconds, q); };
  const double iqr = quantile(0.75) - quantile(0.25);
  json::array all{
      count("nv/cold/sample_size", "Samples", seconds.size()),
      number("nv/cold/time/gpu/min", "Min GPU Time", "duration", quantile(0)),
      number("nv/cold/time/gpu/max", "Max GPU Time", "duration", quantile(1)),
      number("nv/cold/time/gpu/mean", "Mean GPU Time", "duration", mean),
      number("nv/cold/time/gpu/q1", "Q1 GPU Time", "duration", quantile(0.25)),
      number("nv/cold/time/gpu/median", "Median GPU Time", "duration", quantile(0.5)),
      number("nv/cold/time/gpu/q3", "Q3 GPU Time", "duration", quantile(0.75)),
      number("nv/cold/time/gpu/iqr/absolute", "IQR GPU Time", "duration", iqr),
      number("nv/cold/time/gpu/iqr/relative", "Relative IQR GPU Time", "percentage",
             quantile(0.5) > 0 ? iqr / quantile(0.5) : 0),
      number("nv/cold/time/gpu/stdev/absolute", "Stdev GPU Time", "duration", deviation),
      number("nv/cold/time/gpu/stdev/relative", "Noise", "percentage", mean > 0 ? deviation / mean : 0)};
  all.push_back({{"tag", "nv/json/bin:nv/cold/sample_times"},
                 {"name", "Samples Times File"},
                 {"hint", "file/sample_times"},
                 {"data", json::array{{{"name", "filename"}, {"type", "string"}, {"value", binary}},
                                      {{"name", "size"},
                                       {"type", "int64"},
                                       {"value", fmt::format("{}", samples_us.size())}}}}});
  return all;
}

json::object state_of(const model::Workload& workload, const StoredTimes& times, const std::string& binary) {
  json::array axes;
  std::string name = "Device=0";
  for (const auto& [axis, value] : workload.axes) {
    axes.push_back({{"name", axis}, {"type", "int64"}, {"value", fmt::format("{}", value)}});
    name += fmt::format(" {}={}", axis, value);
  }
  return {{"name", name},
          {"min_samples", times.samples_us.size()},
          {"device", 0},
          {"type_config_index", 0},
          {"axis_values", std::move(axes)},
          {"summaries", summaries_of(times.samples_us, binary)},
          {"is_skipped", false}};
}

json::array axes_of(const std::vector<model::Workload>& workloads) {
  json::array axes;
  for (const auto& [axis, first] : workloads.front().axes) {
    json::array values;
    std::vector<std::int64_t> known;
    for (const model::Workload& workload : workloads) {
      const auto found = workload.axes.find(axis);
      if (found == workload.axes.end() || std::find(known.begin(), known.end(), found->second) != known.end())
        continue;
      known.push_back(found->second);
      values.push_back({{"input_string", fmt::format("{}", found->second)},
                        {"description", ""},
                        {"value", found->second}});
    }
    axes.push_back({{"name", axis}, {"type", "int64"}, {"flags", ""}, {"values", std::move(values)}});
  }
  return axes;
}

void write_binary(const fs::path& file, const std::vector<double>& samples_us) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  for (const double us : samples_us) {
    const auto seconds = static_cast<float>(us * 1e-6);
    stream.write(reinterpret_cast<const char*>(&seconds), sizeof seconds);
  }
  stream.close();
  if (!stream)
    throw model::Exception(model::ExitCode::environment, fmt::format("{} cannot be written", file.string()));
}

}  // namespace

double StoredTimes::median_us() const {
  return measure::median(samples_us);
}

void write_baseline(const StoredBaseline& baseline, const fs::path& file) {
  const fs::path folder = file.string() + "-bin";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("{} cannot be made: {}", folder.string(), failed.message()));
  json::array states, samples;
  for (std::size_t i = 0; i < baseline.times.size(); ++i) {
    const StoredTimes& times = baseline.times[i];
    const std::string binary = fmt::format("{}/{}.bin", folder.filename().string(), i);
    write_binary(folder / fmt::format("{}.bin", i), times.samples_us);
    states.push_back(state_of(baseline.kernel.workloads[i], times, binary));
    samples.push_back({{"workload", times.workload},
                       {"samples_us", json::array(times.samples_us.begin(), times.samples_us.end())}});
  }
  const json::object document{
      {"meta",
       {{"argv", json::array{}},
        {"version", {{"json", {{"major", 1}, {"minor", 0}, {"patch", 0}, {"string", "1.0.0"}}}}}}},
      {"devices", json::array{{{"id", 0}, {"name", baseline.device_name}}}},
      {"benchmarks", json::array{{{"name", baseline.kernel.problem + "/" + baseline.kernel.template_name},
                                  {"index", 0},
                                  {"devices", json::array{0}},
                                  {"axes", axes_of(baseline.kernel.workloads)},
                                  {"states", std::move(states)}}}},
      {"evo",
       {{"format", format_name},
        {"evo_version", baseline.evo_version},
        {"cache", baseline.cache},
        {"latency_kind", baseline.latency_kind},
        {"device", baseline.device_name},
        {"driver", baseline.driver},
        {"uuid", baseline.uuid},
        {"toolchain", baseline.toolchain},
        {"kernel", to_json(baseline.kernel, file.parent_path())},
        {"samples", std::move(samples)}}}};
  write_file_atomically(file, json::serialize(document) + "\n");
}

StoredBaseline read_baseline(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw model::Exception(model::ExitCode::usage, fmt::format("{} cannot be read", file.string()));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  boost::system::error_code failed;
  const json::value document = json::parse(text, failed);
  if (failed) invalid(file, "it is no JSON: " + failed.message());
  const auto* whole = document.if_object();
  const auto* evo = whole != nullptr && whole->contains("evo") ? whole->at("evo").if_object() : nullptr;
  const auto* format = evo != nullptr ? evo->if_contains("format") : nullptr;
  if (format == nullptr || !format->is_string() || format->as_string() != format_name)
    invalid(file, "it is no baseline that `evo baseline save` wrote");
  StoredBaseline baseline;
  try {
    const auto word = [&](const char* key) { return std::string(evo->at(key).as_string()); };
    baseline.latency_kind = word("latency_kind");
    baseline.device_name = word("device");
    baseline.driver = word("driver");
    baseline.uuid = word("uuid");
    baseline.toolchain = word("toolchain");
    baseline.evo_version = word("evo_version");
    if (evo->contains("cache")) baseline.cache = word("cache");
    for (const json::value& entry : evo->at("samples").as_array()) {
      StoredTimes times{std::string(entry.at("workload").as_string()), {}};
      for (const json::value& us : entry.at("samples_us").as_array())
        times.samples_us.push_back(us.to_number<double>());
      baseline.times.push_back(std::move(times));
    }
  } catch (const std::exception&) {
    invalid(file, "the samples under \"evo\" are not what evo writes there");
  }
  const auto* kernel = evo->if_contains("kernel");
  if (kernel == nullptr) invalid(file, "'kernel' is missing under \"evo\"");
  auto stored = exporting::stored_kernel_from_json(*kernel, file.parent_path());
  if (!stored) invalid(file, stored.error().text());
  baseline.kernel = std::move(*stored);
  return baseline;
}

}  // namespace evo::session
