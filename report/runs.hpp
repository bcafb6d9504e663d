// The run folders below a directory.
#pragma once

#include <filesystem>
#include <vector>

#include <boost/json.hpp>

#include "report/run_view.hpp"

namespace evo::report {

/// Folders with a ledger.sqlite at or below `folder`, by name; hidden folders and what may not be read are
/// left out. Throws model::Exception(usage) when `folder` is no directory.
[[nodiscard]] std::vector<std::filesystem::path> run_folders(const std::filesystem::path& folder);

/// {"run", "state", "status", "device", "latency_kind", "trials", "champion", "latency_us", "speedup",
/// "verdict", "age_seconds", "problem"}. `problem` is "" or says why the ledger cannot be read; then the rest
/// is null.
[[nodiscard]] boost::json::object run_line(const std::filesystem::path& folder,
                                           Remembered* remembered = nullptr);

}  // namespace evo::report
