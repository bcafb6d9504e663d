#include "model/archive.hpp"

namespace evo::model {

const std::vector<std::string>& archive_axes() {
  static const std::vector<std::string> axes{"pipe",         "sectors",   "conflicts",    "occupancy",
                                             "instructions", "registers", "shared_memory"};
  return axes;
}

}  // namespace evo::model
