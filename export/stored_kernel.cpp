#include "export/stored_kernel.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>
#include <filesystem>
#include <system_error>

namespace evo::exporting {
namespace json = boost::json;

namespace {

json::value value_json(const model::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return json::value(std::get<std::string>(value));
}

/// `path`, which is one from the root, from a file's folder; empty where there is none, or no way.
std::string from_file(const std::string& path, const std::filesystem::path& folder) {
  if (path.empty()) return {};
  std::error_code failed;
  const std::filesystem::path relative =
      std::filesystem::relative(path, folder.empty() ? "." : folder, failed);
  return failed ? std::string() : relative.generic_string();
}

std::string to_root(const std::string& relative, const std::filesystem::path& folder) {
  return relative.empty() ? std::string() : folder_from_root((folder / relative).string());
}

}  // namespace

std::string folder_from_here(const std::string& folder) {
  std::error_code failed;
  const std::filesystem::path relative = std::filesystem::relative(folder, failed);
  if (failed || relative.empty() || *relative.begin() == "..") return {};
  return relative.lexically_normal().string();
}

std::string folder_from_root(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(folder, failed);
  return failed ? std::string() : whole.string();
}

json::object to_json(const StoredKernel& kernel, const std::filesystem::path& folder) {
  json::object headers, genes;
  for (const auto& [name, text] : kernel.headers) headers[name] = text;
  for (const auto& [name, value] : kernel.genome.values()) genes[name] = value_json(value);
  json::array workloads;
  for (const model::Workload& workload : kernel.workloads) {
    json::object axes;
    for (const auto& [name, value] : workload.axes) axes[name] = value;
    workloads.push_back({{"name", workload.name}, {"weight", workload.weight}, {"axes", std::move(axes)}});
  }
  return {{"problem", kernel.problem},
          {"problem_folder", kernel.problem_folder},
          {"problem_path", from_file(kernel.problem_path, folder)},
          {"problem_sha256", kernel.problem_hash},
          {"template", kernel.template_name},
          {"variant", kernel.variant},
          {"genes", std::move(genes)},
          {"workloads", std::move(workloads)},
          {"target", kernel.target},
          {"accuracy_class", kernel.accuracy_class},
          {"source_file", kernel.source_file},
          {"entry", kernel.entry},
          {"source", kernel.source},
          {"headers", std::move(headers)}};
}

model::Expected<StoredKernel> stored_kernel_from_json(const json::value& document,
                                                      const std::filesystem::path& folder) {
  StoredKernel kernel;
  std::string at = "the kernel";
  try {
    const auto text = [&](const json::object& from, const char* key) {
      at = key;
      return std::string(from.at(key).as_string());
    };
    const json::object& whole = document.as_object();
    kernel.problem = text(whole, "problem");
    kernel.problem_folder = text(whole, "problem_folder");
    // What an evo before stored has neither.
    if (whole.contains("problem_path")) kernel.problem_path = to_root(text(whole, "problem_path"), folder);
    if (whole.contains("problem_sha256")) kernel.problem_hash = text(whole, "problem_sha256");
    kernel.template_name = text(whole, "template");
    kernel.variant = text(whole, "variant");
    kernel.target = text(whole, "target");
    kernel.accuracy_class = text(whole, "accuracy_class");
    kernel.source_file = text(whole, "source_file");
    kernel.entry = text(whole, "entry");
    kernel.source = text(whole, "source");
    at = "genes";
    for (const auto& [name, value] : whole.at("genes").as_object()) {
      if (value.is_string())
        kernel.genome.set(name, std::string(value.as_string()));
      else
        kernel.genome.set(name, value.to_number<std::int64_t>());
    }
    at = "headers";
    for (const auto& [name, value] : whole.at("headers").as_object())
      kernel.headers[std::string(name)] = std::string(value.as_string());
    at = "workloads";
    for (const json::value& entry : whole.at("workloads").as_array()) {
      model::Workload workload;
      workload.name = std::string(entry.at("name").as_string());
      workload.weight = entry.at("weight").to_number<double>();
      for (const auto& [name, value] : entry.at("axes").as_object())
        workload.axes.emplace(std::string(name), value.to_number<std::int64_t>());
      kernel.workloads.push_back(std::move(workload));
    }
    if (kernel.workloads.empty()) throw std::invalid_argument("none");
  } catch (const std::exception&) {
    return tl::make_unexpected(
        model::Error{fmt::format("'{}' is missing, or not what evo writes there", at)});
  }
  return kernel;
}

}  // namespace evo::exporting
