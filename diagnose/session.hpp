// Module and buffers of one series of launches on a device; released at the end.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "model/variant.hpp"

namespace evo::diagnose {

class Session {
 public:
  Session(evaluators::devices::Device& device, const model::Case& bound) : device_(device), bound_(bound) {}
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  using Done = evaluators::devices::Outcome<void>;
  /// Again: the module that was loaded before is unloaded, and its device variables with it.
  [[nodiscard]] Done load(const model::Artifact& artifact);
  [[nodiscard]] Done allocate(unsigned shift);
  /// A buffer that becomes one more argument, behind the problem's.
  [[nodiscard]] Done append_buffer(std::span<const std::byte> contents, const char* name);
  [[nodiscard]] Done write_inputs(const std::vector<std::vector<std::byte>>& inputs);
  [[nodiscard]] Done write(std::size_t index, std::span<const std::byte> contents);
  /// Outputs (workspaces) get NaN patterns that count as unwritten, or zeros.
  [[nodiscard]] Done poison(model::ArgumentRole role, std::uint32_t draw);
  [[nodiscard]] Done zero(model::ArgumentRole role);
  [[nodiscard]] Done launch(const evaluators::devices::LaunchOptions& options);
  /// Whole contents of argument `index`; behind the problem's: of the appended buffer.
  [[nodiscard]] evaluators::devices::Outcome<std::vector<std::byte>> read(std::size_t index,
                                                                          std::size_t bytes);
  [[nodiscard]] std::uint32_t pattern(std::size_t index) const { return patterns_[index]; }

 private:
  evaluators::devices::Device& device_;
  const model::Case& bound_;
  std::optional<evaluators::devices::ModuleId> module_;
  std::vector<std::optional<evaluators::devices::BufferId>> buffers_;
  std::vector<evaluators::devices::KernelArgument> arguments_;
  std::vector<std::uint32_t> patterns_;
};

}  // namespace evo::diagnose
