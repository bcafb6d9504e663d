// Runs PTX text on the warp machine: buffers by value, launches by a few numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/devices/virtual/memory.hpp"
#include "evaluators/devices/virtual/ptx/load_program.hpp"
#include "evaluators/devices/virtual/warp/machine.hpp"

namespace evo::tests::warp {

namespace vd = evo::evaluators::virtual_device;

/// A kernel and the buffers of its launches.
class Kernel {
 public:
  Kernel(std::string_view ptx, std::string_view entry, bool wide_vectors = true) {
    auto loaded = vd::ptx::load_program(ptx, entry);
    if (!loaded) {
      throw std::runtime_error(loaded.error().reason + ": " +
                               (loaded.error().evidence.empty() ? "" : loaded.error().evidence[0].message));
    }
    program_ = std::make_unique<vd::Program>(std::move(*loaded));
    machine_ = std::make_unique<vd::warp::Machine>(*program_, wide_vectors);
  }

  /// A buffer with contents; returns its number.
  template <class T>
  std::size_t buffer(const std::vector<T>& values) {
    const std::size_t index = blank(values.size() * sizeof(T));
    buffers_[index]->write(std::as_bytes(std::span(values)));
    return index;
  }
  /// A buffer that nothing has written.
  std::size_t blank(std::size_t bytes) {
    const auto slot = static_cast<std::uint32_t>(vd::first_buffer_slot + buffers_.size());
    buffers_.push_back(
        std::make_unique<vd::Buffer>(slot, "buffer" + std::to_string(buffers_.size()), bytes, 0));
    return buffers_.size() - 1;
  }
  template <class T>
  [[nodiscard]] std::vector<T> contents(std::size_t index) const {
    std::vector<T> values(buffers_[index]->bytes() / sizeof(T));
    buffers_[index]->read(std::as_writable_bytes(std::span(values)));
    return values;
  }
  [[nodiscard]] std::uint64_t address(std::size_t index) const { return buffers_[index]->address(); }

  // Parameters, in order.
  Kernel& pointer(std::size_t index) { return scalar(address(index)); }
  template <class T>
  Kernel& scalar(T value) {
    const std::size_t at = (parameters_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    parameters_.resize(at + sizeof(T));
    std::memcpy(parameters_.data() + at, &value, sizeof(T));
    return *this;
  }

  vd::Launch launch;  ///< grid, block, dynamic_smem and the rest, to be set by the test
  vd::warp::RunOptions options;

  vd::warp::WarpRun run() {
    vd::GlobalMap map;
    for (auto& buffer : buffers_) {
      buffer->refresh();
      map.map(buffer->region(), buffer->name());
    }
    launch.program = program_.get();
    launch.memory = &map;
    launch.parameters = parameters_;
    auto result = machine_->run(launch, options);
    launch.memory = nullptr;
    return result;
  }
  [[nodiscard]] const vd::Program& program() const { return *program_; }

 private:
  std::unique_ptr<vd::Program> program_;
  std::unique_ptr<vd::warp::Machine> machine_;
  std::vector<std::unique_ptr<vd::Buffer>> buffers_;
  std::vector<std::byte> parameters_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace evo::tests::warp
