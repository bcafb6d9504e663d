// evo import FILE -o DIR: tuning problems of other tools as problem folders.
#include <filesystem>

#include <fmt/format.h>

#include "cli/intake_output.hpp"
#include "cli/verbs.hpp"
#include "intake/import.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {

int import_command(const Options& options) {
  const ImportOptions& wanted = options.import_;
  const intake::Draft draft = intake::import_draft(wanted.file, wanted.workloads);
  const std::filesystem::path folder = wanted.output;
  const intake::WrittenFolder written = intake::write_folder(draft, folder, wanted.force);
  if (options.common.json) {
    terminal::print_json(draft_to_json(draft, written));
  } else {
    fmt::print("{}{}", inferred_text(draft, wanted.file), written_text(written));
  }
  return 0;
}

}  // namespace evo::cli
