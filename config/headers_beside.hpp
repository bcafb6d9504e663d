// Headers that nobody lists: those that a source includes and that stand beside it.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace evo::config {

/// Adds to `headers` (name as it is included -> text) every file that `text` includes in quotes and that lies
/// below `folder`, and what those include in turn. One that is there already stays as it is; one that does
/// not exist, or a name that is absolute, is left to the compiler. So is one that climbs ("../x.cuh") out of
/// `root`, the problem's folder; one that stays within it gets a name without folders, in `text`, too, whose
/// lines stay where they are.
void add_headers_beside(const std::filesystem::path& folder, const std::filesystem::path& root,
                        std::string& text, std::map<std::string, std::string>& headers);

}  // namespace evo::config
