#include "farm/nats/jetstream.hpp"

#include <thread>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds request_wait{2000};
constexpr milliseconds retry_wait{200};
constexpr int direct_tries = 3;
/// A server that is up and does not know JetStream is given this long: it may be starting.
constexpr milliseconds start_wait{5000};

tl::expected<json::object, ApiError> object_of(const std::string& text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error || !value.is_object())
    return tl::unexpected(ApiError{0, "the server's answer is no JSON object"});
  json::object object = std::move(value.as_object());
  const json::value* refused = object.if_contains("error");
  if (refused == nullptr || !refused->is_object()) return object;
  ApiError why;
  const json::object& fields = refused->as_object();
  if (const json::value* code = fields.if_contains("err_code"); code != nullptr && code->is_int64())
    why.code = static_cast<int>(code->as_int64());
  if (const json::value* said = fields.if_contains("description"); said != nullptr && said->is_string())
    why.text = std::string(said->as_string());
  return tl::unexpected(std::move(why));
}

}  // namespace

Jetstream::Jetstream(const Access& access, Patience patience)
    : connection_(access), patience_(std::move(patience)) {}

Reply Jetstream::insist(const std::string& subject, const std::string& data,
                        const Connection::Headers& headers, bool nobody_is_an_answer) {
  const auto start = Clock::now();
  bool told = false;
  while (true) {
    auto reply = connection_.request(subject, data, request_wait, headers);
    const bool nobody = reply && reply->status == 503;
    if (reply && (!nobody || nobody_is_an_answer)) {
      if (told && patience_.log) patience_.log("the farm's server is back");
      return std::move(*reply);
    }
    const auto waited = Clock::now() - start;
    if (nobody && waited > start_wait) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("the NATS server at {} has no JetStream, or allows this end none of it: "
                      "evo farm up starts one that has",
                      connection_.url()));
    }
    if (patience_.longest.count() > 0 && waited > patience_.longest) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("the NATS server at {} has not answered for {} s: it is away, or does not "
                      "allow this end to ask",
                      connection_.url(), std::chrono::duration_cast<std::chrono::seconds>(waited).count()));
    }
    if (!nobody && !told && patience_.log) {
      patience_.log(
          fmt::format("the farm's server at {} does not answer; waiting for it", connection_.url()));
      told = true;
    }
    if (patience_.stop.stop_requested())
      throw model::Exception(model::ExitCode::interrupted, "stopped while the farm's server was away");
    std::this_thread::sleep_for(retry_wait);
  }
}

tl::expected<json::object, ApiError> Jetstream::api(const std::string& call, const json::object& body) {
  return object_of(insist("$JS.API." + call, body.empty() ? "" : json::serialize(body), {}, false).data);
}

tl::expected<std::uint64_t, ApiError> Jetstream::store(const std::string& subject, const std::string& once,
                                                       const std::string& data) {
  const Reply reply = insist(subject, data, {{"Nats-Msg-Id", once}}, true);
  if (reply.status == 503) return tl::unexpected(ApiError{503, "no stream takes " + subject});
  const auto stored = object_of(reply.data);
  if (!stored) return tl::unexpected(stored.error());
  const json::value* number = stored->if_contains("seq");
  return number != nullptr && number->is_int64() ? static_cast<std::uint64_t>(number->as_int64()) : 0;
}

tl::expected<std::optional<std::string>, ApiError> Jetstream::last_of_once(const std::string& stream,
                                                                           const std::string& subject) {
  auto reply =
      connection_.request(fmt::format("$JS.API.DIRECT.GET.{}.{}", stream, subject), "", request_wait);
  if (!reply) return tl::unexpected(ApiError{0, "the server does not answer"});
  // A status, "404" or that nobody is there: a message has none.
  if (reply->status != 0) return std::optional<std::string>();
  return std::optional(std::move(reply->data));
}

std::optional<std::string> Jetstream::last_of(const std::string& stream, const std::string& subject) {
  for (int tries = 0; tries < direct_tries; ++tries)
    if (auto reply = last_of_once(stream, subject)) return std::move(*reply);
  return std::nullopt;  // the server is away, or allows this end none of it
}

}  // namespace evo::farm::nats
