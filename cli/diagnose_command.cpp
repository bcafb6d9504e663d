// evo diagnose RUN VARIANT, evo diagnose SOURCE --problem P: why it fails. On the virtual device, and on a
// GPU what that cannot follow.
#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "diagnose/output_folder.hpp"
#include "diagnose/report.hpp"
#include "diagnose/run_notes.hpp"
#include "model/error.hpp"
#include "packs/builtin.hpp"
#include "session/diagnosed.hpp"
#include "session/evaluation_stack.hpp"
#include "session/version.hpp"
#include "terminal/json_output.hpp"
#include "terminal/waiting.hpp"

namespace evo::cli {
namespace {

constexpr int sanitizer_seconds = 60;

diagnose::Subject subject_of(const session::Diagnosed& chosen) {
  diagnose::Subject subject =
      diagnose::make_subject(chosen.experiment, chosen.template_name, chosen.genome,
                             packs::catalogue_of(packs::builtin()), chosen.source, chosen.source_file);
  if (!chosen.title.empty()) subject.title = chosen.title;
  return subject;
}

}  // namespace

int diagnose_command(const Options& options) {
  const DiagnoseOptions& wanted = options.diagnose;
  const session::Diagnosed chosen = session::choose_diagnosed(wanted.source, wanted.variant);
  diagnose::Subject subject = subject_of(chosen);
  session::StackOptions parts;
  parts.input_seed = subject.input_seed;
  session::EvaluationStack stack(chosen.experiment, {"virtual", {}}, parts);
  subject.known = stack.known();  // with the problem's own reference, if it has one
  const session::DeviceChoice device =
      session::device_to_diagnose_on(chosen.experiment, diagnose::needs_gpu(subject));
  diagnose::Lab lab(subject, stack.compiler(), session::device_factory(device, subject.target),
                    wanted.seconds);
  terminal::Waiting waiting(options.common);
  lab.tell([&](const std::string& what, int experiments) {
    waiting.on(what);
    waiting.so_far(fmt::format("{} experiments", experiments));
  });
  diagnose::Diagnosis diagnosis = diagnose::diagnose(lab);
  waiting.on({});
  diagnose::PostMortem& report = diagnosis.post_mortem;
  diagnose::add_run_notes(report, subject, {device.id, device.note, chosen.verdict}, !wanted.output.empty());
  if (!wanted.output.empty()) {
    const auto written = diagnose::write_folder_and_sanitize(subject, diagnosis, wanted.output,
                                                             session::version_number(), sanitizer_seconds);
    if (!written) throw model::Exception(model::ExitCode::environment, written.error().text());
  }
  if (options.common.json) {
    terminal::print_json(diagnose::json_report(report));
  } else {
    fmt::print("{}", wanted.markdown ? diagnose::markdown_report(report) : diagnose::text_report(report));
  }
  return static_cast<int>(model::ExitCode::done);
}

}  // namespace evo::cli
