// problem.yaml to model::Problem. The keys are those of schema/problem.schema.json.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "config/keys.hpp"
#include "config/loader.hpp"
#include "config/nearest.hpp"
#include "config/problem_parts.hpp"
#include "config/yaml_reader.hpp"
#include "model/file_name.hpp"
#include "model/hash.hpp"
#include "model/target.hpp"

namespace evo::config {
namespace {

using model::Problem;
namespace fs = std::filesystem;

std::string read_text(const Reader& where, const fs::path& file) {
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file, ignored))
    where.fail(fmt::format("the file {} cannot be read", file.string()));
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string read_arch(const Reader& reader) {
  std::vector<std::string> known;
  for (const std::string& target : model::target_names()) {
    const std::string& arch = model::find_target(target)->arch;
    if (std::find(known.begin(), known.end(), arch) == known.end()) known.push_back(arch);
  }
  return reader.choice(known, "architecture");
}

model::Template read_template(const std::string& name, const Reader& reader, const fs::path& folder,
                              const std::vector<model::Argument>& arguments) {
  reader.expect_keys(key_names(template_keys()));
  model::Template kernel;
  kernel.name = name;
  const Reader source = reader.at("source");
  kernel.source = read_text(source, folder / source.text());
  kernel.source_file = model::plain_file_name(source.text());
  kernel.entry = reader.at("entry").text();
  if (const auto headers = reader.find("headers")) {
    for (const Reader& header : headers->items()) {
      const std::string file = header.text();
      if (file.find('/') != std::string::npos)
        header.fail("a header is named without a folder; it stands in kernels/common");
      kernel.headers[file] = read_text(header, folder.parent_path() / "common" / file);
    }
  }
  if (const auto arch = reader.find("arch")) kernel.arch = read_arch(*arch);
  if (const auto checkable = reader.find("sync_checkable")) kernel.sync_checkable = checkable->boolean();
  kernel.space = read_space(reader);
  kernel.starts = read_starts(reader, kernel.space);
  kernel.launch = read_launch(reader.at("launch"), arguments);
  if (const auto shapes = reader.find("sanitize_shapes")) {
    for (const Reader& shape : shapes->items()) {
      auto& axes = kernel.sanitize_shapes.emplace_back();
      for (const std::string& axis : shape.keys()) axes[axis] = shape.at(axis).expression();
    }
  }
  return kernel;
}

model::Tolerance read_tolerance(const Reader& reader) {
  reader.expect_keys(key_names(tolerance_keys()));
  model::Tolerance tolerance;
  tolerance.accuracy_class = reader.at("class").text();
  tolerance.relative_frobenius = reader.at("relative_frobenius").number(0, 1);
  tolerance.max_abs_over_rms = reader.at("max_abs_over_rms").number(0, 1e6);
  if (const auto sets = reader.find("input_sets")) {
    for (const Reader& set : sets->items()) tolerance.input_sets.push_back(set.text());
  }
  const auto rule = reader.find("rule");
  if (rule && rule->choice({"fixed", "reference_factor"}, "rule") == "reference_factor") {
    tolerance.reference_factor.emplace();
    tolerance.reference_factor->factor = reader.at("factor").number(1, 16);
    if (const auto absolute = reader.find("absolute"))
      tolerance.reference_factor->absolute = absolute->number(0, 1);
    return tolerance;
  }
  for (const char* key : {"factor", "absolute"}) {
    if (const auto given = reader.find(key)) given->fail("belongs to rule: reference_factor");
  }
  return tolerance;
}

model::InputSet read_input_set(const Reader& reader) {
  model::InputSet set;
  for (const std::string& key : reader.keys()) {
    const Reader value = reader.at(key);
    if (key == "name") {
      set.name = value.text();
    } else if (key == "kind") {
      set.kind = value.text();
    } else {
      set.parameters[key] = value.number(-1e300, 1e300);
    }
  }
  if (set.kind.empty()) reader.fail("the key 'kind' is missing");
  if (set.name.empty()) set.name = set.kind;
  return set;
}

void check_references(const Problem& problem, const Reader& reader) {
  std::vector<std::string> set_names;
  for (const auto& set : problem.input_sets) set_names.push_back(set.name);
  for (const Reader& tolerance : reader.at("tolerances").items()) {
    if (const auto sets = tolerance.find("input_sets")) {
      for (const Reader& set : sets->items()) (void)set.choice(set_names, "input set");
    }
  }
  // Every name in an expression must mean something, even in a branch that the initial genome does not take.
  std::vector<std::string> axes;
  for (const auto& axis : problem.axes) axes.push_back(axis.name);
  const auto check = [&](const model::Expression& expression, std::vector<std::string> known) {
    for (const std::string& name : expression.names()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw Invalid{{fmt::format("expression '{}': unknown name '{}'{}", expression.text(), name,
                                 suggestion(name, known)),
                     expression.file(), expression.line(), 0}};
    }
  };
  for (const auto& argument : problem.arguments) {
    for (const auto& size : argument.shape) check(size, axes);
    for (const auto& stride : argument.strides) check(stride, axes);
    check(argument.scalar.expression, axes);
  }
  check(problem.work.flops, axes);
  check(problem.work.bytes, axes);
  for (const auto& kernel : problem.templates) {
    std::vector<std::string> fixed{"smem_limit", "max_threads", "warp_size"};
    for (const auto& axis : problem.axes) {
      if (axis.compile_time) fixed.push_back(axis.name);
    }
    for (const auto& gene : kernel.space.genes()) fixed.push_back(gene.name);
    for (const auto& constraint : kernel.space.constraints()) check(constraint.condition, fixed);
    check(kernel.launch.static_smem, fixed);
    std::vector<std::string> all = fixed;
    all.insert(all.end(), axes.begin(), axes.end());
    for (int i = 0; i < 3; ++i) {
      check(kernel.launch.grid[i], all);
      check(kernel.launch.block[i], all);
    }
    check(kernel.launch.dynamic_smem, all);
    for (const auto& map : kernel.launch.tensor_maps) {
      for (const auto& side : map.box) check(side, fixed);
      check(map.swizzle, fixed);
    }
    for (const auto& shape : kernel.sanitize_shapes) {
      for (const auto& [axis, value] : shape) {
        check(value, fixed);
        if (!problem.find_axis(axis)) {
          throw Invalid{
              {fmt::format("sanitize_shapes: there is no axis '{}'{}", axis, suggestion(axis, axes)),
               value.file(), value.line(), 0}};
        }
      }
    }
  }
}

Problem read_problem(const fs::path& folder) {
  const fs::path file = folder / "problem.yaml";
  const Reader reader = Reader::load(file.string());
  reader.expect_keys(key_names(problem_keys()));
  Problem problem;
  problem.folder = folder.string();
  problem.name = reader.at("name").text();
  if (const auto description = reader.find("description")) problem.description = description->text();
  problem.axes = read_axes(reader.at("axes"));
  for (const Reader& argument : reader.at("args").items())
    problem.arguments.push_back(read_argument(argument));
  resolve_strides(reader.at("args"), problem.arguments);
  problem.oracle = reader.at("oracle").text();
  for (const Reader& set : reader.at("input_sets").items()) problem.input_sets.push_back(read_input_set(set));
  for (const Reader& t : reader.at("tolerances").items()) problem.tolerances.push_back(read_tolerance(t));
  const Reader work = reader.at("work");
  work.expect_keys({"flops", "bytes"});
  problem.work = {work.at("flops").expression(), work.at("bytes").expression()};
  if (const auto checks = reader.find("check_workloads")) {
    for (const Reader& workload : checks->items()) {
      problem.check_workloads.push_back(read_workload(workload, problem));
    }
  }
  const Reader templates = reader.at("templates");
  for (const std::string& name : templates.keys()) {
    problem.templates.push_back(read_template(name, templates.at(name), folder, problem.arguments));
  }
  if (problem.templates.empty()) templates.fail("a problem needs at least one template");
  if (problem.tolerances.empty()) reader.at("tolerances").fail("a problem needs at least one accuracy class");
  check_references(problem, reader);

  model::Hasher hasher;
  hasher.add(read_text(reader, file));
  for (const auto& kernel : problem.templates) {
    hasher.add(kernel.source);
    for (const auto& [name, text] : kernel.headers) hasher.add(name).add(text);
  }
  problem.content_hash = hasher.finish();
  return problem;
}

}  // namespace

SearchPath default_search_path(const std::string& executable) {
  SearchPath path;
  path.kernel_folders.push_back("kernels");
  const fs::path bin = fs::path(executable).parent_path();
  path.kernel_folders.push_back((bin / ".." / "share" / "evo" / "kernels").lexically_normal().string());
  // A binary in build/PRESET/cli of a source tree.
  for (fs::path folder = bin; folder.has_relative_path(); folder = folder.parent_path()) {
    std::error_code ignored;
    if (fs::exists(folder / "kernels" / "common", ignored)) {
      path.kernel_folders.push_back((folder / "kernels").string());
      break;
    }
  }
  return path;
}

model::Expected<Problem> load_problem(const std::string& folder_or_name, const SearchPath& path) {
  try {
    std::error_code ignored;
    fs::path direct = folder_or_name;
    if (direct.filename() == "problem.yaml") direct = direct.parent_path();
    if (direct.empty()) direct = ".";
    if (fs::exists(direct / "problem.yaml", ignored))
      return read_problem(fs::absolute(direct).lexically_normal());
    std::vector<std::string> known;
    for (const std::string& folder : path.kernel_folders) {
      const fs::path candidate = fs::path(folder) / folder_or_name;
      if (fs::exists(candidate / "problem.yaml", ignored))
        return read_problem(fs::absolute(candidate).lexically_normal());
      for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (fs::exists(entry.path() / "problem.yaml", ignored))
          known.push_back(entry.path().filename().string());
      }
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return tl::make_unexpected(model::Error{
        fmt::format("there is no problem '{}'{}", folder_or_name, suggestion(folder_or_name, known))});
  } catch (const Invalid& invalid) {
    return tl::make_unexpected(invalid.error);
  }
}

}  // namespace evo::config
