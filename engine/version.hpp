#pragma once

#include <string>

namespace evo::engine {

/// "0.2.0", as written into ledgers.
[[nodiscard]] std::string evo_version();
/// Version of the ledger's tables that this program writes.
[[nodiscard]] int ledger_schema_version();

}  // namespace evo::engine
