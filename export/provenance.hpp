// provenance.json: where an exported variant comes from.
#pragma once

#include <map>
#include <string>

#include "export/exporter.hpp"
#include "export/selftest_writer.hpp"

namespace evo::exporting {

/// Indented JSON of a file in `folder`. `files` are the exported files with their SHA-256.
[[nodiscard]] std::string write_provenance(const ExportRequest& request,
                                           const std::map<std::string, std::string>& files,
                                           const Selftest& selftest, const std::filesystem::path& folder);

}  // namespace evo::exporting
