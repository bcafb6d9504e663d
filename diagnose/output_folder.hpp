// What `-o DIR` gets: the post-mortem, the tiles as .npy, the reproducer.
#pragma once

#include <filesystem>
#include <string>

#include "diagnose/diagnose.hpp"

namespace evo::diagnose {

/// Writes tiles/STAGE.actual.npy and .expected.npy, reproducer/ (kernel, launch plan, reproducer.cu, its
/// data), adds them to post_mortem.files, and then post_mortem.md, .json and .txt. Error: the folder cannot
/// be written. A reproducer that cannot be made (a launch that cannot be bound) becomes a note.
[[nodiscard]] model::Expected<void> write_folder(const Subject& subject, Diagnosis& diagnosis,
                                                 const std::filesystem::path& folder,
                                                 const std::string& evo_version);

/// The same; of a failure, compute-sanitizer then runs on the reproducer (`seconds` each tool) where it is
/// there, and the report gets what it saw.
[[nodiscard]] model::Expected<void> write_folder_and_sanitize(const Subject& subject, Diagnosis& diagnosis,
                                                              const std::filesystem::path& folder,
                                                              const std::string& evo_version, int seconds);

}  // namespace evo::diagnose
