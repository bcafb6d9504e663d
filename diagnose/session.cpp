#include "diagnose/session.hpp"

#include <algorithm>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/records.hpp"

namespace evo::diagnose {

namespace devices = evaluators::devices;
namespace gates = evaluators::gates;
namespace oracle = evaluators::oracle;

Session::~Session() {
  if (device_.lost()) return;
  for (const auto& buffer : buffers_) {
    if (buffer) device_.release(*buffer);
  }
  if (module_) device_.unload(*module_);
}

Session::Done Session::load(const model::Artifact& artifact) {
  if (module_) device_.unload(*module_);
  module_.reset();
  const auto loaded = device_.load(artifact);
  if (!loaded) return tl::make_unexpected(loaded.error());
  module_ = *loaded;
  return {};
}

Session::Done Session::allocate(unsigned shift) {
  // Its buffers are one an argument.
  if (model::record_parameters(bound_.arguments)) {
    return tl::make_unexpected(model::Failure{
        model::Status::unsupported,
        "unsupported",
        {{"", "arrays of structs with members of several types are not looked into", "", 0, {}}}});
  }
  for (const model::BoundArgument& argument : bound_.arguments) {
    patterns_.push_back(0);
    if (argument.role == model::ArgumentRole::scalar) {
      buffers_.emplace_back(std::nullopt);
      arguments_.emplace_back(gates::scalar_bytes(argument));
      continue;
    }
    const auto buffer = device_.allocate(gates::buffer_spec(argument, gates::misalignment(shift++)));
    if (!buffer) return tl::make_unexpected(buffer.error());
    buffers_.emplace_back(*buffer);
    arguments_.emplace_back(gates::buffer_argument(argument, *buffer));
  }
  return {};
}

Session::Done Session::append_buffer(std::span<const std::byte> contents, const char* name) {
  const auto buffer = device_.allocate({contents.size(), 0, name});
  if (!buffer) return tl::make_unexpected(buffer.error());
  patterns_.push_back(0);
  buffers_.emplace_back(*buffer);
  arguments_.emplace_back(devices::BufferArgument{*buffer});
  return device_.write(*buffer, contents);
}

Session::Done Session::write(std::size_t index, std::span<const std::byte> contents) {
  return device_.write(*buffers_[index], contents);
}

Session::Done Session::write_inputs(const std::vector<std::vector<std::byte>>& inputs) {
  for (std::size_t i = 0; i < bound_.arguments.size(); ++i) {
    if (!model::is_given(bound_.arguments[i].role) || inputs[i].empty()) continue;
    if (auto done = device_.write(*buffers_[i], inputs[i]); !done) return done;
  }
  return {};
}

Session::Done Session::poison(model::ArgumentRole role, std::uint32_t draw) {
  for (std::size_t i = 0; i < bound_.arguments.size(); ++i) {
    if (bound_.arguments[i].role != role || bound_.arguments[i].zeroed) continue;
    patterns_[i] =
        oracle::poison_pattern(bound_.arguments[i].dtype, draw + static_cast<std::uint32_t>(i), false);
    if (auto done = device_.poison(*buffers_[i], patterns_[i]); !done) return done;
  }
  return {};
}

Session::Done Session::zero(model::ArgumentRole role) {
  for (std::size_t i = 0; i < bound_.arguments.size(); ++i) {
    if (bound_.arguments[i].role != role) continue;
    const std::vector<std::byte> zeros(static_cast<std::size_t>(oracle::buffer_bytes(bound_.arguments[i])));
    if (auto done = device_.write(*buffers_[i], zeros); !done) return done;
  }
  return {};
}

Session::Done Session::launch(const devices::LaunchOptions& options) {
  const auto launched = device_.launch(*module_, bound_.launch, arguments_, options);
  if (!launched) return tl::make_unexpected(launched.error());
  if (auto done = device_.synchronize(); !done) return done;
  return device_.check_guards();
}

devices::Outcome<std::vector<std::byte>> Session::read(std::size_t index, std::size_t bytes) {
  std::vector<std::byte> contents(bytes);
  if (contents.empty()) return contents;
  if (auto done = device_.read(*buffers_[index], contents); !done) return tl::make_unexpected(done.error());
  return contents;
}

}  // namespace evo::diagnose
