// One or more runs as one JSON document: what `evo report --json` prints and the page shows.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "report/run_view.hpp"

namespace evo::report {

/// Counts up when a key changes its meaning or goes away; docs/reference/json.md.
inline constexpr int schema_version = 1;

[[nodiscard]] boost::json::object run_document(const RunView& view, Remembered* remembered = nullptr);

/// Reads the runs below `paths` and makes the document of all of them. `benches`: files that
/// `evo bench --json` printed, taken in as they are. Throws as read_run() does, and (invalid_configuration)
/// for a file that is none of these.
[[nodiscard]] boost::json::object document_of(const std::vector<std::string>& paths,
                                              const std::vector<std::string>& benches = {},
                                              Remembered* remembered = nullptr);

}  // namespace evo::report
