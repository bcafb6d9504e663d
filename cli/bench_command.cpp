// evo bench
#include "cli/bench_attacks.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"

namespace evo::cli {

int bench_command(const Options& options) {
  if (options.attacks.wanted) return bench_attacks(options.common, options.attacks);
  throw model::Exception(model::ExitCode::usage, "evo bench needs to know what: --attacks");
}

}  // namespace evo::cli
