#include "farm/nats/streams.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "farm/message.hpp"
#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

namespace json = boost::json;

constexpr int name_in_use = 10058;

constexpr std::int64_t nanoseconds(std::chrono::seconds time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

constexpr const char* stream_prefix = "EVO_JOBS_";
/// Of code and of results each: what is older, or has no room, is put again when it is missed, code by a
/// worker and a job by its run. So nobody who may send either fills the server's disk. A server whose disk
/// has less takes the next one.
constexpr std::int64_t most_bytes[] = {std::int64_t{1} << 30, std::int64_t{1} << 27, std::int64_t{1} << 24};

json::object queue_config(const std::string& name, const std::string& subject) {
  using std::chrono::hours;
  using std::chrono::seconds;
  return {{"name", name},
          {"subjects", json::array{subject}},
          {"retention", "workqueue"},
          {"storage", "file"},
          {"max_age", nanoseconds(hours(24))},
          {"duplicate_window", nanoseconds(seconds(120))}};
}

json::object presence_config() {
  json::object presence{{"name", presence_stream},
                        {"subjects", {"evo.presence.worker.*", "evo.presence.run.*"}},
                        {"retention", "limits"},
                        {"storage", "memory"},
                        {"max_msgs_per_subject", 1},
                        {"max_msg_size", 16384},
                        {"max_age", nanoseconds(sign_time)}};
  presence["duplicate_window"] = nanoseconds(sign_time);
  return presence;
}

json::object results_config(std::int64_t bytes) {
  json::object results = queue_config(results_stream, "evo.results.*");
  results["max_bytes"] = bytes;
  results["discard"] = "old";
  return results;
}

/// Of code: read by subject alone, so that whoever does not know a hash does not get what it is of.
json::object code_config(std::int64_t bytes) {
  return {{"name", code_stream},
          {"subjects", json::array{"evo.code.*"}},
          {"retention", "limits"},
          {"storage", "file"},
          {"discard", "old"},
          {"allow_direct", true},
          {"max_msgs_per_subject", 1},
          {"max_bytes", bytes},
          {"max_age", nanoseconds(std::chrono::hours(24))}};
}

tl::expected<json::object, ApiError> try_stream(Jetstream& jetstream, const json::object& config) {
  const std::string name(config.at("name").as_string());
  auto made = jetstream.api("STREAM.CREATE." + name, config);
  // One of another version of evo: it is mended where that can be.
  if (!made && made.error().code == name_in_use) made = jetstream.api("STREAM.UPDATE." + name, config);
  return made;
}

void make_stream(Jetstream& jetstream, const json::object& config) {
  const auto made = try_stream(jetstream, config);
  if (!made) refused("the stream " + std::string(config.at("name").as_string()), made.error());
}

void make_bounded_stream(Jetstream& jetstream, json::object (*config)(std::int64_t bytes)) {
  ApiError why;
  for (const std::int64_t bytes : most_bytes) {
    const auto made = try_stream(jetstream, config(bytes));
    if (made) return;
    why = made.error();
  }
  refused("the stream " + std::string(config(most_bytes[0]).at("name").as_string()), why);
}

}  // namespace

std::string jobs_stream(const std::string& line) {
  return stream_prefix + line;
}
std::string job_subject(const JobName& name) {
  return fmt::format("evo.jobs.{}.{}.{}", name.line, name.run, name.id);
}
std::string result_subject(const std::string& run) {
  return "evo.results." + run;
}
std::string code_subject(const std::string& hash) {
  return "evo.code." + hash;
}
std::string consumer_of(const std::string& run) {
  return "run_" + run;
}

void refused(const std::string& what, const ApiError& why) {
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("the farm's server refuses {}: {}", what, why.text));
}

void make_streams(Jetstream& jetstream) {
  make_stream(jetstream, presence_config());
  make_bounded_stream(jetstream, results_config);
  make_bounded_stream(jetstream, code_config);
}

void make_line(Jetstream& jetstream, const std::string& line) {
  const std::string stream = jobs_stream(line);
  make_stream(jetstream, queue_config(stream, fmt::format("evo.jobs.{}.*.*", line)));
  const json::object workers{{"stream_name", stream},
                             {"config", json::object{{"durable_name", workers_consumer},
                                                     {"ack_policy", "explicit"},
                                                     {"ack_wait", nanoseconds(lease_time)},
                                                     {"max_deliver", -1},
                                                     {"max_ack_pending", 100000},
                                                     {"max_waiting", 10000}}}};
  const auto made =
      jetstream.api(fmt::format("CONSUMER.DURABLE.CREATE.{}.{}", stream, workers_consumer), workers);
  if (!made) refused("the workers' consumer", made.error());
}

std::vector<std::string> lines_of(Jetstream& jetstream) {
  std::vector<std::string> lines;
  const auto names = jetstream.api("STREAM.NAMES", {{"subject", "evo.jobs.>"}});
  const json::value* all = names ? names->if_contains("streams") : nullptr;
  if (all == nullptr || !all->is_array()) return lines;
  for (const json::value& name : all->as_array()) {
    if (!name.is_string() || !std::string_view(name.as_string()).starts_with(stream_prefix)) continue;
    std::string line(std::string_view(name.as_string()).substr(std::string_view(stream_prefix).size()));
    if (is_plain_name(line)) lines.push_back(std::move(line));
  }
  return lines;
}

void make_consumer(Jetstream& jetstream, const std::string& run) {
  const json::object consumer{
      {"stream_name", results_stream},
      {"config", json::object{{"durable_name", consumer_of(run)},
                              {"filter_subject", result_subject(run)},
                              {"ack_policy", "explicit"},
                              {"ack_wait", nanoseconds(lease_time)},
                              {"max_deliver", -1},
                              {"inactive_threshold", nanoseconds(std::chrono::hours(24))}}}};
  const auto made =
      jetstream.api(fmt::format("CONSUMER.DURABLE.CREATE.{}.{}", results_stream, consumer_of(run)), consumer);
  if (!made && made.error().code == stream_not_found) {
    make_streams(jetstream);  // the server has lost its memory
    return;                   // the next look for a result comes here again
  }
  if (!made) refused("the consumer of the run's results", made.error());
}

}  // namespace evo::farm::nats
