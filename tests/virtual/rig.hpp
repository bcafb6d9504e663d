// A virtual device with fixtures: loads a kernel, holds its buffers, launches, and finds marked source lines.
#pragma once

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "model/target.hpp"

namespace evo::tests {

inline std::string fixture_text(const std::string& file) {
  std::ifstream in(std::string(EVO_SOURCE_DIR) + "/tests/virtual/fixtures/" + file);
  if (!in) throw std::runtime_error("no fixture " + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Line of "// MARK name" in a fixture's source.
inline int marked_line(const std::string& file, const std::string& name) {
  std::istringstream in(fixture_text(file));
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    const auto at = text.find("// MARK ");
    if (at != std::string::npos && text.substr(at + 8) == name) return line;
  }
  throw std::runtime_error("no mark " + name);
}

inline model::TargetProfile small_target() {
  model::TargetProfile target;
  target.name = "test";
  target.smem_per_block_optin = 100 * 1024;
  return target;
}

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

class Rig {
 public:
  using Arguments = std::vector<evaluators::devices::KernelArgument>;
  evaluators::devices::VirtualDevice device{small_target()};
  evaluators::devices::LaunchOptions options;

  /// Kernel of a PTX fixture ("clean.ptx"), or of PTX text that contains a newline.
  Rig(const std::string& ptx, const std::string& entry) {
    options.checks = evaluators::devices::CheckLevel::exact;
    model::Artifact artifact;
    artifact.ptx = ptx.find('\n') == std::string::npos ? fixture_text(ptx) : ptx;
    artifact.entry = entry;
    const auto loaded = device.load(artifact);
    if (!loaded)
      throw std::runtime_error(loaded.error().reason + ": " + loaded.error().evidence.front().message);
    module_ = *loaded;
  }

  template <class T>
  evaluators::devices::BufferId buffer(const std::string& name, const std::vector<T>& values,
                                       std::uint32_t misalignment = 0) {
    const auto id = empty<T>(name, values.size(), misalignment);
    if (!device.write(id, std::as_bytes(std::span(values)))) throw std::runtime_error("write");
    return id;
  }
  /// Not initialised.
  template <class T>
  evaluators::devices::BufferId empty(const std::string& name, std::size_t count,
                                      std::uint32_t misalignment = 0) {
    return device.allocate({count * sizeof(T), misalignment, name}).value();
  }
  template <class T>
  std::vector<T> contents(evaluators::devices::BufferId id, std::size_t count) {
    std::vector<T> values(count);
    if (!device.read(id, std::as_writable_bytes(std::span(values)))) throw std::runtime_error("read");
    return values;
  }

  evaluators::devices::Outcome<evaluators::devices::LaunchReport> launch(model::LaunchPlan plan,
                                                                         const Arguments& arguments) {
    return device.launch(module_, plan, arguments, options);
  }
  [[nodiscard]] evaluators::devices::ModuleId module() const { return module_; }

 private:
  evaluators::devices::ModuleId module_ = 0;
};

inline evaluators::devices::KernelArgument pointer(evaluators::devices::BufferId id) {
  return evaluators::devices::BufferArgument{id};
}
template <class T>
evaluators::devices::KernelArgument scalar(T value) {
  return bytes_of(value);
}

inline std::string detail(const model::Evidence& evidence, const std::string& key) {
  for (const auto& [name, value] : evidence.details) {
    if (name == key) return value;
  }
  return {};
}

}  // namespace evo::tests
