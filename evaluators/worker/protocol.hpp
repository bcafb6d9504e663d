// What a device worker and its pool say to each other. A frame (process/child.hpp) holds one message: a line
// "evo-worker TYPE" and a body. The worker speaks first (hello), then answers each job with one result or
// error; in between it sends "alive" whenever the device has answered something.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::worker {

inline constexpr int protocol_version = 8;

/// Exit code of a worker whose device a candidate took down; its last message was the job's result.
inline constexpr int device_lost_exit = 76;

enum class MessageType : std::uint8_t {
  hello,        ///< body: Hello
  job,          ///< body: gates::DeviceJob as JSON
  alive,        ///< no body
  result,       ///< body: gates::DeviceResult as JSON
  last_result,  ///< the same, but the device is lost and the worker ends
  error,        ///< body: WorkerError; the environment is broken and the worker ends
};

struct Message {
  MessageType type = MessageType::alive;
  std::string body;
};
[[nodiscard]] std::string encode(MessageType type, std::string_view body = {});
/// The error says what is wrong with the frame.
[[nodiscard]] tl::expected<Message, std::string> decode(std::string_view frame);

struct Hello {
  int protocol = protocol_version;
  devices::DeviceInfo device;
};
[[nodiscard]] std::string to_json(const Hello& hello);
[[nodiscard]] tl::expected<Hello, std::string> hello_from_json(std::string_view text);

/// Why the environment, not a candidate, ended a job; `exit_code` is one of model::ExitCode.
struct WorkerError {
  int exit_code = 1;
  std::string message;
};
[[nodiscard]] std::string to_json(const WorkerError& error);
[[nodiscard]] tl::expected<WorkerError, std::string> error_from_json(std::string_view text);

}  // namespace evo::evaluators::worker
