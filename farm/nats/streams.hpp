// The streams of a farm, and who may take from them. A job leaves its stream when it is acknowledged; its
// lease is the consumer's ack_wait.
//
//   stream            subjects                            holds
//   EVO_JOBS_LINE     evo.jobs.LINE.RUN.ID                jobs of a line (message.hpp) that wait or are lent
//                                                         (consumer: workers); "virtual" is a line
//   EVO_CODE          evo.code.HASH                       code that jobs name (code.hpp), for a day
//   EVO_SHELF         evo.shelf.KEY                       what runs lend each other (shelf.hpp), for a week
//   EVO_RESULTS       evo.results.RUN                     results that are not taken (consumers: run_RUN)
//   EVO_PRESENCE      evo.presence.worker|run.NAME        the last sign of each, for 15 s (presence.hpp)
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "farm/nats/jetstream.hpp"
#include "farm/queue.hpp"

namespace evo::farm::nats {

inline constexpr const char* results_stream = "EVO_RESULTS";
inline constexpr const char* presence_stream = "EVO_PRESENCE";
inline constexpr const char* code_stream = "EVO_CODE";
inline constexpr const char* shelf_stream = "EVO_SHELF";
inline constexpr const char* workers_consumer = "workers";
/// Without a heartbeat for so long a job is another worker's.
inline constexpr std::chrono::seconds lease_time{6};
/// Whoever has given no sign for so long is not there.
inline constexpr std::chrono::seconds sign_time{15};

/// ApiError::code of a stream that is not there.
inline constexpr int stream_not_found = 10059;
inline constexpr int consumer_not_found = 10014;
/// Of a message for which its stream, or the server's disk, has no room.
inline constexpr int stream_is_full = 10077, server_is_full = 10023;

/// As the server's configurations say times.
[[nodiscard]] constexpr std::int64_t nanoseconds(std::chrono::seconds time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

/// The stream of a line's jobs.
[[nodiscard]] std::string jobs_stream(const std::string& line);
[[nodiscard]] std::string job_subject(const JobName& name);
[[nodiscard]] std::string result_subject(const std::string& run);
[[nodiscard]] std::string code_subject(const std::string& hash);
[[nodiscard]] std::string shelf_subject(const std::string& key);
/// The run's consumer of results.
[[nodiscard]] std::string consumer_of(const std::string& run);

/// Makes what is not there, as large as the server has room for (stream_configs.hpp); what is there keeps its
/// size. Throws model::Exception(environment) where the server refuses.
void make_streams(Jetstream& jetstream);
/// The stream of a line's jobs, and its consumer.
void make_line(Jetstream& jetstream, const std::string& line);
/// The same; the value is why there is none.
[[nodiscard]] std::optional<ApiError> find_line(Jetstream& jetstream, const std::string& line);
/// Lines that have a stream at the server.
[[nodiscard]] std::vector<std::string> lines_of(Jetstream& jetstream);
/// Makes the run's consumer, and the streams where they are gone.
void make_consumer(Jetstream& jetstream, const std::string& run);

[[noreturn]] void refused(const std::string& what, const ApiError& why);

}  // namespace evo::farm::nats
