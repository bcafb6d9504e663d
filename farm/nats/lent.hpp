// What a consumer says of its messages, where its stream may say otherwise.
#pragma once

#include <string>

#include "farm/nats/jetstream.hpp"

namespace evo::farm::nats {

/// Does any message wait for its first taker, or is it lent? A server that dies before it has written down
/// what was taken finds it again in its stream; its consumer, which knows, never lends it, and nobody else
/// would notice that such a job is in nobody's hands. True where the server does not tell.
[[nodiscard]] bool is_any_lent(Jetstream& jetstream, const std::string& stream, const std::string& consumer);

}  // namespace evo::farm::nats
