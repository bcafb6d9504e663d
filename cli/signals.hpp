// SIGINT, SIGTERM and SIGUSR1 ask for a clean stop; a second one ends the process at once.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace evo::cli {

/// Installs the handlers; the token is stopped by the first signal. Call once. `tell` says that it is, on a
/// thread of its own; without it stderr gets a line.
[[nodiscard]] std::stop_token stop_on_signals(std::function<void(const std::string&)> tell = {});

}  // namespace evo::cli
