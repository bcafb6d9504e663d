#include "evaluators/devices/virtual/memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace evo::evaluators::virtual_device {

void GlobalMap::map(const Region& region, std::string name) {
  const Region& known = find(std::uint64_t{region.slot} * slot_bytes);
  if (&known != &nothing_) {
    const std::uint32_t index = known.index;
    regions_[index] = region;
    regions_[index].index = index;
    names_[index] = std::move(name);
    return;
  }
  const auto index = static_cast<std::uint32_t>(regions_.size());
  regions_.push_back(region);
  regions_.back().index = index;
  names_.push_back(std::move(name));
  if (regions_.size() * 4 > entries_.size()) {
    entries_.assign(2 * entries_.size(), {});
    for (const Region& each : regions_) enter(each.slot, each.index);
  } else {
    enter(region.slot, index);
  }
}

void GlobalMap::enter(std::uint32_t slot, std::uint32_t index) {
  std::uint64_t at = slot;
  while (entries_[at & (entries_.size() - 1)].slot != no_slot) ++at;
  entries_[at & (entries_.size() - 1)] = {slot, index};
}

const std::string& GlobalMap::name_at(std::uint64_t address) const {
  static const std::string none;
  const Region& region = find(address);
  return &region == &nothing_ ? none : names_[region.index];
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

void Buffer::restrict(bool read_only, std::shared_ptr<const ElementMask> elements,
                      std::uint64_t view_offset) {
  elements_ = std::move(elements);
  region_.read_only = read_only;
  region_.elements = elements_.get();
  region_.view_offset = view_offset;
}

void Buffer::prepare() {
  if (restored_ && !written_.empty()) std::memcpy(region_.data, written_.data(), written_.size());
  if (!zeroed_) return;
  std::memset(region_.data, 0, region_.bytes);
  std::memset(region_.shadow, shadow_written, region_.bytes);
  refresh();
}

void Buffer::write(std::span<const std::byte> source) {
  if (source.empty()) return;
  std::memcpy(region_.data, source.data(), source.size());
  std::memset(region_.shadow, shadow_written, source.size());
  refresh();
  if (restored_) written_.assign(source.begin(), source.end());
  region_.input = !poisoned_ && !restored_ && region_.all_written;
}

void Buffer::read(std::span<std::byte> destination) const {
  if (!destination.empty()) std::memcpy(destination.data(), region_.data, destination.size());
}

void Buffer::poison(std::uint32_t pattern) {
  fill(pattern);
  poisoned_ = true;
  region_.input = false;
  pristine_ = pattern;
}

void Buffer::fill(std::uint32_t pattern) {
  std::array<std::byte, sizeof pattern> first{};
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<std::byte>(pattern >> (8 * i) & 0xff);
  const std::uint64_t bytes = region_.bytes;
  std::uint64_t filled = std::min<std::uint64_t>(bytes, first.size());
  std::memcpy(region_.data, first.data(), filled);
  // What is filled is copied behind itself.
  for (; filled < bytes; filled += std::min(filled, bytes - filled)) {
    std::memcpy(region_.data + filled, region_.data, std::min(filled, bytes - filled));
  }
  std::memset(region_.shadow, shadow_unwritten, bytes);
  region_.all_written = false;
}

void Buffer::refresh() {
  pristine_.reset();
  // Only poison() takes a written byte back.
  if (region_.all_written) return;
  const std::uint64_t bytes = region_.bytes;
  // Each byte is the one before it, and the first is written.
  region_.all_written = bytes == 0 || (region_.shadow[0] == shadow_written &&
                                       std::memcmp(region_.shadow, region_.shadow + 1, bytes - 1) == 0);
}

Buffer::Snapshot Buffer::snapshot() const {
  if (pristine_) return {{}, {}, pristine_};
  Snapshot snapshot{{region_.data, region_.data + region_.bytes}, {}, {}};
  if (!region_.all_written) snapshot.shadow.assign(region_.shadow, region_.shadow + region_.bytes);
  return snapshot;
}

void Buffer::restore(const Snapshot& snapshot) {
  if (snapshot.poison) return fill(*snapshot.poison);
  std::copy(snapshot.data.begin(), snapshot.data.end(), region_.data);
  region_.all_written = snapshot.shadow.empty();
  if (region_.all_written) {
    std::fill_n(region_.shadow, region_.bytes, shadow_written);
  } else {
    std::copy(snapshot.shadow.begin(), snapshot.shadow.end(), region_.shadow);
  }
}

}  // namespace evo::evaluators::virtual_device
