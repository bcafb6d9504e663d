// Files of a post-mortem's folder.
#pragma once

#include <filesystem>
#include <string>

#include "model/error.hpp"

namespace evo::diagnose {

/// Makes the folders that the path needs. Error: the file cannot be written.
[[nodiscard]] model::Expected<void> write_file(const std::filesystem::path& file, const std::string& bytes);

}  // namespace evo::diagnose
