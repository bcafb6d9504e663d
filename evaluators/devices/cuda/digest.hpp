// A digest of a buffer's bytes, made on the device and on the host: what still holds what it held needs no
// copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace evo::evaluators::cuda {

/// Of this process, drawn from the system: no kernel can know which other bytes have the same digest.
[[nodiscard]] std::uint64_t digest_key();

/// The sum of a mix of each eight bytes, their place and `key`; bytes behind the last eight count with zeros.
/// The helper kernel evo_digest is the same formula.
[[nodiscard]] std::uint64_t digest_of(std::span<const std::byte> bytes, std::uint64_t key);

/// With this process's key; nullopt of bytes that are copied as fast as they are told by it.
[[nodiscard]] std::optional<std::uint64_t> content_digest(std::span<const std::byte> bytes);

}  // namespace evo::evaluators::cuda
