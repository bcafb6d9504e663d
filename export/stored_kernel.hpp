// A variant's template as data: source, headers, genes and shapes, so that it can be compiled and timed again
// when the files it came from have changed. A part of provenance.json and of stored baselines.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "model/error.hpp"
#include "model/problem.hpp"

namespace evo::exporting {

struct StoredKernel {
  std::string problem;  ///< its name
  std::string template_name, source_file, source, entry;
  std::map<std::string, std::string> headers;
  model::Genome genome;
  std::vector<model::Workload> workloads;
  std::string target, accuracy_class;
  std::string variant;           ///< id
  std::string problem_folder{};  ///< where it stood, from the working directory; may be empty
  std::string problem_path{};    ///< the same from the root; a file has it from its own folder
  std::string problem_hash{};    ///< Problem::content_hash then; empty: of an evo that did not store it
};

/// A folder from the working directory; empty where it is not below it: paths of one machine mean nothing on
/// another.
[[nodiscard]] std::string folder_from_here(const std::string& folder);
/// The same from the root; empty for an empty one.
[[nodiscard]] std::string folder_from_root(const std::string& folder);

/// For a file in `folder`: problem_path is written from there, so that both may move together, to another
/// machine for instance, and no path of this one is told.
[[nodiscard]] boost::json::object to_json(const StoredKernel& kernel, const std::filesystem::path& folder);
/// Of a file in `folder`. Error: the key that is missing or of another type.
[[nodiscard]] model::Expected<StoredKernel> stored_kernel_from_json(const boost::json::value& document,
                                                                    const std::filesystem::path& folder);

}  // namespace evo::exporting
