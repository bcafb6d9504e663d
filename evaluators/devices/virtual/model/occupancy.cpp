#include "evaluators/devices/virtual/model/occupancy.hpp"

namespace evo::evaluators::virtual_device {

std::uint64_t count_of(const std::array<std::uint32_t, 3>& extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

}  // namespace evo::evaluators::virtual_device
