#include "evaluators/devices/virtual/warp/random_order.hpp"

#include <numeric>
#include <utility>

#include "model/random.hpp"

namespace evo::evaluators::virtual_device::warp {

std::vector<std::uint64_t> permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t stream) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  if (seed == 0) return order;
  model::RandomStream random({seed, stream, 0, "warp machine order"});
  for (std::uint64_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

}  // namespace evo::evaluators::virtual_device::warp
