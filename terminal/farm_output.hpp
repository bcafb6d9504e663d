// What `evo farm status` prints.
#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace evo::terminal {

/// Jobs, queues, what is kept (in MiB) and who is there, of the document that farm/nats/presence.hpp's
/// status_of() makes. What workers and runs say of themselves comes out as printable(). Throws
/// std::exception where a key is missing or of another type.
[[nodiscard]] std::string farm_text(const boost::json::object& status);

}  // namespace evo::terminal
