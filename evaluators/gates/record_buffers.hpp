// Arrays of structs as buffers: what the members hold, and the structs that a kernel sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/gates/evidence.hpp"
#include "model/records.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

using Records = std::vector<model::RecordLayout>;

/// A member's bytes of `structs`, one struct's after another's.
void gather(const model::RecordLayout& record, std::size_t member, const std::byte* structs, std::byte* into);

/// At least 1, as a buffer has.
[[nodiscard]] std::uint64_t bytes_in(const model::RecordLayout& record);

/// The array of structs that the argument is a member of; null: it has a buffer of its own.
[[nodiscard]] const model::RecordLayout* record_with(const Records& records, std::size_t argument);

/// Whose buffer holds the argument: its own, or the first one's of its array of structs.
[[nodiscard]] std::size_t owner_of(const Records& records, std::size_t argument);

/// Of arrays of structs that are given, all bytes: those of an inout are put back before each launch.
[[nodiscard]] Outcome<void> write_structs(devices::Device& device, const model::Case& bound,
                                          const Records& records,
                                          std::span<const std::optional<devices::BufferId>> buffers,
                                          std::span<const std::span<const std::byte>> inputs);

/// The buffer of an array of structs, called as the kernel calls it.
[[nodiscard]] devices::BufferSpec record_spec(const model::RecordLayout& record,
                                              const model::BoundArgument& first, std::uint32_t misaligned);

}  // namespace evo::evaluators::gates
