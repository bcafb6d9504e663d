// problem.yaml to model::Problem. The keys are those of schema/problem.schema.json.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "config/argument_contents.hpp"
#include "config/argument_items.hpp"
#include "config/comparators.hpp"
#include "config/expression_names.hpp"
#include "config/headers_beside.hpp"
#include "config/keys.hpp"
#include "config/launches_loader.hpp"
#include "config/loader.hpp"
#include "config/metrics.hpp"
#include "config/nearest.hpp"
#include "config/oracle_loader.hpp"
#include "config/problem_parts.hpp"
#include "config/rules_file.hpp"
#include "config/special_values.hpp"
#include "config/stages.hpp"
#include "config/sweeps.hpp"
#include "config/target_profile.hpp"
#include "config/targets.hpp"
#include "config/template_source.hpp"
#include "config/yaml_reader.hpp"
#include "model/file_name.hpp"
#include "model/hash.hpp"

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

/// "" where there is no such file.
std::string text_beside(const fs::path& folder, const char* name) {
  std::ifstream stream(folder / name, std::ios::binary);
  std::stringstream text;
  if (stream) text << stream.rdbuf();
  return text.str();
}

/// One that a target has, where there are any.
std::string read_arch(const Reader& reader, const SearchPath& path) {
  const auto targets = load_targets(path.target_folders);
  if (!targets) throw Invalid{targets.error()};
  std::vector<std::string> known;
  for (const model::TargetProfile& target : *targets) {
    if (std::find(known.begin(), known.end(), target.arch) == known.end()) known.push_back(target.arch);
  }
  if (!known.empty()) return reader.choice(known, "architecture");
  if (!is_architecture(reader.text()))
    reader.fail(fmt::format("'{}' is no architecture, such as sm_89 or sm_90a", reader.text()));
  return reader.text();
}

model::Template read_template(const std::string& name, const Reader& reader, const fs::path& folder,
                              const std::vector<model::Argument>& arguments, const SearchPath& path) {
  reader.expect_keys(key_names(template_keys()));
  model::Template kernel;
  kernel.name = name;
  const fs::path beside_source = read_template_source(reader.at("source"), folder, kernel);
  if (const auto headers = reader.find("headers")) {
    for (const Reader& header : headers->items()) {
      const std::string file = header.text();
      if (file.find('/') != std::string::npos)
        header.fail("a header is named without a folder; it stands beside the source or in kernels/common");
      std::error_code ignored;
      const fs::path beside = beside_source / file;
      kernel.headers[file] =
          read_text(header, fs::exists(beside, ignored) ? beside : folder.parent_path() / "common" / file);
    }
  }
  add_headers_beside(beside_source, folder, kernel.source, kernel.headers);
  if (const auto arch = reader.find("arch")) kernel.arch = read_arch(*arch, path);
  if (const auto checkable = reader.find("sync_checkable")) kernel.sync_checkable = checkable->boolean();
  kernel.space = read_space(reader, kernel.defines);
  kernel.initial_designs = read_initial_designs(reader, kernel.space);
  read_launches(reader, arguments, kernel);
  if (const auto shapes = reader.find("sanitize_shapes")) {
    for (const Reader& shape : shapes->items()) {
      auto& axes = kernel.sanitize_shapes.emplace_back();
      for (const std::string& axis : shape.keys()) axes[axis] = shape.at(axis).expression();
    }
  }
  read_template_settings(reader, folder, kernel);
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

/// The parameters that the kind takes; nothing where kinds are not checked.
std::optional<std::vector<std::string>> parameters_of(const Reader& kind, const model::KnownNames& known) {
  if (known.input_kinds.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const model::KnownKind& each : known.input_kinds) names.push_back(each.name);
  const std::string name = kind.choice(names, "input kind");
  return std::find_if(known.input_kinds.begin(), known.input_kinds.end(),
                      [&](const model::KnownKind& each) { return each.name == name; })
      ->parameters;
}

model::InputSet read_input_set(const Reader& reader, const model::KnownNames& known) {
  model::InputSet set;
  const Reader kind = reader.at("kind");
  set.kind = kind.text();
  set.name = set.kind;
  std::vector<std::string> own = key_names(input_set_keys());
  if (auto parameters = parameters_of(kind, known)) {
    parameters->insert(parameters->begin(), own.begin(), own.end());
    reader.expect_keys(*parameters);
  }
  for (const std::string& key : reader.keys()) {
    const Reader value = reader.at(key);
    if (key == "name") {
      set.name = value.text();
    } else if (key != "kind" && key != "fill") {
      set.parameters[key] = value.number(-1e300, 1e300);
    }
  }
  if (set.name.empty()) set.name = set.kind;
  return set;
}

/// Recorded arrays are a set of their own; without another oracle they are the only one that can be judged.
void read_input_sets(const Reader& reader, const model::KnownNames& known, Problem& problem) {
  const bool recorded = std::ranges::any_of(problem.oracles, [](const model::OracleSource& oracle) {
    return oracle.kind == model::OracleKind::files;
  });
  const bool nothing_else = recorded && model::oracle_kinds(problem).size() == 1;
  if (recorded) problem.input_sets.push_back({"recorded", "recorded", {}});
  const auto sets = reader.find("input_sets");
  if (sets && nothing_else)
    sets->fail("an oracle of recorded files alone has an answer to the recorded inputs only: no other set");
  if (nothing_else) return;
  if (!sets) {
    problem.input_sets.push_back({"normal", "normal", {}});
    return;
  }
  for (const Reader& set : sets->items()) problem.input_sets.push_back(read_input_set(set, known));
}

void read_tolerances(const Reader& reader, Problem& problem) {
  const auto rule = reader.find("tolerance");
  const auto classes = reader.find("tolerances");
  if (rule) (void)rule->choice({"auto"}, "tolerance");
  if (rule && classes) rule->fail("a problem has a tolerance, which is auto, or tolerances of its own");
  if (const auto compute = reader.find("compute")) {
    if (classes)
      compute->fail("belongs to tolerance: auto; tolerances say themselves how far off kernels may be");
    const bool half = compute->choice({"f16", "bf16"}, "type that kernels compute in") == "f16";
    problem.computes_in = half ? model::DType::f16 : model::DType::bf16;
    for (const model::Argument& argument : problem.arguments) {
      if (argument.role == model::ArgumentRole::scalar || argument.dtype != model::DType::f64) continue;
      compute->fail(fmt::format("{} is f64: nobody computes it in 16 bits", argument.name));
    }
  }
  if (!classes) {
    problem.tolerances.push_back(automatic_tolerance(problem));
    return;
  }
  for (const Reader& item : classes->items()) problem.tolerances.push_back(read_tolerance(item));
  if (problem.tolerances.empty()) classes->fail("a problem needs at least one accuracy class");
}

Problem read_problem(const fs::path& folder, const SearchPath& path) {
  const fs::path file = folder / "problem.yaml";
  const Reader reader = Reader::load(file.string());
  reader.expect_keys(key_names(problem_keys()));
  Problem problem;
  problem.folder = folder.string();
  problem.name = reader.at("name").text();
  if (const auto description = reader.find("description")) problem.description = description->text();
  problem.axes = read_axes(reader.at("axes"));
  problem.arguments = read_arguments(reader.at("args"));
  resolve_strides(reader.at("args"), problem.arguments);
  check_symbols(reader.at("args"), problem.arguments);
  read_oracles(reader.at("oracle"), folder, path.known.oracles, problem);
  refuse_inout(reader, problem);
  read_input_sets(reader, path.known, problem);
  const std::string recordings = read_fills(reader, folder, problem);
  read_tolerances(reader, problem);
  if (const auto work = reader.find("work")) {
    work->expect_keys({"flops", "bytes"});
    problem.work = {work->at("flops").expression(), work->at("bytes").expression()};
  } else {
    problem.work = derived_work(problem);
  }
  if (const auto checks = reader.find("check_workloads")) {
    for (const Reader& workload : checks->items()) {
      problem.check_workloads.push_back(read_workload(workload, problem));
    }
  }
  const Reader templates = reader.at("templates");
  for (const std::string& name : templates.keys()) {
    problem.templates.push_back(read_template(name, templates.at(name), folder, problem.arguments, path));
    settle_template(templates.at(name), problem, problem.templates.back());
  }
  if (problem.templates.empty()) templates.fail("a problem needs at least one template");
  // No reference can have a use for what changes with the genome.
  for (model::Argument& argument : problem.arguments)
    argument.neutral = argument.neutral || uses_genes(problem, argument.scalar);
  if (problem.oracle_kernel) infer_special_values(problem.oracle_kernel->source, problem.arguments);
  check_independence(reader.at("oracle"), problem);
  check_references(problem, reader);
  problem.stages = read_stages(reader, path.known.stage_formulas);
  problem.sweeps = read_sweeps(reader, problem);
  problem.metrics = read_metrics(reader, problem);
  problem.comparators = read_comparators(reader, folder, problem.templates);
  if (const auto equal = reader.find("equal_writes")) {
    problem.equal_writes = equal->text();
    if (problem.equal_writes.empty()) equal->fail("say why such writes are meant");
  }
  // One that takes EVO_REAL is an oracle, of this problem or of none, and no kernel of a self-test.
  problem.reference = text_beside(folder, "reference.cu");
  const bool own = problem.oracle_kernel && problem.oracle_kernel->source == problem.reference;
  if (own || problem.reference.find("EVO_REAL") != std::string::npos) problem.reference.clear();
  problem.comparator = text_beside(folder, "comparator.py");

  model::Hasher hasher;
  hasher.add(read_text(reader, file));
  // The words of a command that are files here.
  const auto add_files = [&](const std::vector<std::string>& command) {
    std::error_code ignored;  // a word may be longer than a file's name
    for (const std::string& word : command)
      if (fs::is_regular_file(folder / word, ignored)) hasher.add(read_text(reader, folder / word));
  };
  for (const auto& kernel : problem.templates) {
    hasher.add(kernel.source);
    for (const auto& [name, text] : kernel.headers) hasher.add(name).add(text);
    add_files(kernel.generator_command);
  }
  hasher.add(problem.reference).add(problem.comparator);
  for (const model::Comparator& comparator : problem.comparators) add_files(comparator.command);
  if (!recordings.empty()) hasher.add(recordings);
  if (problem.oracle_kernel) hasher.add(problem.oracle_kernel->source);
  for (const model::OracleSource& oracle : problem.oracles) {
    if (!oracle.content.empty()) hasher.add(oracle.content);
  }
  if (const auto rules = reader.find("rules")) {
    for (const Reader& item : rules->items()) {
      const fs::path file_of_rules = folder / item.text();
      hasher.add(read_text(item, file_of_rules));
      add_rules_file(file_of_rules.string(), problem.causes);
    }
  }
  problem.content_hash = hasher.finish();
  return problem;
}

}  // namespace

model::Expected<Problem> load_problem(const std::string& folder_or_name, const SearchPath& path) {
  try {
    std::error_code ignored;
    fs::path direct = folder_or_name;
    if (direct.filename() == "problem.yaml") direct = direct.parent_path();
    if (direct.empty()) direct = ".";
    if (fs::exists(direct / "problem.yaml", ignored))
      return read_problem(fs::absolute(direct).lexically_normal(), path);
    std::vector<std::string> known;
    for (const std::string& folder : path.kernel_folders) {
      const fs::path candidate = fs::path(folder) / folder_or_name;
      if (fs::exists(candidate / "problem.yaml", ignored))
        return read_problem(fs::absolute(candidate).lexically_normal(), path);
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
