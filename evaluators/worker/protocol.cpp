#include "evaluators/worker/protocol.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>
#include <utility>

namespace evo::evaluators::worker {

namespace json = boost::json;

namespace {

constexpr std::string_view magic = "evo-worker ";

constexpr std::array<std::pair<MessageType, std::string_view>, 6> types{{
    {MessageType::hello, "hello"},
    {MessageType::job, "job"},
    {MessageType::alive, "alive"},
    {MessageType::result, "result"},
    {MessageType::last_result, "last_result"},
    {MessageType::error, "error"},
}};

std::string_view name_of(MessageType type) {
  for (const auto& [known, name] : types) {
    if (known == type) return name;
  }
  return "unknown";
}

/// Parses a JSON object and hands it to `read`; what `read` throws becomes the error.
template <class T, class Read>
tl::expected<T, std::string> parse_object(std::string_view text, std::string_view what, const Read& read) {
  try {
    return read(json::parse({text.data(), text.size()}).as_object());
  } catch (const std::exception& error) {
    return tl::unexpected(fmt::format("malformed {}: {}", what, error.what()));
  }
}

std::string text_at(const json::object& object, std::string_view key) {
  return json::value_to<std::string>(object.at({key.data(), key.size()}));
}

}  // namespace

std::string encode(MessageType type, std::string_view body) {
  return fmt::format("{}{}\n{}", magic, name_of(type), body);
}

tl::expected<Message, std::string> decode(std::string_view frame) {
  const std::size_t end = frame.find('\n');
  if (!frame.starts_with(magic) || end == std::string_view::npos) {
    return tl::unexpected(fmt::format("a frame of {} bytes is no message of a worker", frame.size()));
  }
  const std::string_view name = frame.substr(magic.size(), end - magic.size());
  for (const auto& [type, known] : types) {
    if (known == name) return Message{type, std::string(frame.substr(end + 1))};
  }
  return tl::unexpected(fmt::format("unknown message type \"{}\"", name.substr(0, 40)));
}

std::string to_json(const Hello& hello) {
  const devices::DeviceInfo& device = hello.device;
  return json::serialize(json::object{{"protocol", hello.protocol},
                                      {"device", json::object{{"kind", device.kind},
                                                              {"name", device.name},
                                                              {"arch", device.arch},
                                                              {"driver", device.driver},
                                                              {"uuid", device.uuid}}}});
}

tl::expected<Hello, std::string> hello_from_json(std::string_view text) {
  return parse_object<Hello>(text, "hello", [](const json::object& object) {
    const json::object& device = object.at("device").as_object();
    return Hello{json::value_to<int>(object.at("protocol")),
                 {text_at(device, "kind"), text_at(device, "name"), text_at(device, "arch"),
                  text_at(device, "driver"), text_at(device, "uuid")}};
  });
}

std::string to_json(const WorkerError& error) {
  return json::serialize(json::object{{"exit_code", error.exit_code}, {"message", error.message}});
}

tl::expected<WorkerError, std::string> error_from_json(std::string_view text) {
  return parse_object<WorkerError>(text, "error message", [](const json::object& object) {
    return WorkerError{json::value_to<int>(object.at("exit_code")), text_at(object, "message")};
  });
}

}  // namespace evo::evaluators::worker
