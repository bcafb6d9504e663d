// A variant's template as data: source, headers, genes and shapes, so that it can be compiled and timed again
// when the files it came from have changed. A part of provenance.json and of stored baselines.
#pragma once

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
};

/// A folder from the working directory; empty where it is not below it: paths of one machine mean nothing on
/// another.
[[nodiscard]] std::string folder_from_here(const std::string& folder);

[[nodiscard]] boost::json::object to_json(const StoredKernel& kernel);
/// Error: the key that is missing or of another type.
[[nodiscard]] model::Expected<StoredKernel> stored_kernel_from_json(const boost::json::value& document);

}  // namespace evo::exporting
