// Oclgrind on the SGEMM of sgemm.cl, for comparison.
#pragma once

#include <optional>
#include <string>

namespace evo::bench {

/// CPU seconds of `oclgrind-kernel --data-races` on `folder`/sgemm.sim, start-up of about 0.05 s included;
/// nullopt when it is not installed or fails.
[[nodiscard]] std::optional<double> oclgrind_seconds(const std::string& folder);

}  // namespace evo::bench
