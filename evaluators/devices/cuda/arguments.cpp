#include "evaluators/devices/cuda/arguments.hpp"

#include <fmt/format.h>

#include <cstring>

namespace evo::evaluators::cuda {

namespace {

std::size_t bytes_of(const devices::KernelArgument& argument) {
  if (const auto* scalar = std::get_if<std::vector<std::byte>>(&argument)) return scalar->size();
  if (const auto* members = std::get_if<devices::StructArgument>(&argument)) return members->bytes.size();
  return sizeof(std::uint64_t);
}

}  // namespace

tl::expected<PackedArguments, std::string> PackedArguments::pack(
    std::span<const devices::KernelArgument> arguments, std::span<const std::size_t> parameter_bytes,
    const std::function<std::uint64_t(devices::BufferId)>& address_of) {
  if (arguments.size() != parameter_bytes.size()) {
    return tl::unexpected(fmt::format("the kernel has {} parameters, the problem passes {} arguments",
                                      parameter_bytes.size(), arguments.size()));
  }
  constexpr std::size_t slot_bytes = 16;  // keeps every value aligned for its type
  std::vector<std::size_t> offsets;
  std::size_t total = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t bytes = bytes_of(arguments[i]);
    if (bytes != parameter_bytes[i]) {
      return tl::unexpected(fmt::format("parameter {} of the kernel has {} bytes, the problem passes {}", i,
                                        parameter_bytes[i], bytes));
    }
    offsets.push_back(total);
    total += (bytes + slot_bytes - 1) / slot_bytes * slot_bytes;
  }
  PackedArguments packed;
  packed.bytes_.resize(total);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::byte* const slot = packed.bytes_.data() + offsets[i];
    if (const auto* scalar = std::get_if<std::vector<std::byte>>(&arguments[i])) {
      if (!scalar->empty()) std::memcpy(slot, scalar->data(), scalar->size());
    } else if (const auto* structure = std::get_if<devices::StructArgument>(&arguments[i])) {
      const std::vector<std::byte> bytes = devices::bytes_of(*structure, address_of);
      if (!bytes.empty()) std::memcpy(slot, bytes.data(), bytes.size());
    } else {
      const std::uint64_t address = address_of(std::get<devices::BufferArgument>(arguments[i]).buffer);
      std::memcpy(slot, &address, sizeof address);
    }
    packed.pointers_.push_back(slot);
  }
  return packed;
}

}  // namespace evo::evaluators::cuda
