#include "session/version.hpp"

#include <fmt/format.h>

namespace evo::session {

std::string version_number() {
  return EVO_VERSION;
}

std::string version_text() {
  return fmt::format("evo {} (g++ {}.{}, run folder format 1)", EVO_VERSION, __GNUC__, __GNUC_MINOR__);
}

}  // namespace evo::session
