#include "farm/nats/stream_configs.hpp"

#include <chrono>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "farm/nats/streams.hpp"

namespace evo::farm::nats {
namespace {

namespace json = boost::json;
using std::chrono::hours;
using std::chrono::seconds;

/// Of one that is taken from, message by message.
json::object queue_config(const std::string& name, const std::string& subject, std::int64_t bytes,
                          const char* without_room) {
  return {{"name", name},
          {"subjects", json::array{subject}},
          {"retention", "workqueue"},
          {"storage", "file"},
          {"max_age", nanoseconds(hours(24))},
          {"max_bytes", bytes},
          {"discard", without_room},
          {"duplicate_window", nanoseconds(seconds(120))}};
}

/// Of one whose last message of each subject is read by that subject.
json::object kept_config(const char* name, const char* subjects, std::int64_t bytes, seconds age) {
  return {{"name", name},
          {"subjects", json::array{subjects}},
          {"retention", "limits"},
          {"storage", "file"},
          {"discard", "old"},
          {"allow_direct", true},
          {"max_msgs_per_subject", 1},
          {"max_bytes", bytes},
          {"max_age", nanoseconds(age)}};
}

}  // namespace

json::object presence_config(std::int64_t bytes) {
  json::object presence{{"name", presence_stream},
                        {"subjects", {"evo.presence.worker.*", "evo.presence.run.*"}},
                        {"retention", "limits"},
                        {"storage", "memory"},
                        {"discard", "old"},
                        {"max_msgs_per_subject", 1},
                        {"max_msg_size", 16384},
                        {"max_bytes", bytes},
                        {"max_age", nanoseconds(sign_time)}};
  presence["duplicate_window"] = nanoseconds(sign_time);
  return presence;
}

json::object results_config(std::int64_t bytes) {
  return queue_config(results_stream, "evo.results.*", bytes, "old");
}

json::object code_config(std::int64_t bytes) {
  return kept_config(code_stream, "evo.code.*", bytes, hours(24));
}

json::object shelf_config(std::int64_t bytes) {
  return kept_config(shelf_stream, "evo.shelf.*", bytes, hours(24 * 7));
}

json::object line_config(const std::string& stream, const std::string& line, std::int64_t bytes) {
  return queue_config(stream, fmt::format("evo.jobs.{}.*.*", line), bytes, "new");
}

json::object probe_config(std::int64_t bytes) {
  return {{"name", "EVO_ROOM"},
          {"subjects", json::array{"evo.room"}},
          {"storage", "file"},
          {"max_bytes", bytes},
          {"max_age", nanoseconds(seconds(10))}};
}

}  // namespace evo::farm::nats
