#include "config/targets.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/nearest.hpp"
#include "config/target_profile.hpp"

namespace evo::config {
namespace {

namespace fs = std::filesystem;
using model::TargetProfile;

/// The file of each target by its name, which is the file's.
std::map<std::string, fs::path> files_of(const std::vector<std::string>& folders) {
  std::map<std::string, fs::path> files;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".yaml") files.emplace(entry.path().stem().string(), entry.path());
    }
  }
  return files;
}

TargetProfile read_file(const fs::path& file) {
  const Reader reader = Reader::load(file.string());
  TargetProfile target = read_profile(reader);
  if (target.name != file.stem().string())
    reader.at("name").fail(fmt::format("'{}' stands in {}: a target has the name of its file", target.name,
                                       file.filename().string()));
  return target;
}

/// Is this one of the files that ship with evo, under whatever path?
bool ships(const fs::path& file, const std::vector<std::string>& folders) {
  std::error_code ignored;
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return fs::equivalent(file, fs::path(folder) / file.filename(), ignored);
  });
}

/// Throws Invalid: of a file that cannot be read with its position, of an unknown name without one.
void choose(model::Experiment& experiment, const std::string& name, const std::string& folder,
            const SearchPath& path) {
  std::map<std::string, fs::path> files = files_of(folders_of_targets(folder, path));
  std::string chosen = name;
  if (name.ends_with(".yaml")) {
    std::error_code ignored;
    const fs::path beside = fs::path(folder) / name;
    const fs::path file = fs::exists(beside, ignored) ? beside : fs::path(name);
    chosen = file.stem().string();
    files[chosen] = file;
  }
  std::vector<TargetProfile> known;
  for (const auto& entry : files) known.push_back(read_file(entry.second));
  const TargetProfile* target = model::find_target(known, chosen);
  if (target == nullptr) {
    if (known.empty()) {
      throw Invalid{
          {fmt::format("target '{}': no GPU model is there; evo looked for *.yaml in {}. A copied evo "
                       "needs its share/evo beside bin/ (cmake --install)",
                       name, fmt::join(folders_of_targets(folder, path), ", "))}};
    }
    const std::vector<std::string> names = model::target_names(known);
    const auto near = nearest(chosen, names);
    std::vector<std::string> alike;  // "sm_89" is no GPU model, but some have it
    for (const TargetProfile& profile : known) {
      if (profile.arch == chosen) alike.push_back(profile.name);
    }
    if (!alike.empty())
      throw Invalid{{fmt::format("unknown target '{}': a target is a GPU model; of that architecture are {}",
                                 name, fmt::join(alike, ", "))}};
    throw Invalid{
        {fmt::format("unknown target '{}'{}; known: {}", name,
                     near ? fmt::format(" (did you mean '{}'?)", *near) : "", fmt::join(names, ", "))}};
  }
  experiment.target = *target;
  experiment.own_target = !ships(files.at(chosen), path.target_folders);
  experiment.known_targets = std::move(known);
}

}  // namespace

std::vector<std::string> folders_of_targets(const std::string& folder, const SearchPath& path) {
  std::vector<std::string> folders{(fs::path(folder) / "targets").string()};
  folders.insert(folders.end(), path.target_folders.begin(), path.target_folders.end());
  return folders;
}

model::Expected<std::vector<TargetProfile>> load_targets(const std::vector<std::string>& folders) try {
  std::vector<TargetProfile> targets;
  for (const auto& entry : files_of(folders)) targets.push_back(read_file(entry.second));
  return targets;
} catch (const Invalid& invalid) {
  return tl::make_unexpected(invalid.error);
}

model::Expected<void> set_target(model::Experiment& experiment, const std::string& name,
                                 const std::string& folder, const SearchPath& path) try {
  choose(experiment, name, folder, path);
  return {};
} catch (const Invalid& invalid) {
  return tl::make_unexpected(invalid.error);
}

void read_target(const Reader& key, model::Experiment& experiment, const std::string& folder,
                 const SearchPath& path) {
  if (key.is_map()) {
    auto known = load_targets(folders_of_targets(folder, path));
    if (!known) throw Invalid{known.error()};
    experiment.target = read_profile(key);
    experiment.own_target = true;
    std::erase_if(*known, [&](const TargetProfile& other) { return other.name == experiment.target.name; });
    known->push_back(experiment.target);
    experiment.known_targets = std::move(*known);
    return;
  }
  try {
    choose(experiment, key.text(), folder, path);
  } catch (const Invalid& invalid) {
    if (!invalid.error.file.empty()) throw;
    key.fail(invalid.error.message);
  }
}

}  // namespace evo::config
