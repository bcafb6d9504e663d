// GPU models: targets/NAME.yaml to model::TargetProfile.
#pragma once

#include <string>
#include <vector>

#include "config/loader.hpp"
#include "config/yaml_reader.hpp"
#include "model/error.hpp"
#include "model/experiment.hpp"
#include "model/target.hpp"

namespace evo::config {

/// The targets of all FOLDER/*.yaml, by name; of two of one name, that of the earlier folder. A folder that
/// is not there has none. The first file that cannot be read is an error with its position.
[[nodiscard]] model::Expected<std::vector<model::TargetProfile>> load_targets(
    const std::vector<std::string>& folders);

/// Where the targets of an experiment in FOLDER are looked for: FOLDER/targets, then the path's folders.
[[nodiscard]] std::vector<std::string> folders_of_targets(const std::string& folder, const SearchPath& path);

/// Gives the experiment the target `name` and all targets that are known. The user's own are in
/// FOLDER/targets and come before those of the path; a name that ends in .yaml is a file, below FOLDER or as
/// it is. An unknown name is an error without a position that tells the nearest one, or all.
[[nodiscard]] model::Expected<void> set_target(model::Experiment& experiment, const std::string& name,
                                               const std::string& folder, const SearchPath& path);

/// The same of an experiment's key `target`, which may also hold a whole target. Throws Invalid.
void read_target(const Reader& key, model::Experiment& experiment, const std::string& folder,
                 const SearchPath& path);

}  // namespace evo::config
