#include "farm/nats/lent.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

namespace evo::farm::nats {

bool is_any_lent(Jetstream& jetstream, const std::string& stream, const std::string& consumer) {
  const auto info = jetstream.api(fmt::format("CONSUMER.INFO.{}.{}", stream, consumer));
  if (!info) return true;
  const auto is_none = [&](const char* key) {
    const boost::json::value* found = info->if_contains(key);
    return found != nullptr && found->is_int64() && found->as_int64() == 0;
  };
  return !is_none("num_pending") || !is_none("num_ack_pending");
}

}  // namespace evo::farm::nats
