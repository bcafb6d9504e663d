// Buffers of which only some parts are memory, seen as if the parts followed each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::cuda {

/// Calls use(address, piece) for each part of the buffer with the piece of `bytes` that is its own; for the
/// whole of a buffer that has no parts.
template <class Buffer, class Bytes, class Use>
devices::Outcome<void> for_parts(const Buffer& buffer, Bytes bytes, const Use& use) {
  if (buffer.parts.empty()) return bytes.empty() ? devices::Outcome<void>() : use(buffer.base(), bytes);
  for (const devices::BufferPart& part : buffer.parts) {
    const std::size_t now = std::min<std::size_t>(part.bytes, bytes.size());
    if (now == 0) break;
    if (auto done = use(buffer.base() + part.offset, bytes.first(now)); !done) return done;
    bytes = bytes.subspan(now);
  }
  return {};
}

/// Bytes that write() and read() see.
template <class Buffer>
std::uint64_t contents_of(const Buffer& buffer) {
  if (buffer.parts.empty()) return buffer.layout.bytes;
  std::uint64_t bytes = 0;
  for (const devices::BufferPart& part : buffer.parts) bytes += part.bytes;
  return bytes;
}

}  // namespace evo::evaluators::cuda
