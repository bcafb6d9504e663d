#include "farm/nats/streams.hpp"

#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

namespace json = boost::json;

constexpr int name_in_use = 10058;

constexpr std::int64_t nanoseconds(std::chrono::seconds time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

std::vector<json::object> stream_configs() {
  using std::chrono::hours;
  using std::chrono::seconds;
  json::object jobs{{"name", jobs_stream},
                    {"subjects", {"evo.jobs.virtual.*.*"}},
                    {"retention", "workqueue"},
                    {"storage", "file"},
                    {"max_age", nanoseconds(hours(24))},
                    {"duplicate_window", nanoseconds(seconds(120))}};
  json::object results = jobs;
  results["name"] = results_stream;
  results["subjects"] = json::array{"evo.results.*"};
  json::object presence{{"name", presence_stream},
                        {"subjects", {"evo.presence.worker.*", "evo.presence.run.*"}},
                        {"retention", "limits"},
                        {"storage", "memory"},
                        {"max_msgs_per_subject", 1},
                        {"max_msg_size", 16384},
                        {"max_age", nanoseconds(sign_time)}};
  presence["duplicate_window"] = nanoseconds(sign_time);
  return {std::move(jobs), std::move(results), std::move(presence)};
}

}  // namespace

std::string job_subject(const JobName& name) {
  return fmt::format("evo.jobs.virtual.{}.{}", name.run, name.id);
}
std::string result_subject(const std::string& run) {
  return "evo.results." + run;
}
std::string consumer_of(const std::string& run) {
  return "run_" + run;
}

void refused(const std::string& what, const ApiError& why) {
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("the farm's server refuses {}: {}", what, why.text));
}

void make_streams(Jetstream& jetstream) {
  for (const json::object& config : stream_configs()) {
    const std::string name(config.at("name").as_string());
    auto made = jetstream.api("STREAM.CREATE." + name, config);
    // One of another version of evo: it is mended where that can be.
    if (!made && made.error().code == name_in_use) made = jetstream.api("STREAM.UPDATE." + name, config);
    if (!made) refused("the stream " + name, made.error());
  }
  const json::object workers{{"stream_name", jobs_stream},
                             {"config", json::object{{"durable_name", workers_consumer},
                                                     {"ack_policy", "explicit"},
                                                     {"ack_wait", nanoseconds(lease_time)},
                                                     {"max_deliver", -1},
                                                     {"max_ack_pending", 100000},
                                                     {"max_waiting", 10000}}}};
  const auto made =
      jetstream.api(fmt::format("CONSUMER.DURABLE.CREATE.{}.{}", jobs_stream, workers_consumer), workers);
  if (!made) refused("the workers' consumer", made.error());
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
