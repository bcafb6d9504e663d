#include "evaluators/gates/sanitize_sample.hpp"

#include <algorithm>
#include <set>

namespace evo::evaluators::gates {
namespace {

/// So many operations, or threads, take some tenths of a CPU second with all checks.
constexpr double whole_launch_flops = 33554432;   // 2^25
constexpr double whole_launch_threads = 1048576;  // 2^20
constexpr std::uint64_t most_checked_blocks = 48;

}  // namespace

std::vector<std::uint64_t> blocks_to_sanitize(const model::Case& shape) {
  if (!shape.launch.then.empty()) return {};
  const double threads = model::threads_in(shape.launch);
  if (shape.flops <= whole_launch_flops && threads <= whole_launch_threads) return {};
  const auto& grid = shape.launch.grid;
  const std::uint64_t nx = grid[0], ny = grid[1], nz = grid[2];
  const std::uint64_t blocks = nx * ny * nz;
  if (blocks < 4) return {};
  const double share =
      std::min(whole_launch_flops / std::max(shape.flops, 1.0), whole_launch_threads / threads);
  const std::uint64_t affordable =
      std::min(most_checked_blocks, static_cast<std::uint64_t>(share * static_cast<double>(blocks)));
  std::set<std::uint64_t> chosen;
  const auto with_neighbours = [&](std::uint64_t block) {
    const std::uint64_t x = block % nx, y = block / nx % ny, z = block / (nx * ny);
    chosen.insert(block);
    // Of the last along an axis the one before it.
    const auto beside = [](std::uint64_t at, std::uint64_t count) {
      return at + 1 < count ? at + 1 : at - 1;
    };
    if (nx > 1) chosen.insert(block - x + beside(x, nx));
    if (ny > 1) chosen.insert(block - y * nx + beside(y, ny) * nx);
    if (nz > 1) chosen.insert(block - z * nx * ny + beside(z, nz) * nx * ny);
  };
  for (const std::uint64_t block : {std::uint64_t{0}, blocks - 1, blocks / 2}) with_neighbours(block);
  for (std::uint64_t i = 1; chosen.size() < affordable && i < affordable; ++i)
    chosen.insert(i * (blocks / affordable));
  if (chosen.size() * 2 > blocks) return {};
  return {chosen.begin(), chosen.end()};
}

}  // namespace evo::evaluators::gates
