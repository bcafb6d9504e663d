#include "export/exporter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "export/kernel_source.hpp"
#include "export/names.hpp"
#include "export/package_writer.hpp"
#include "export/plan_writer.hpp"
#include "export/provenance.hpp"
#include "export/readme_writer.hpp"
#include "export/selftest_writer.hpp"
#include "export/struct_arrays.hpp"
#include "model/hash.hpp"

namespace evo::exporting {
namespace fs = std::filesystem;

namespace {

model::Error write_error(const fs::path& path, const std::string& why) {
  return model::Error{fmt::format("cannot write: {}", why), path.string(), 0, 0};
}

model::Expected<void> write_file(const fs::path& path, const std::string& text) {
  // Beside it and renamed: who builds from the folder meanwhile sees the old file or the new one.
  const fs::path temporary = path.string() + ".part";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  std::error_code error;
  if (!out) {
    fs::remove(temporary, error);
    return tl::make_unexpected(write_error(path, "no permission, or the disk is full"));
  }
  fs::rename(temporary, path, error);
  if (error) return tl::make_unexpected(write_error(path, error.message()));
  return {};
}

/// The workload with a value for every axis: compile-time ones are the variant's.
model::Workload completed(const ExportRequest& request, model::Workload workload) {
  for (const auto& axis : request.problem.axes) {
    if (axis.compile_time) {
      const auto fixed = request.bound_space.fixed().find(axis.name);
      if (fixed == request.bound_space.fixed().end()) continue;
      if (const auto* value = std::get_if<std::int64_t>(&fixed->second)) workload.axes[axis.name] = *value;
    } else if (axis.initial) {
      workload.axes.try_emplace(axis.name, *axis.initial);
    }
  }
  return workload;
}

model::Expected<std::vector<model::Case>> bind_all(const ExportRequest& request,
                                                   const std::vector<model::Workload>& workloads) {
  std::vector<model::Case> cases;
  for (const auto& workload : workloads) {
    auto bound = model::bind_case(request.problem, request.kernel_template, request.bound_space,
                                  request.variant.genome, completed(request, workload));
    if (!bound) return tl::make_unexpected(bound.error());
    cases.push_back(std::move(*bound));
  }
  return cases;
}

constexpr std::int64_t most_selftest_elements = std::int64_t{1} << 32;

}  // namespace

model::Expected<std::vector<model::Case>> selftest_cases(const ExportRequest& request) {
  auto workloads = request.workloads;
  workloads.insert(workloads.end(), request.problem.check_workloads.begin(),
                   request.problem.check_workloads.end());
  auto cases = bind_all(request, workloads);
  if (!cases) return cases;
  std::erase_if(*cases, [](const model::Case& bound) {
    return std::any_of(
        bound.arguments.begin(), bound.arguments.end(),
        [](const model::BoundArgument& argument) { return argument.extent() > most_selftest_elements; });
  });
  return cases;
}

double cut_off_of(const ExportRequest& request, const model::Case& bound) {
  const auto found = request.cut_off.find(bound.name);
  return found == request.cut_off.end() ? 0 : found->second;
}

model::Expected<void> write_export(const ExportRequest& given, const fs::path& folder) {
  const auto flat = with_structs_as_bytes(given);
  if (!flat) return tl::make_unexpected(flat.error());
  const ExportRequest& request = *flat ? **flat : given;
  const std::string name = stem_of(request);
  if (request.problem.find_tolerance(request.accuracy_class) == nullptr) {
    return tl::make_unexpected(model::Error{
        fmt::format("problem {} has no accuracy class '{}'", request.problem.name, request.accuracy_class),
        {},
        0,
        0});
  }
  const auto own_cases = bind_all(request, request.workloads);
  if (!own_cases) return tl::make_unexpected(own_cases.error());
  const auto all_cases = selftest_cases(request);
  if (!all_cases) return tl::make_unexpected(all_cases.error());

  std::map<std::string, std::string> files;
  auto source = kernel_file(request, name);
  if (!source) return tl::make_unexpected(source.error());
  files[name + ".cu"] = std::move(*source);
  auto plan = write_plan(request, name, *own_cases);
  if (!plan) return tl::make_unexpected(plan.error());
  files[name + ".h"] = std::move(*plan);
  std::set<std::string> own{name + ".h"};
  for (const auto& [header, text] : request.kernel_template.headers)
    own.insert({header, fs::path(header).filename().string()});
  for (const auto& [header, text] : request.kernel_template.headers)
    files[header] = with_optional_includes(text, own);
  files[name + ".cu"] = with_optional_includes(files[name + ".cu"], own);

  Selftest selftest;
  selftest.missing = "one file holds none";
  if (request.form == Form::one_file) {
    files = {{name + ".cu", with_includes(files[name + ".cu"], files)}};
  } else if (*flat) {
    selftest.missing = "it has no arrays of structs with members of several types yet";
  } else if (auto written = write_selftest(request, name, *all_cases); !written) {
    return tl::make_unexpected(written.error());
  } else {
    selftest = std::move(*written);
    files.merge(selftest.files);
  }
  if (request.form == Form::files) {
    files["CMakeLists.txt"] = write_package(request, name, files.contains("selftest.cu"));
    files["README.md"] = write_readme(request, name, files.contains("selftest.cu"));
  }

  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return tl::make_unexpected(write_error(folder, error.message()));
  std::map<std::string, std::string> sums;
  for (const auto& [file, text] : files) {
    if (const auto parent = (folder / file).parent_path(); parent != folder)
      fs::create_directories(parent, error);
    if (auto written = write_file(folder / file, text); !written) return written;
    sums[file] = model::sha256(text);
  }
  return write_file(folder / "provenance.json", write_provenance(request, sums, selftest, folder));
}

}  // namespace evo::exporting
