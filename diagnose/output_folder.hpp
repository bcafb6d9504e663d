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

/// The three post-mortem files alone, again after something was added to it.
[[nodiscard]] model::Expected<void> write_reports(const PostMortem& post_mortem,
                                                  const std::filesystem::path& folder);

}  // namespace evo::diagnose
