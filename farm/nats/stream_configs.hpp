// How the streams of a farm are set up, and how much each may hold at its server.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

namespace evo::farm::nats {

/// What its streams may hold, in bytes; all of it is put by at the server when a stream is made.
struct StreamSizes {
  std::int64_t results = 0, code = 0, shelf = 0;
  std::int64_t line = 0;  ///< the jobs of one line
  int lines = 0;          ///< that have room for sure
};

constexpr std::int64_t mebibytes(std::int64_t number) {
  return number << 20;
}

/// The virtual device, one NVRTC, one model of GPU and its comparisons.
inline constexpr int least_lines = 4;
/// A server takes the first that it has room for. The least line holds one message of the longest kind.
inline constexpr StreamSizes stream_sizes[] = {
    {mebibytes(1024), mebibytes(1024), mebibytes(1024), mebibytes(128), 16},
    {mebibytes(128), mebibytes(128), mebibytes(128), mebibytes(16), 16},
    {mebibytes(16), mebibytes(16), mebibytes(16), mebibytes(16), least_lines}};
/// Signs of who is there, in the server's memory: the first that it has.
inline constexpr std::int64_t presence_sizes[] = {mebibytes(64), mebibytes(8), mebibytes(1)};

/// Who is there. Whoever says that he is somebody else each time pushes the oldest out, and fills no memory.
[[nodiscard]] boost::json::object presence_config(std::int64_t bytes);
/// The oldest result goes where there is no room: its job is asked for again.
[[nodiscard]] boost::json::object results_config(std::int64_t bytes);
/// Of code: read by subject alone, so that whoever does not know a hash does not get what it is of. The
/// oldest goes: it is put again when it is missed.
[[nodiscard]] boost::json::object code_config(std::int64_t bytes);
/// Of what runs lend each other; the oldest goes.
[[nodiscard]] boost::json::object shelf_config(std::int64_t bytes);
/// Of a line's jobs: none is pushed out. Where there is no room, who puts one waits.
[[nodiscard]] boost::json::object line_config(const std::string& stream, const std::string& line,
                                              std::int64_t bytes);
/// Made and deleted again: is there room for so much?
[[nodiscard]] boost::json::object probe_config(std::int64_t bytes);

}  // namespace evo::farm::nats
