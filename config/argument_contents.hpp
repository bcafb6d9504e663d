// What arguments hold before a launch and may keep after it: the keys before, unwritten, unused, neutral,
// fill. All functions throw Invalid.
#pragma once

#include <filesystem>
#include <string>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// Reads all of them but fill; the argument's name, role and dtype are known.
void read_contents_keys(const Reader& reader, model::Argument& argument);

/// Reads the fills of the arguments and those that input sets name instead. `reader` is the whole problem, of
/// which axes, arguments and input sets are read. Returns the text of the recordings, for the problem's hash.
[[nodiscard]] std::string read_fills(const Reader& reader, const std::filesystem::path& folder,
                                     model::Problem& problem);

/// Of the oracles only those that are no name of the catalogue take what an inout holds.
void refuse_inout(const Reader& reader, const model::Problem& problem);

}  // namespace evo::config
