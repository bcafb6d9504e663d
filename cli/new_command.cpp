// evo new KERNEL.cu: a problem folder from a kernel's source.
#include <filesystem>

#include <fmt/format.h>

#include "cli/intake_output.hpp"
#include "cli/verbs.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {

int new_command(const Options& options) {
  const NewOptions& wanted = options.new_;
  if (!wanted.output.empty() && !wanted.force) intake::check_free(wanted.output);  // before the work is done
  const intake::Draft draft = draft_of(options.common, wanted.intake, intake::Purpose::folder);
  const std::filesystem::path folder =
      wanted.output.empty() ? std::filesystem::path(draft.name) : std::filesystem::path(wanted.output);
  const intake::WrittenFolder written = intake::write_folder(draft, folder, wanted.force);
  if (options.common.json) {
    terminal::print_json(draft_to_json(draft, written));
    return 0;
  }
  fmt::print("{}{}", inferred_text(draft, wanted.intake.kernel), written_text(written));
  return 0;
}

}  // namespace evo::cli
