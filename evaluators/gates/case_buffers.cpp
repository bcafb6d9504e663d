#include "evaluators/gates/case_buffers.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "evaluators/gates/record_buffers.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::gates {
namespace {

using model::ArgumentRole;

/// Does a launch find nothing there? What is zeroed is filled by the device.
bool is_poisoned(const model::BoundArgument& argument) {
  const bool made = argument.role == ArgumentRole::output || argument.role == ArgumentRole::workspace;
  return made && !argument.zeroed;
}

/// What is compared: outputs, and inputs that must not change.
bool is_kept(const model::BoundArgument& argument) {
  return model::is_given(argument.role) || model::is_judged(argument.role);
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  return {first, first + sizeof value};
}

}  // namespace

std::vector<std::byte> scalar_bytes(const model::BoundArgument& argument) {
  switch (argument.dtype) {
    case model::DType::i64:
    case model::DType::u64:
      return bytes_of(argument.scalar_integer);
    case model::DType::f64:
      return bytes_of(argument.scalar_float);
    default:
      break;
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(model::size_of(argument.dtype)));
  const double value = oracle::is_floating(argument.dtype) ? argument.scalar_float
                                                           : static_cast<double>(argument.scalar_integer);
  oracle::store_element(argument.dtype, value, bytes.data());
  return bytes;
}

devices::BufferSpec buffer_spec(const model::BoundArgument& argument, std::uint32_t misaligned) {
  devices::BufferSpec spec;
  spec.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(oracle::device_bytes(argument), 1));
  spec.misalignment = misaligned;
  spec.name = argument.name;
  spec.zeroed = argument.zeroed;
  spec.restored = argument.role == ArgumentRole::inout;
  if (argument.role == ArgumentRole::input) spec.access = devices::BufferAccess::read_only;
  if (model::is_judged(argument.role)) {
    const model::BoundArgument on_host = oracle::host_layout(argument.unreduced());
    spec.view = {static_cast<std::uint32_t>(model::size_of(argument.dtype)), on_host.shape, on_host.strides};
  }
  const std::vector<oracle::Part> parts = oracle::parts_of(argument);
  if (parts.size() == 1) return spec;
  for (const oracle::Part& part : parts) {
    spec.parts.push_back(
        {static_cast<std::uint64_t>(part.device_offset), static_cast<std::uint64_t>(part.bytes)});
  }
  return spec;
}

devices::BufferArgument buffer_argument(const model::BoundArgument& argument, devices::BufferId buffer) {
  if (!argument.texture) return {buffer};
  return {buffer, std::make_shared<const devices::TextureBinding>(devices::TextureBinding{
                      *argument.texture, argument.dtype,
                      model::texture_extent(*argument.texture, argument.shape), argument.name})};
}

std::size_t sets_that_fit(const model::Case& bound, std::size_t most) {
  const std::int64_t bytes = std::max<std::int64_t>(oracle::case_bytes(bound), 1);
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>((std::int64_t{1} << 30) / bytes, 1, static_cast<std::int64_t>(most)));
}

std::size_t sets_a_turn(const model::Case& bound) {
  const std::int64_t bytes = std::max<std::int64_t>(oracle::case_bytes(bound), 1);
  return static_cast<std::size_t>(std::clamp<std::int64_t>((std::int64_t{32} << 20) / bytes, 1, 8));
}

std::vector<devices::HostBytes> staged(devices::Device& device, const oracle::InputBuffers& inputs) {
  std::vector<devices::HostBytes> all(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].empty()) continue;
    all[i] = device.host_bytes(inputs[i].size());
    std::memcpy(all[i].span().data(), inputs[i].data(), inputs[i].size());  // algorithms go byte by byte
  }
  return all;
}

Outcome<CaseBuffers> CaseBuffers::create(devices::Device& device, const model::Case& bound,
                                         const std::optional<Placement>& placement, bool backwards) {
  CaseBuffers created(device, bound);
  const Records records = model::records_of(bound.arguments);
  const std::size_t count = bound.arguments.size();
  created.patterns_.assign(count, 0);
  created.buffers_.resize(count);
  created.arguments_.resize(count);
  for (std::size_t turn = 0; turn < count; ++turn) {
    const std::size_t i = backwards ? count - 1 - turn : turn;
    const model::BoundArgument& argument = bound.arguments[i];
    if (argument.role == ArgumentRole::scalar) {
      created.arguments_[i] = scalar_bytes(argument);
      continue;
    }
    if (owner_of(records, i) != i) continue;
    const std::uint32_t misaligned = placement ? placement->at(i) : 0;
    const model::RecordLayout* record = record_with(records, i);
    const auto buffer = device.allocate(record != nullptr ? record_spec(*record, argument, misaligned)
                                                          : buffer_spec(argument, misaligned));
    if (!buffer) return tl::make_unexpected(buffer.error());
    created.buffers_[i] = *buffer;
    created.arguments_[i] = buffer_argument(argument, *buffer);
  }
  // No kernel takes them as parameters.
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t owner = owner_of(records, i);
    if (owner != i) created.arguments_[i] = devices::BufferArgument{*created.buffers_[owner]};
  }
  return created;
}

CaseBuffers::CaseBuffers(CaseBuffers&& other) noexcept
    : device_(other.device_),
      case_(other.case_),
      buffers_(std::exchange(other.buffers_, {})),
      arguments_(std::move(other.arguments_)),
      patterns_(std::move(other.patterns_)) {}

CaseBuffers::~CaseBuffers() {
  for (const auto& buffer : buffers_) {
    if (buffer) device_->release(*buffer);
  }
}

Outcome<void> CaseBuffers::write_inputs(const oracle::InputBuffers& inputs) {
  const Records records = model::records_of(case_->arguments);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!model::is_given(case_->arguments[i].role) || inputs[i].empty() || record_with(records, i) != nullptr)
      continue;
    if (auto written = device_->write(*buffers_[i], inputs[i]); !written) return written;
  }
  const std::vector<std::span<const std::byte>> all(inputs.begin(), inputs.end());
  return write_structs(*device_, *case_, records, buffers_, all);
}

Outcome<void> CaseBuffers::write_inputs(std::span<const devices::HostBytes> inputs) {
  const Records records = model::records_of(case_->arguments);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!model::is_given(case_->arguments[i].role) || inputs[i].span().empty() ||
        record_with(records, i) != nullptr)
      continue;
    if (auto written = device_->write_from(*buffers_[i], inputs[i]); !written) return written;
  }
  std::vector<std::span<const std::byte>> all;
  for (const devices::HostBytes& each : inputs) all.emplace_back(each.span());
  return write_structs(*device_, *case_, records, buffers_, all);
}

Outcome<void> CaseBuffers::poison(std::uint32_t draw, bool finite) {
  const Records records = model::records_of(case_->arguments);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!is_poisoned(case_->arguments[i])) continue;
    patterns_[i] =
        oracle::poison_pattern(case_->arguments[i].dtype, draw + static_cast<std::uint32_t>(i), finite);
    if (const model::RecordLayout* record = record_with(records, i)) {
      // Members begin at any byte: all four are the same.
      patterns_[i] = finite ? 0x01010101U * (0x31U + (draw + static_cast<std::uint32_t>(record->first)) % 13U)
                            : 0xffffffffU;
      if (record->first != i) continue;
    }
    if (auto filled = device_->poison(*buffers_[i], patterns_[i]); !filled) return filled;
  }
  return {};
}

Outcome<void> CaseBuffers::poison_inverted() {
  const Records records = model::records_of(case_->arguments);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!is_poisoned(case_->arguments[i])) continue;
    patterns_[i] = ~patterns_[i];
    if (owner_of(records, i) != i) continue;
    if (auto filled = device_->poison(*buffers_[i], patterns_[i]); !filled) return filled;
  }
  return {};
}

Outcome<devices::HostBytes> CaseBuffers::read(std::size_t index) const {
  const auto size = static_cast<std::size_t>(oracle::buffer_bytes(case_->arguments[index]));
  devices::HostBytes bytes = device_->host_bytes(size);
  if (size == 0) return bytes;
  const Records records = model::records_of(case_->arguments);
  if (const model::RecordLayout* record = record_with(records, index)) {
    std::vector<std::byte> structs(bytes_in(*record));
    if (auto copied = device_->read(*buffers_[record->first], structs); !copied)
      return tl::make_unexpected(copied.error());
    gather(*record, index - record->first, structs.data(), bytes.span().data());
    return bytes;
  }
  if (auto copied = device_->read(*buffers_[index], bytes.span()); !copied)
    return tl::make_unexpected(copied.error());
  return bytes;
}

Outcome<std::vector<devices::HostBytes>> CaseBuffers::read_outputs(
    std::span<const std::optional<std::uint64_t>> known) const {
  std::vector<devices::HostBytes> all;
  if (model::records_of(case_->arguments).empty()) {
    std::vector<devices::BufferPiece> wanted;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const model::BoundArgument& argument = case_->arguments[i];
      if (!model::is_judged(argument.role)) continue;
      const auto place = wanted.size();
      wanted.push_back({*buffers_[i], static_cast<std::size_t>(oracle::buffer_bytes(argument))});
      if (place < known.size()) wanted.back().unchanged = known[place];
    }
    auto contents = device_->read_pieces(wanted);
    if (!contents) return tl::make_unexpected(contents.error());
    return std::move(contents->bytes);
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!model::is_judged(case_->arguments[i].role)) continue;
    auto bytes = read(i);
    if (!bytes) return tl::make_unexpected(bytes.error());
    all.push_back(std::move(*bytes));
  }
  return all;
}

std::vector<std::vector<std::uint8_t>> CaseBuffers::written_outputs() const {
  const Records records = model::records_of(case_->arguments);
  std::vector<std::vector<std::uint8_t>> all(buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!model::is_judged(case_->arguments[i].role)) continue;
    all[i] = device_->written(*buffers_[owner_of(records, i)]);
    const model::RecordLayout* record = record_with(records, i);
    if (record == nullptr || all[i].empty()) continue;
    const std::vector<std::uint8_t> structs = std::move(all[i]);
    all[i].resize(static_cast<std::size_t>(record->lengths[i - record->first] * record->count));
    gather(*record, i - record->first, reinterpret_cast<const std::byte*>(structs.data()),
           reinterpret_cast<std::byte*>(all[i].data()));
  }
  return all;
}

std::vector<devices::BufferPiece> CaseBuffers::pieces(
    std::span<const std::optional<std::uint64_t>> unchanged) const {
  const Records records = model::records_of(case_->arguments);
  std::vector<devices::BufferPiece> wanted;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const model::BoundArgument& argument = case_->arguments[i];
    if (!is_kept(argument) || owner_of(records, i) != i) continue;
    const model::RecordLayout* record = record_with(records, i);
    wanted.push_back({*buffers_[i], record != nullptr
                                        ? static_cast<std::size_t>(bytes_in(*record))
                                        : static_cast<std::size_t>(oracle::buffer_bytes(argument))});
    const bool only_read = argument.role == ArgumentRole::input && record == nullptr;
    if (only_read && i < unchanged.size()) wanted.back().unchanged = unchanged[i];
  }
  return wanted;
}

std::vector<devices::HostBytes> CaseBuffers::by_argument(std::vector<devices::HostBytes> read) const {
  const Records records = model::records_of(case_->arguments);
  std::vector<devices::HostBytes> all(buffers_.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (is_kept(case_->arguments[i]) && owner_of(records, i) == i) all[i] = std::move(read[next++]);
  }
  for (const model::RecordLayout& record : records) {
    if (!is_kept(case_->arguments[record.first])) continue;
    const devices::HostBytes structs = std::move(all[record.first]);
    for (std::size_t m = 0; m < record.offsets.size(); ++m) {
      devices::HostBytes& bytes = all[record.first + m];
      bytes = device_->host_bytes(static_cast<std::size_t>(record.lengths[m] * record.count));
      gather(record, m, structs.span().data(), bytes.span().data());
    }
  }
  return all;
}

Outcome<devices::Contents> CaseBuffers::read_all(
    Guards guards, std::span<const std::optional<std::uint64_t>> unchanged) const {
  const auto wanted = pieces(unchanged);
  auto contents = guards == Guards::check ? device_->read_with_guards(wanted) : device_->read_pieces(wanted);
  if (contents) contents->bytes = by_argument(std::move(contents->bytes));
  return contents;
}

}  // namespace evo::evaluators::gates
