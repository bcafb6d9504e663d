#include "engine/version.hpp"

#include "engine/sqlite/schema.hpp"

namespace evo::engine {

std::string evo_version() {
  return EVO_VERSION;
}
int ledger_schema_version() {
  return static_cast<int>(sqlite::ledger_migrations().size());
}

}  // namespace evo::engine
