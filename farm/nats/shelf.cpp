#include "farm/nats/shelf.hpp"

#include <fmt/format.h>

#include "farm/message.hpp"
#include "farm/nats/streams.hpp"
#include "farm/nats/users.hpp"
#include "model/error.hpp"

namespace evo::farm::nats {

std::optional<std::string> NatsShelf::find(const std::string& key) {
  if (!is_plain_name(key)) return std::nullopt;
  if (Clock::now() < not_before_.load()) return std::nullopt;
  auto lies = jetstream_.last_of_once(shelf_stream, shelf_subject(key));
  if (lies) return std::move(*lies);
  not_before_ = Clock::now() + rest_;
  return std::nullopt;
}

void NatsShelf::put(const std::string& key, const std::string& bytes) {
  if (!is_plain_name(key) || bytes.size() > max_message_bytes) return;
  // Nobody waits for the server's word: what it does not hear of is compiled again.
  jetstream_.connection().publish(shelf_subject(key), bytes);
}

void NatsShelf::clear() {
  constexpr std::chrono::milliseconds wait{5000};
  // Behind all that this connection has put there: the server takes what it is sent in its order.
  try {
    static_cast<void>(
        jetstream_.connection().request(fmt::format("$JS.API.STREAM.PURGE.{}", shelf_stream), "", wait));
  } catch (const std::exception&) {
    // The connection is closed. Who reads there looks at what he takes by sample, as ever.
  }
}

void clear_shelf(const std::filesystem::path& folder, const std::function<Access()>& access, bool is_up) {
  if (is_up) {
    Jetstream jetstream(access(), {std::chrono::seconds(5), {}, {}});
    const auto purged = jetstream.api(fmt::format("STREAM.PURGE.{}", shelf_stream));
    if (!purged && purged.error().code != stream_not_found) refused("to empty its shelf", purged.error());
    return;
  }
  // Where a server without accounts keeps its streams.
  const auto stream = folder / store_folder / "jetstream" / "$G" / "streams" / shelf_stream;
  std::error_code error;
  std::filesystem::remove_all(stream, error);
  if (error)
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("{}: {}", stream.string(), error.message()));
}

}  // namespace evo::farm::nats
