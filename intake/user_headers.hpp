// The headers that a user's file includes: those beside it, above it, and in folders of the usual names.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "intake/host_code.hpp"

namespace evo::intake {

struct UserHeaders {
  std::string source;                          ///< with names that a folder of the problem can have
  std::map<std::string, std::string> headers;  ///< as they are included -> text
  std::vector<std::pair<std::string, std::string>> fetched;  ///< of those not beside the file: name, path
  std::vector<Cut> cuts;  ///< #include lines of the source whose "../" leads nowhere
};

/// What `source`, the text of `file`, includes in quotes, and what that includes in turn. "../../common/a.h"
/// becomes "a.h", columns kept by blanks. A name that is not beside the file that includes it is looked for
/// in include, inc, common and src of the folders above. Headers of the toolkit are left to the compiler.
/// `wide`: what is not there is looked for in the whole repository, the folder above that has .git: modules
/// of a build may have folders of headers of their own.
[[nodiscard]] UserHeaders user_headers(const std::filesystem::path& file, const std::string& source,
                                       bool wide = false);

/// The one header of the folder that declares a type of this name; nothing where none or several do.
[[nodiscard]] std::optional<std::filesystem::path> header_declaring(const std::filesystem::path& folder,
                                                                    const std::string& name);

}  // namespace evo::intake
