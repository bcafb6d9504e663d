#include "evaluators/gates/record_buffers.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "evaluators/gates/case_buffers.hpp"

namespace evo::evaluators::gates {
namespace {

void scatter(const model::RecordLayout& record, std::size_t member, const std::byte* bytes,
             std::byte* structs) {
  const auto length = static_cast<std::size_t>(record.lengths[member]);
  std::byte* into = structs + record.offsets[member];
  for (std::int64_t k = 0; k < record.count; ++k, into += record.bytes, bytes += length)
    std::memcpy(into, bytes, length);
}

/// Whole structs of what `inputs` hold of their members.
std::vector<std::byte> structs_from(const model::RecordLayout& record,
                                    std::span<const std::span<const std::byte>> inputs) {
  std::vector<std::byte> structs(bytes_in(record));
  for (std::size_t m = 0; m < record.offsets.size(); ++m) {
    const std::span<const std::byte> bytes = inputs[record.first + m];
    if (bytes.size() >= static_cast<std::size_t>(record.lengths[m] * record.count))
      scatter(record, m, bytes.data(), structs.data());
  }
  return structs;
}

}  // namespace

void gather(const model::RecordLayout& record, std::size_t member, const std::byte* structs,
            std::byte* into) {
  const auto length = static_cast<std::size_t>(record.lengths[member]);
  const std::byte* from = structs + record.offsets[member];
  for (std::int64_t k = 0; k < record.count; ++k, from += record.bytes, into += length)
    std::memcpy(into, from, length);
}

std::uint64_t bytes_in(const model::RecordLayout& record) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(record.bytes * record.count, 1));
}

const model::RecordLayout* record_with(const Records& records, std::size_t argument) {
  const auto found =
      std::ranges::find_if(records, [&](const model::RecordLayout& record) { return record.has(argument); });
  return found == records.end() ? nullptr : &*found;
}

std::size_t owner_of(const Records& records, std::size_t argument) {
  const model::RecordLayout* record = record_with(records, argument);
  return record == nullptr ? argument : record->first;
}

Outcome<void> write_structs(devices::Device& device, const model::Case& bound, const Records& records,
                            std::span<const std::optional<devices::BufferId>> buffers,
                            std::span<const std::span<const std::byte>> inputs) {
  for (const model::RecordLayout& record : records) {
    if (!model::is_given(bound.arguments[record.first].role) || record.count == 0) continue;
    if (auto written = device.write(*buffers[record.first], structs_from(record, inputs)); !written)
      return written;
  }
  return {};
}

devices::BufferSpec record_spec(const model::RecordLayout& record, const model::BoundArgument& first,
                                std::uint32_t misaligned) {
  devices::BufferSpec spec = buffer_spec(first, misaligned);
  spec.bytes = bytes_in(record);
  spec.name = std::string(model::record_of(first.name));
  if (model::is_judged(first.role))
    spec.view = {static_cast<std::uint32_t>(record.bytes), {record.count}, {1}};
  spec.parts.clear();
  return spec;
}

}  // namespace evo::evaluators::gates
