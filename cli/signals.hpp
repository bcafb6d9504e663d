// SIGINT, SIGTERM and SIGUSR1 ask for a clean stop; a second one ends the process at once.
#pragma once

#include <stop_token>

namespace evo::cli {

/// Installs the handlers; the token is stopped by the first signal. Call once.
[[nodiscard]] std::stop_token stop_on_signals();

}  // namespace evo::cli
