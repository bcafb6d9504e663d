// A run as one picture to share: SVG, 1200 x 675.
#pragma once

#include <string>

#include <boost/json.hpp>

namespace evo::report {

/// The card of a run of run_document(), from its numbers alone. It holds no script, no link and no reference
/// to anything outside; names and messages are text whatever they hold.
[[nodiscard]] std::string card_of(const boost::json::object& run);

}  // namespace evo::report
