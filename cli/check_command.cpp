// evo check SOURCE --problem P: any kernel source up the ladder. Genes and launch plan come from one of the
// problem's templates, the source from the file.
#include "cli/gate_report.hpp"
#include "cli/verbs.hpp"
#include "session/source_experiment.hpp"

namespace evo::cli {

int check_command(const Options& options) {
  return prove_and_print(options.common, session::read_source_experiment(options.check).experiment,
                         options.check.source, SelfTest::skip);
}

}  // namespace evo::cli
