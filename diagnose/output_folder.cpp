#include "diagnose/output_folder.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "diagnose/compute_sanitizer.hpp"
#include "diagnose/report.hpp"
#include "diagnose/write_file.hpp"
#include "evaluators/oracle/layout.hpp"
#include "export/names.hpp"
#include "export/reproducer_writer.hpp"
#include "model/npy.hpp"

namespace evo::diagnose {
namespace {

namespace fs = std::filesystem;
using model::ArgumentRole;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The reference laid out as the argument is, in float.
std::string expected_bytes(model::BoundArgument argument, const std::vector<double>& reference) {
  argument.slices = 1;  // what is compared
  std::vector<float> values(static_cast<std::size_t>(evaluators::oracle::host_layout(argument).extent()),
                            std::numeric_limits<float>::quiet_NaN());
  const std::vector<std::int64_t> offsets = evaluators::oracle::element_offsets(argument);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    values[static_cast<std::size_t>(offsets[i])] = static_cast<float>(reference[i]);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

exporting::ExportRequest request_of(const Subject& subject, const PostMortem& report, const Failing& failing,
                                    const std::string& evo_version) {
  exporting::ExportRequest request;
  request.problem = subject.problem;
  request.problem.check_workloads.clear();
  request.kernel_template = subject.kernel_template;
  request.bound_space = subject.space;
  request.variant = model::make_variant(subject.kernel_template, subject.space, subject.candidate.genome);
  request.workloads = {failing.setup.workload};
  request.target = subject.target;
  request.accuracy_class = subject.tolerance.accuracy_class;
  request.provenance.evo_version = evo_version;
  request.provenance.status = model::name_of(report.symptom.status);
  request.provenance.device_kind = "virtual";
  request.provenance.input_seed = subject.input_seed;
  return request;
}

model::Expected<void> write_program(const Subject& subject, const Failing& failing, PostMortem& report,
                                    const fs::path& folder, const std::string& evo_version) {
  if (evaluators::oracle::has_64bit_strides(failing.seen.bound)) {
    return tl::make_unexpected(
        model::Error{"its arrays span more memory than a host has; `evo check` runs the shape"});
  }
  const exporting::ExportRequest request = request_of(subject, report, failing, evo_version);
  if (auto done = exporting::write_export(request, folder); !done) return done;
  // The self-test is for correct kernels on random inputs; here the stored inputs count.
  std::error_code ignored;
  for (const char* file : {"selftest.cu", "selftest_reference.cu", "reference.cuh", "CMakeLists.txt"})
    fs::remove(folder / file, ignored);
  exporting::ReproducerPlan plan;
  plan.bound = failing.seen.bound;
  plan.launches = std::max(report.launches, 1);
  plan.zero_workspace =
      failing.setup.workspace == WorkspaceFill::zero || report.facts.has("workspace.zero_heals");
  if (plan.zero_workspace && report.facts.has("repeat.later_fails"))
    plan.launches = std::max(plan.launches, 3);
  const auto program = exporting::write_reproducer(request, exporting::stem_of(request), plan);
  if (!program) return tl::make_unexpected(program.error());
  if (auto done = write_file(folder / "reproducer.cu", *program); !done) return done;
  for (std::size_t i = 0; i < plan.bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = plan.bound.arguments[i];
    if (model::is_given(argument.role)) {
      if (auto done = write_file(folder / (argument.name + ".bin"), text_of(failing.seen.inputs[i])); !done)
        return done;
    }
    if (model::is_judged(argument.role)) {
      const std::string bytes = expected_bytes(argument, failing.seen.references[i]);
      if (auto done = write_file(folder / (argument.name + ".expected.bin"), bytes); !done) return done;
    }
  }
  report.files.emplace_back("reproducer/reproducer.cu");
  return {};
}

model::Expected<void> write_tiles(PostMortem& report, const fs::path& folder) {
  for (const Tile& tile : report.tiles.tiles) {
    const std::vector<std::int64_t> shape{tile.check.rows, tile.check.columns};
    for (const auto& [values, kind] :
         {std::pair{&tile.actual, "actual"}, std::pair{&tile.expected, "expected"}}) {
      const std::string name = fmt::format("tiles/{}.{}.npy", tile.check.name, kind);
      if (auto done = write_file(folder / name, model::npy_file(*values, shape)); !done) return done;
      report.files.push_back(name);
    }
  }
  return {};
}

model::Expected<void> write_reports(const PostMortem& report, const fs::path& folder) {
  if (auto done = write_file(folder / "post_mortem.md", markdown_report(report)); !done) return done;
  if (auto done = write_file(folder / "post_mortem.txt", text_report(report)); !done) return done;
  return write_file(folder / "post_mortem.json", boost::json::serialize(json_report(report)) + "\n");
}

}  // namespace

model::Expected<void> write_folder(const Subject& subject, Diagnosis& diagnosis, const fs::path& folder,
                                   const std::string& evo_version) {
  PostMortem& report = diagnosis.post_mortem;
  if (auto done = write_tiles(report, folder); !done) return done;
  if (diagnosis.failing && !diagnosis.failing->seen.bound.arguments.empty() &&
      !diagnosis.failing->seen.inputs.empty()) {
    const auto done = write_program(subject, *diagnosis.failing, report, folder / "reproducer", evo_version);
    if (!done) report.notes.push_back("no reproducer: " + done.error().text());
  }
  for (const char* file : {"post_mortem.md", "post_mortem.txt", "post_mortem.json"})
    report.files.emplace_back(file);
  return write_reports(report, folder);
}

model::Expected<void> write_folder_and_sanitize(const Subject& subject, Diagnosis& diagnosis,
                                                const fs::path& folder, const std::string& evo_version,
                                                int seconds) {
  if (auto done = write_folder(subject, diagnosis, folder, evo_version); !done) return done;
  PostMortem& report = diagnosis.post_mortem;
  if (!report.failing) return {};
  SanitizerRun run = run_sanitizers(folder / "reproducer", subject.target.arch, seconds);
  report.sanitizer = std::move(run.evidence);
  report.notes.insert(report.notes.end(), run.notes.begin(), run.notes.end());
  return write_reports(report, folder);
}

}  // namespace evo::diagnose
