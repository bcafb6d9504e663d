#include "farm/nats/queue.hpp"

#include <charconv>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "farm/message.hpp"
#include "farm/nats/presence.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"

namespace evo::farm::nats {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr int consumer_not_found = 10014;
constexpr int stream_not_found = 10059;
constexpr int name_in_use = 10058;
constexpr int no_stream = 503;
constexpr milliseconds ack_wait{1000};
constexpr milliseconds pause{200};

constexpr std::int64_t nanoseconds(std::chrono::seconds time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

std::string job_subject(const JobName& name) {
  return fmt::format("evo.jobs.virtual.{}.{}", name.run, name.id);
}
std::string result_subject(const std::string& run) {
  return "evo.results." + run;
}
std::string consumer_of(const std::string& run) {
  return "run_" + run;
}

[[noreturn]] void refused(const std::string& what, const ApiError& why) {
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("the farm's server refuses {}: {}", what, why.text));
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
                        {"max_age", nanoseconds(seconds(15))}};
  presence["duplicate_window"] = nanoseconds(seconds(15));
  return {std::move(jobs), std::move(results), std::move(presence)};
}

/// Of "$JS.ACK.STREAM.CONSUMER.TIMES. ...", or with domain and account before the stream.
int times_lent(const std::string& lease) {
  std::vector<std::string> words(1);
  for (const char c : lease) {
    if (c == '.')
      words.emplace_back();
    else
      words.back() += c;
  }
  const std::size_t at = words.size() >= 11 ? 6 : 4;
  int times = 1;
  if (at < words.size()) std::from_chars(words[at].data(), words[at].data() + words[at].size(), times);
  return times;
}

/// Of a message; what has a status is the server's word that there is none.
std::optional<Delivery> delivery_of(std::optional<Reply> reply) {
  if (!reply || reply->status != 0 || reply->reply_to.empty()) return std::nullopt;
  const int times = times_lent(reply->reply_to);
  return Delivery{std::move(reply->data), std::move(reply->reply_to), times};
}

}  // namespace

NatsQueue::NatsQueue(const Access& access, Patience patience, bool coordinates)
    : jetstream_(access, std::move(patience)), coordinates_(coordinates) {
  const std::int64_t takes = jetstream_.connection().max_payload();
  if (takes < static_cast<std::int64_t>(max_message_bytes)) {
    throw model::Exception(
        model::ExitCode::environment,
        fmt::format(
            "the NATS server at {} takes messages of {} bytes, and a farm's have up to {}: set max_payload "
            "in its configuration, or start it with evo farm up",
            access.url, takes, max_message_bytes));
  }
  if (coordinates_) make_streams();
}

std::unique_ptr<NatsQueue> NatsQueue::of_coordinator(Access access, Patience patience) {
  access.inbox = "_EVO_RUN";
  return std::unique_ptr<NatsQueue>(new NatsQueue(access, std::move(patience), true));
}

std::unique_ptr<NatsQueue> NatsQueue::of_worker(Access access, Patience patience) {
  access.inbox = "_EVO_WORKER";
  return std::unique_ptr<NatsQueue>(new NatsQueue(access, std::move(patience), false));
}

void NatsQueue::make_streams() {
  for (const json::object& config : stream_configs()) {
    const std::string name(config.at("name").as_string());
    auto made = jetstream_.api("STREAM.CREATE." + name, config);
    // One of another version of evo: it is mended where that can be.
    if (!made && made.error().code == name_in_use) made = jetstream_.api("STREAM.UPDATE." + name, config);
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
      jetstream_.api(fmt::format("CONSUMER.DURABLE.CREATE.{}.{}", jobs_stream, workers_consumer), workers);
  if (!made) refused("the workers' consumer", made.error());
}

void NatsQueue::make_consumer(const std::string& run) {
  const json::object consumer{
      {"stream_name", results_stream},
      {"config", json::object{{"durable_name", consumer_of(run)},
                              {"filter_subject", result_subject(run)},
                              {"ack_policy", "explicit"},
                              {"ack_wait", nanoseconds(lease_time)},
                              {"max_deliver", -1},
                              {"inactive_threshold", nanoseconds(std::chrono::hours(24))}}}};
  const auto made = jetstream_.api(
      fmt::format("CONSUMER.DURABLE.CREATE.{}.{}", results_stream, consumer_of(run)), consumer);
  if (!made && made.error().code == stream_not_found) {
    make_streams();  // the server has lost its memory
    return;          // the next look for a result comes here again
  }
  if (!made) refused("the consumer of the run's results", made.error());
}

void NatsQueue::store(const std::string& subject, const std::string& once, const std::string& bytes) {
  while (true) {
    const auto stored = jetstream_.store(subject, once, bytes);
    if (stored) return;
    if (stored.error().code != no_stream) refused("a message", stored.error());
    if (coordinates_) make_streams();
    std::this_thread::sleep_for(pause);
  }
}

void NatsQueue::put_job(const JobName& name, const std::string& once, const std::string& bytes) {
  store(job_subject(name), once, bytes);
}

std::optional<Delivery> NatsQueue::take_job(milliseconds wait) {
  return delivery_of(jetstream_.next(jobs_stream, workers_consumer, wait));
}

void NatsQueue::keep(const std::string& lease) {
  jetstream_.connection().publish(lease, "+WPI");
}

void NatsQueue::give_back(const std::string& lease) {
  jetstream_.connection().publish(lease, "-NAK");
  jetstream_.connection().flush(ack_wait);
}

void NatsQueue::done(const std::string& lease) {
  // Answered, so that it is known to be gone; if it is not, another worker does it again, and nobody waits.
  for (int tries = 0; tries < 3; ++tries) {
    if (jetstream_.connection().request(lease, "+ACK", ack_wait)) return;
  }
}

void NatsQueue::put_result(const std::string& run, const std::string& bytes) {
  store(result_subject(run), model::sha256(bytes), bytes);
}

std::optional<Delivery> NatsQueue::take_result(const std::string& run, milliseconds wait) {
  auto reply = jetstream_.next(results_stream, consumer_of(run), wait);
  if (!reply || reply->status == no_stream)
    make_consumer(run);  // or the server was away: then it waits for it
  return delivery_of(std::move(reply));
}

std::set<std::string> NatsQueue::jobs_of(const std::string& run) {
  const auto info = jetstream_.api(fmt::format("STREAM.INFO.{}", jobs_stream),
                                   {{"subjects_filter", job_subject({run, "*"})}});
  std::set<std::string> ids;
  if (!info) {
    if (info.error().code != stream_not_found) refused("to tell of its jobs", info.error());
    return ids;
  }
  const std::size_t prefix = job_subject({run, ""}).size();
  const json::object& state = info->at("state").as_object();
  if (const json::value* subjects = state.if_contains("subjects");
      subjects != nullptr && subjects->is_object()) {
    for (const auto& subject : subjects->as_object()) ids.emplace(subject.key().substr(prefix));
  }
  return ids;
}

Crowd NatsQueue::crowd(const std::string& run) {
  return crowd_of(jetstream_, run);
}

void NatsQueue::clear(const std::string& run) {
  const std::pair<const char*, std::string> places[] = {{jobs_stream, job_subject({run, "*"})},
                                                        {results_stream, result_subject(run)}};
  for (const auto& [stream, subject] : places) {
    const auto purged = jetstream_.api(fmt::format("STREAM.PURGE.{}", stream), {{"filter", subject}});
    if (!purged && purged.error().code != stream_not_found) refused("to forget the run", purged.error());
  }
  make_consumer(run);
}

void NatsQueue::leave(const std::string& run) {
  // A run that is over does not wait for a server.
  if (!jetstream_.connection().request("$JS.API.INFO", "", ack_wait)) return;
  clear(run);
  const auto gone = jetstream_.api(fmt::format("CONSUMER.DELETE.{}.{}", results_stream, consumer_of(run)));
  if (!gone && gone.error().code != consumer_not_found && gone.error().code != stream_not_found)
    refused("to forget the run's results", gone.error());
}

}  // namespace evo::farm::nats
