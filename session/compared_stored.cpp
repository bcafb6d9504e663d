#include "session/compared_stored.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "config/nearest.hpp"
#include "export/stored_kernel.hpp"
#include "session/baseline_file.hpp"
#include "session/hand_made.hpp"
#include "session/load.hpp"
#include "session/stored_problem.hpp"
#include "session/targets.hpp"

namespace evo::session {
namespace {

/// The problem of a stored kernel: the one asked for, the other side's, or the one that it was stored with.
FoundProblem problem_of(const exporting::StoredKernel& stored, const std::string& file, const Compared* other,
                        const SourceRequest& request) {
  const auto with_note = [&](model::Problem problem) {
    std::string note = note_on_problem(stored, file, problem);
    return FoundProblem{std::move(problem), std::move(note)};
  };
  if (!request.problem.empty()) return with_note(load_problem_or_throw(request.problem));
  if (other != nullptr && other->experiment.problem.name == stored.problem) {
    model::Problem problem = other->experiment.problem;
    if (other->kind == "run" || other->kind == "experiment") return with_note(std::move(problem));
    // Of a source, an export or a stored baseline it has that one template alone, with that one's own text.
    return with_note(problem.find_template(stored.template_name) != nullptr
                         ? std::move(problem)
                         : load_problem_or_throw(problem.folder));
  }
  return find_problem_of(stored, file);
}

Compared of_stored(const exporting::StoredKernel& stored, const std::string& file, const Compared* other,
                   const SourceRequest& request) {
  Compared side;
  FoundProblem found = problem_of(stored, file, other, request);
  if (!found.note.empty()) side.notes.push_back(std::move(found.note));
  side.experiment = hand_made("compare", std::move(found.problem));
  model::Problem& problem = side.experiment.problem;
  const model::Template* now = problem.find_template(stored.template_name);
  std::vector<std::string> names;
  for (const model::Template& kernel : problem.templates) names.push_back(kernel.name);
  if (now == nullptr)
    refuse_compared(fmt::format(
        "{}: the problem {} has no template '{}' any more{}; --problem names another folder", file,
        problem.folder, stored.template_name, config::suggestion(stored.template_name, names)));
  model::Template kernel = *now;
  // A generated source is made anew.
  if (kernel.generator_command.empty()) {
    if (kernel.source != stored.source) {
      kernel.launch.static_smem_open = true;
      for (model::LaunchModel& later : kernel.later_launches) later.static_smem_open = true;
    }
    kernel.source = stored.source;
    kernel.headers = stored.headers;
    kernel.entry = stored.entry;
    kernel.source_file = stored.source_file;
  }
  for (const model::Gene& gene : kernel.space.genes()) {
    if (!stored.genome.values().contains(gene.name))
      refuse_compared(fmt::format("{}: the template {} has a gene {} now, which the stored kernel lacks",
                                  file, kernel.name, gene.name));
  }
  for (const auto& [name, value] : stored.genome.values()) {
    const model::Gene* gene = kernel.space.find(name);
    if (gene == nullptr)
      refuse_compared(fmt::format("{}: the template {} has no gene {} any more", file, kernel.name, name));
    if (!gene->index_of(value))
      refuse_compared(fmt::format("{}: {}={} is no value of the template {} any more", file, name,
                                  model::to_string(value), kernel.name));
  }
  problem.templates = {std::move(kernel)};
  side.experiment.baseline_template = stored.template_name;
  side.experiment.baseline = stored.genome;
  side.experiment.workloads = stored.workloads;
  set_target_or_throw(side.experiment, stored.target);
  if (problem.find_tolerance(stored.accuracy_class) == nullptr)
    refuse_compared(fmt::format("{}: the problem {} has no accuracy class '{}' any more", file, problem.name,
                                stored.accuracy_class));
  side.experiment.accuracy_class = stored.accuracy_class;
  config::complete_workloads(side.experiment);
  side.variant = {{}, stored.variant, stored.template_name, stored.genome};
  return side;
}

/// "hot" or "cold"; empty for what another evo may have written.
std::string known_cache(const std::string& cache) {
  return cache == "hot" || cache == "cold" ? cache : std::string();
}

}  // namespace

void refuse_compared(const std::string& message) {
  throw model::Exception(model::ExitCode::usage, message);
}

Compared compared_of_export(const std::string& path, const Compared* other, const SourceRequest& request) {
  const std::string file = (std::filesystem::path(path) / "provenance.json").string();
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  boost::system::error_code failed;
  const boost::json::value document = boost::json::parse(text, failed);
  const auto* whole = document.if_object();
  if (failed || whole == nullptr)
    throw model::Exception(model::ExitCode::invalid_configuration,
                           fmt::format("{} is no JSON document", file));
  if (!whole->contains("kernel"))
    refuse_compared(fmt::format(
        "{} was written by an evo that did not store the kernel's source: export it again", path));
  const auto stored = exporting::stored_kernel_from_json(whole->at("kernel"), path);
  if (!stored)
    throw model::Exception(model::ExitCode::invalid_configuration,
                           fmt::format("{}: {}", file, stored.error().text()));
  Compared side = of_stored(*stored, file, other, request);
  boost::system::error_code none;
  const boost::json::value* cache = document.find_pointer("/measurements/final_verdict/cache", none);
  if (cache != nullptr && cache->is_string()) side.own_cache = known_cache(std::string(cache->as_string()));
  return side;
}

Compared compared_of_baseline(const std::string& path, const Compared* other, const SourceRequest& request) {
  const StoredBaseline stored = read_baseline(path);
  Compared side = of_stored(stored.kernel, path, other, request);
  for (const StoredTimes& times : stored.times) side.stored_us[times.workload] = times.median_us();
  side.own_cache = known_cache(stored.cache);
  side.stored_kind = stored.latency_kind;
  side.stored_device = stored.device_name;
  return side;
}

}  // namespace evo::session
