#include "evaluators/gates/case_buffers.hpp"

#include <algorithm>
#include <memory>
#include <utility>

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
    std::ranges::copy(inputs[i], all[i].span().begin());
  }
  return all;
}

Outcome<CaseBuffers> CaseBuffers::create(devices::Device& device, const model::Case& bound,
                                         const std::optional<Placement>& placement, bool backwards) {
  CaseBuffers created(device, bound);
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
    const auto buffer = device.allocate(buffer_spec(argument, placement ? placement->at(i) : 0));
    if (!buffer) return tl::make_unexpected(buffer.error());
    created.buffers_[i] = *buffer;
    created.arguments_[i] = buffer_argument(argument, *buffer);
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
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!model::is_given(case_->arguments[i].role) || inputs[i].empty()) continue;
    if (auto written = device_->write(*buffers_[i], inputs[i]); !written) return written;
  }
  return {};
}

Outcome<void> CaseBuffers::write_inputs(std::span<const devices::HostBytes> inputs) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!model::is_given(case_->arguments[i].role) || inputs[i].span().empty()) continue;
    if (auto written = device_->write_from(*buffers_[i], inputs[i]); !written) return written;
  }
  return {};
}

Outcome<void> CaseBuffers::poison(std::uint32_t draw, bool finite) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!is_poisoned(case_->arguments[i])) continue;
    patterns_[i] =
        oracle::poison_pattern(case_->arguments[i].dtype, draw + static_cast<std::uint32_t>(i), finite);
    if (auto filled = device_->poison(*buffers_[i], patterns_[i]); !filled) return filled;
  }
  return {};
}

Outcome<void> CaseBuffers::poison_inverted() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!is_poisoned(case_->arguments[i])) continue;
    patterns_[i] = ~patterns_[i];
    if (auto filled = device_->poison(*buffers_[i], patterns_[i]); !filled) return filled;
  }
  return {};
}

Outcome<devices::HostBytes> CaseBuffers::read(std::size_t index) const {
  const auto size = static_cast<std::size_t>(oracle::buffer_bytes(case_->arguments[index]));
  devices::HostBytes bytes = device_->host_bytes(size);
  if (size == 0) return bytes;
  if (auto copied = device_->read(*buffers_[index], bytes.span()); !copied)
    return tl::make_unexpected(copied.error());
  return bytes;
}

Outcome<std::vector<devices::HostBytes>> CaseBuffers::read_outputs() const {
  std::vector<devices::HostBytes> all;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!model::is_judged(case_->arguments[i].role)) continue;
    auto bytes = read(i);
    if (!bytes) return tl::make_unexpected(bytes.error());
    all.push_back(std::move(*bytes));
  }
  return all;
}

std::vector<std::vector<std::uint8_t>> CaseBuffers::written_outputs() const {
  std::vector<std::vector<std::uint8_t>> all(buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (model::is_judged(case_->arguments[i].role)) all[i] = device_->written(*buffers_[i]);
  }
  return all;
}

Outcome<std::vector<devices::HostBytes>> CaseBuffers::read_all() const {
  std::vector<devices::HostBytes> all(buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!is_kept(case_->arguments[i])) continue;
    auto bytes = read(i);
    if (!bytes) return tl::make_unexpected(bytes.error());
    all[i] = std::move(*bytes);
  }
  return all;
}

Outcome<devices::Contents> CaseBuffers::read_all_with_guards() const {
  std::vector<devices::BufferPiece> wanted;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const model::BoundArgument& argument = case_->arguments[i];
    if (is_kept(argument))
      wanted.push_back({*buffers_[i], static_cast<std::size_t>(oracle::buffer_bytes(argument))});
  }
  auto contents = device_->read_with_guards(wanted);
  if (!contents) return contents;
  std::vector<devices::HostBytes> all(buffers_.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (is_kept(case_->arguments[i])) all[i] = std::move(contents->bytes[next++]);
  }
  contents->bytes = std::move(all);
  return contents;
}

}  // namespace evo::evaluators::gates
