// The document inside the page: one file that needs no other.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json.hpp>

namespace evo::report {

/// JSON that may stand in an HTML script element whatever its strings hold: no "<", no U+2028, no U+2029, and
/// bytes that are no UTF-8 as escapes.
[[nodiscard]] std::string embedded_json(const boost::json::value& document);

/// The page with `json` (of embedded_json()) in its data's place, which says its version, allowed to ask the
/// server that it came from.
[[nodiscard]] std::string live_page(const std::string& json, std::uint64_t version);

/// The page with `document` in its data's place.
[[nodiscard]] std::string page_of(const boost::json::value& document);

}  // namespace evo::report
