// What a consumer says of its messages, where its stream may say otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "farm/nats/jetstream.hpp"

namespace evo::farm::nats {

/// A server that dies before it has written down what was taken finds it again in its stream, and gives the
/// numbers of what it lost to messages that come later; its consumer, which has them as done, never lends
/// these, and nobody else would notice that they are in nobody's hands.
struct Lent {
  /// Does any message wait for its first taker, or is it lent? True where the server does not tell.
  bool any = true;
  /// Messages up to this number are done, as the consumer has it.
  std::uint64_t done_up_to = 0;
};
[[nodiscard]] Lent lent_of(Jetstream& jetstream, const std::string& stream, const std::string& consumer);

}  // namespace evo::farm::nats
