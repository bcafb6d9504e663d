#include "diagnose/run_notes.hpp"

#include <fmt/format.h>

namespace evo::diagnose {

void add_run_notes(PostMortem& report, const Subject& subject, const RanOn& on, bool with_folder) {
  const bool virtual_device = on.device == "virtual";
  if (!report.failing && !on.verdict.empty()) {
    report.notes.push_back(fmt::format("the run ended this trial with {}; {} its results are correct",
                                       on.verdict, virtual_device ? "on the virtual device" : "here"));
  }
  if (!needs_gpu(subject)) return;
  if (virtual_device) {
    report.notes.push_back(
        fmt::format("template {} says sync_checkable: false, as the virtual device does not follow all of "
                    "it, and no GPU was used ({})",
                    subject.kernel_template.name,
                    on.device_note.empty() ? "the experiment's device is virtual" : on.device_note));
    return;
  }
  report.notes.push_back(
      fmt::format("ran on {}: shapes, inputs and outputs are compared there; races, uninitialised reads and "
                  "the lines of faults only compute-sanitizer sees{}",
                  on.device, with_folder ? "" : ", which runs with -o DIR"));
}

}  // namespace evo::diagnose
