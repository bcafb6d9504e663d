#include "farm/nats/streams.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "farm/message.hpp"
#include "farm/nats/stream_configs.hpp"
#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

namespace json = boost::json;

constexpr const char* stream_prefix = "EVO_JOBS_";
/// Runs that come to a server at the same time look for room in turn, and are in each other's way.
constexpr int looks_for_room = 10;
constexpr std::chrono::milliseconds between_looks{200};

/// How much a stream may hold; 0: of a version of evo that set no bound; nullopt: it is not there.
std::optional<std::int64_t> bound_of(Jetstream& jetstream, const std::string& stream) {
  const auto info = jetstream.api("STREAM.INFO." + stream);
  if (!info) return std::nullopt;
  const json::value* config = info->if_contains("config");
  const json::value* bytes =
      config != nullptr && config->is_object() ? config->as_object().if_contains("max_bytes") : nullptr;
  return bytes != nullptr && bytes->is_int64() ? std::max<std::int64_t>(0, bytes->as_int64()) : 0;
}

bool is_bounded(Jetstream& jetstream, const std::string& stream) {
  return bound_of(jetstream, stream).value_or(0) > 0;
}

/// One that is there and bounded stays as it is: a server wants room for it anew before it looks whether it
/// is the same. The error: it is not there.
std::optional<ApiError> ensure(Jetstream& jetstream, const json::object& config) {
  const std::string name(config.at("name").as_string());
  const auto bound = bound_of(jetstream, name);
  if (bound && *bound > 0) return std::nullopt;
  // One of an older version is mended.
  const auto made = jetstream.api((bound ? "STREAM.UPDATE." : "STREAM.CREATE.") + name, config);
  // Another run may have been faster.
  return made || is_bounded(jetstream, name) ? std::nullopt : std::optional(made.error());
}

void require(Jetstream& jetstream, const json::object& config) {
  if (const auto why = ensure(jetstream, config))
    refused("the stream " + std::string(config.at("name").as_string()), *why);
}

/// Why there is no room for so much. A server that has once put it by for a stream does not give back what
/// the stream has less from then on, so the room is looked for first.
std::optional<ApiError> no_room_for(Jetstream& jetstream, std::int64_t bytes) {
  const json::object probe = probe_config(bytes);
  const std::string name(probe.at("name").as_string());
  // Of a run that was killed meanwhile.
  static_cast<void>(jetstream.api("STREAM.DELETE." + name));
  const auto made = jetstream.api("STREAM.CREATE." + name, probe);
  if (!made) return made.error();
  static_cast<void>(jetstream.api("STREAM.DELETE." + name));
  return std::nullopt;
}

void make_presence(Jetstream& jetstream) {
  ApiError why;
  for (const std::int64_t bytes : presence_sizes) {
    const auto failed = ensure(jetstream, presence_config(bytes));
    if (!failed) return;
    why = *failed;
  }
  refused(std::string("the stream ") + presence_stream, why);
}

/// Their sizes' members.
std::vector<std::int64_t StreamSizes::*> missing_streams(Jetstream& jetstream) {
  constexpr std::pair<const char*, std::int64_t StreamSizes::*> kept[] = {
      {results_stream, &StreamSizes::results},
      {code_stream, &StreamSizes::code},
      {shelf_stream, &StreamSizes::shelf}};
  std::vector<std::int64_t StreamSizes::*> missing;
  for (const auto& [stream, size] : kept)
    if (!is_bounded(jetstream, stream)) missing.push_back(size);
  return missing;
}

/// Why there is no room for them.
std::optional<ApiError> try_kept_streams(Jetstream& jetstream) {
  const auto missing = missing_streams(jetstream);
  if (missing.empty()) return std::nullopt;
  ApiError why;
  for (const StreamSizes& sizes : stream_sizes) {
    // Jobs have to have some room, whatever else is kept.
    std::int64_t bytes = sizes.lines * sizes.line;
    for (const auto& size : missing) bytes += sizes.*size;
    if (const auto none = no_room_for(jetstream, bytes)) {
      // Another run that looks for room, too, has it, or has made them by now.
      if (missing_streams(jetstream).empty()) return std::nullopt;
      why = *none;
      continue;
    }
    require(jetstream, results_config(sizes.results));
    require(jetstream, code_config(sizes.code));
    require(jetstream, shelf_config(sizes.shelf));
    return std::nullopt;
  }
  return why;
}

void make_kept_streams(Jetstream& jetstream) {
  auto why = try_kept_streams(jetstream);
  for (int looks = 0; why && looks < looks_for_room; ++looks) {
    if (jetstream.patience().stop.stop_requested()) break;
    std::this_thread::sleep_for(between_looks);
    why = try_kept_streams(jetstream);
  }
  if (why) refused("room for what its runs keep there", *why);
}

/// Of the size that goes with what the server keeps beside, or less: it may have more lines than usual.
std::optional<ApiError> ensure_jobs(Jetstream& jetstream, const std::string& stream,
                                    const std::string& line) {
  const std::int64_t kept = bound_of(jetstream, shelf_stream).value_or(0);
  ApiError why;
  for (const StreamSizes& sizes : stream_sizes) {
    if (sizes.shelf > kept && &sizes != std::end(stream_sizes) - 1) continue;
    const auto failed = ensure(jetstream, line_config(stream, line, sizes.line));
    if (!failed) return std::nullopt;
    why = *failed;
  }
  return why;
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
std::string shelf_subject(const std::string& key) {
  return "evo.shelf." + key;
}
std::string consumer_of(const std::string& run) {
  return "run_" + run;
}

void refused(const std::string& what, const ApiError& why) {
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("the farm's server refuses {}: {}", what, why.text));
}

void make_streams(Jetstream& jetstream) {
  make_presence(jetstream);
  make_kept_streams(jetstream);
}

void make_line(Jetstream& jetstream, const std::string& line) {
  if (const auto why = find_line(jetstream, line)) refused("the stream " + jobs_stream(line), *why);
}

std::optional<ApiError> find_line(Jetstream& jetstream, const std::string& line) {
  const std::string stream = jobs_stream(line);
  if (auto why = ensure_jobs(jetstream, stream, line)) return why;
  const json::object workers{{"stream_name", stream},
                             {"config", json::object{{"durable_name", workers_consumer},
                                                     {"ack_policy", "explicit"},
                                                     {"ack_wait", nanoseconds(lease_time)},
                                                     {"max_deliver", -1},
                                                     {"max_ack_pending", 100000},
                                                     {"max_waiting", 10000}}}};
  const auto made =
      jetstream.api(fmt::format("CONSUMER.DURABLE.CREATE.{}.{}", stream, workers_consumer), workers);
  return made ? std::nullopt : std::optional(made.error());
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
