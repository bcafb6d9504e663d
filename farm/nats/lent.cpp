#include "farm/nats/lent.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

namespace evo::farm::nats {

Lent lent_of(Jetstream& jetstream, const std::string& stream, const std::string& consumer) {
  const auto info = jetstream.api(fmt::format("CONSUMER.INFO.{}.{}", stream, consumer));
  if (!info) return {};
  const auto is_none = [&](const char* key) {
    const boost::json::value* found = info->if_contains(key);
    return found != nullptr && found->is_int64() && found->as_int64() == 0;
  };
  Lent lent;
  lent.any = !is_none("num_pending") || !is_none("num_ack_pending");
  const boost::json::value* floor = info->if_contains("ack_floor");
  if (floor == nullptr || !floor->is_object()) return lent;
  const boost::json::value* number = floor->as_object().if_contains("stream_seq");
  if (number != nullptr && number->is_int64())
    lent.done_up_to = static_cast<std::uint64_t>(number->as_int64());
  return lent;
}

}  // namespace evo::farm::nats
