#include "evaluators/devices/virtual/warp/counts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace evo::evaluators::virtual_device::warp {
namespace {
constexpr unsigned sector_bytes = 32;
constexpr unsigned banks = 32;
constexpr unsigned bank_bytes = 4;
}  // namespace

Footprint::Footprint(const GlobalMap& memory) : sectors_(memory.regions().size()) {
  for (const Region& region : memory.regions()) {
    if (region.bytes != 0) sectors_[region.index].assign((region.bytes >> sector_shift) + 1, 0);
  }
}

std::uint64_t Footprint::bytes() const {
  std::uint64_t sectors = 0;
  for (const auto& region : sectors_)
    sectors += static_cast<std::uint64_t>(std::count(region.begin(), region.end(), 1));
  return sectors << sector_shift;
}

void AccessCounts::global(std::uint32_t instruction, const Region& region, const std::uint64_t* addresses,
                          std::uint32_t mask, unsigned width) {
  // Neighbours mostly share a sector, and a warp that reads one element touches one.
  std::uint64_t touched_last = ~std::uint64_t{0};
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t address = addresses[std::countr_zero(left)];
    const std::uint64_t last = (address + width - 1) / sector_bytes;
    if (last == touched_last && address / sector_bytes == last) continue;
    footprint->touch(region, address, width);
    touched_last = last;
  }
  if (!detailed) return;
  ++global_accesses;
  std::array<std::uint64_t, 64> touched;
  unsigned count = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    const std::uint64_t first = addresses[lane] / sector_bytes;
    const std::uint64_t last = (addresses[lane] + width - 1) / sector_bytes;
    touched[count++] = first;
    if (last != first) touched[count++] = last;
  }
  std::sort(touched.begin(), touched.begin() + count);
  const auto end = std::unique(touched.begin(), touched.begin() + count);
  const auto sectors = static_cast<std::uint64_t>(end - touched.begin());
  global_sectors += sectors;
  of_instruction[instruction].sectors += sectors;
}

void AccessCounts::shared(std::uint32_t instruction, const std::uint32_t* addresses, std::uint32_t mask,
                          unsigned width) {
  if (!detailed) return;
  ++shared_accesses;
  Traffic& traffic = of_instruction[instruction];
  ++traffic.shared_accesses;
  // The hardware serves 32 words a pass: lanes go in groups of 32, 16 or 8. Within a group, different words
  // of the same bank cost a wavefront each.
  const unsigned words = std::max(1U, width / bank_bytes);
  const unsigned group = 32 / std::min(words, 4U);
  for (unsigned first = 0; first < 32; first += group) {
    std::array<std::uint32_t, 32 * 4> touched;
    unsigned count = 0;
    for (unsigned lane = first; lane < first + group; ++lane) {
      if ((mask >> lane & 1U) == 0) continue;
      for (unsigned word = 0; word < words; ++word) touched[count++] = addresses[lane] / bank_bytes + word;
    }
    if (count == 0) continue;
    std::sort(touched.begin(), touched.begin() + count);
    const auto end = std::unique(touched.begin(), touched.begin() + count);
    std::array<std::uint32_t, banks> load{};
    for (auto word = touched.begin(); word != end; ++word) ++load[*word % banks];
    const std::uint32_t wavefronts = *std::max_element(load.begin(), load.end());
    shared_wavefronts += wavefronts;
    traffic.shared_wavefronts += wavefronts;
  }
}

}  // namespace evo::evaluators::virtual_device::warp
