#include "farm/nats/shelf.hpp"

#include <fmt/format.h>

#include "farm/message.hpp"
#include "farm/nats/streams.hpp"

namespace evo::farm::nats {

std::optional<std::string> NatsShelf::find(const std::string& key) {
  if (!is_plain_name(key)) return std::nullopt;
  return jetstream_.last_of(shelf_stream, shelf_subject(key));
}

void NatsShelf::put(const std::string& key, const std::string& bytes) {
  if (!is_plain_name(key) || bytes.size() > max_message_bytes) return;
  // Nobody waits for the server's word: what it does not hear of is compiled again.
  jetstream_.connection().publish(shelf_subject(key), bytes);
}

void NatsShelf::drop(const std::string& key) {
  if (!is_plain_name(key)) return;
  static_cast<void>(
      jetstream_.api(fmt::format("STREAM.PURGE.{}", shelf_stream), {{"filter", shelf_subject(key)}}));
}

}  // namespace evo::farm::nats
