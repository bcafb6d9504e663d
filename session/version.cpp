#include "session/version.hpp"

#include <fmt/format.h>

// Of evo itself, written by its build (cli/CMakeLists.txt).
extern "C" const char evo_source_id[] __attribute__((weak));

namespace evo::session {

std::string source_id() {
  return static_cast<const char*>(evo_source_id) == nullptr ? std::string() : std::string(evo_source_id);
}

std::string version_number() {
  return EVO_VERSION;
}

std::string version_text() {
  return fmt::format("evo {} (g++ {}.{}, run folder format 1)", EVO_VERSION, __GNUC__, __GNUC_MINOR__);
}

}  // namespace evo::session
