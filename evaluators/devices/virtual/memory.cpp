#include "evaluators/devices/virtual/memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace evo::evaluators::virtual_device {

void GlobalMap::map(const Region& region, std::string name) {
  if (region.slot >= regions_.size()) {
    regions_.resize(region.slot + 1);
    names_.resize(region.slot + 1);
  }
  regions_[region.slot] = region;
  names_[region.slot] = std::move(name);
}

const std::string& GlobalMap::name_at(std::uint64_t address) const {
  static const std::string none;
  const std::uint64_t slot = slot_of(address);
  return slot < names_.size() ? names_[slot] : none;
}

std::string GlobalMap::describe(std::uint64_t address, std::uint64_t width) const {
  const Region& region = find(address);
  if (region.base == 0) {
    return address < slot_bytes
               ? fmt::format("address {:#x} in the null page", address)
               : fmt::format("address {:#x}, which belongs to no buffer of this launch", address);
  }
  const std::string& name = name_at(address);
  const auto offset = static_cast<std::int64_t>(address - region.base);
  if (offset < 0) {
    return fmt::format("{} byte offset {} ({} bytes before its start)", name, offset, -offset);
  }
  const std::uint64_t end = static_cast<std::uint64_t>(offset) + width;
  if (end <= region.bytes) return fmt::format("{} byte offset {}", name, offset);
  return fmt::format("{} byte offset {} (ends {} bytes past its {} bytes)", name, offset, end - region.bytes,
                     region.bytes);
}

Buffer::Buffer(std::uint32_t slot, std::string name, std::uint64_t bytes, std::uint64_t position)
    : name_(std::move(name)) {
  constexpr std::uint64_t alignment = 256;
  // An empty buffer still has an address, and a byte of storage that is never mapped.
  storage_ = std::make_unique<std::byte[]>(bytes + 2 * alignment);
  shadow_ = std::make_unique<std::uint8_t[]>(bytes + 2 * alignment);
  const auto pad = [&](const void* raw) {
    return (alignment - reinterpret_cast<std::uintptr_t>(raw) % alignment) % alignment + position % alignment;
  };
  region_.base = buffer_base(slot, position);
  region_.bytes = bytes;
  region_.data = storage_.get() + pad(storage_.get());
  region_.shadow = shadow_.get() + pad(shadow_.get());
  region_.slot = slot;
}

Region Buffer::region() const {
  return region_;
}

void Buffer::write(std::span<const std::byte> source) {
  if (source.empty()) return;
  std::memcpy(region_.data, source.data(), source.size());
  std::memset(region_.shadow, shadow_written, source.size());
  refresh();
}

void Buffer::read(std::span<std::byte> destination) const {
  if (!destination.empty()) std::memcpy(destination.data(), region_.data, destination.size());
}

void Buffer::poison(std::uint32_t pattern) {
  for (std::uint64_t i = 0; i < region_.bytes; ++i) {
    region_.data[i] = static_cast<std::byte>(pattern >> (8 * (i % 4)) & 0xff);
  }
  std::fill_n(region_.shadow, region_.bytes, shadow_unwritten);
  region_.all_written = false;
  refresh();
}

void Buffer::refresh() {
  // Only poison() takes a written byte back.
  if (region_.all_written) return;
  region_.all_written = std::all_of(region_.shadow, region_.shadow + region_.bytes,
                                    [](std::uint8_t byte) { return byte == shadow_written; });
}

Buffer::Snapshot Buffer::snapshot() const {
  Snapshot snapshot{{region_.data, region_.data + region_.bytes}, {}};
  if (!region_.all_written) snapshot.shadow.assign(region_.shadow, region_.shadow + region_.bytes);
  return snapshot;
}

void Buffer::restore(const Snapshot& snapshot) {
  std::copy(snapshot.data.begin(), snapshot.data.end(), region_.data);
  region_.all_written = snapshot.shadow.empty();
  if (region_.all_written) {
    std::fill_n(region_.shadow, region_.bytes, shadow_written);
  } else {
    std::copy(snapshot.shadow.begin(), snapshot.shadow.end(), region_.shadow);
  }
}

}  // namespace evo::evaluators::virtual_device
