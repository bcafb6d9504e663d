// The virtual device: the PTX machine behind the Device port.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "evaluators/devices/device.hpp"
#include "evaluators/devices/virtual/findings.hpp"
#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/memory.hpp"
#include "model/target.hpp"

namespace evo::evaluators::devices {

/// Runs artifacts from their PTX, on the CPU. Limits (threads per block, shared memory) are those of
/// `target`.
///
/// launch(): CheckLevel::none runs the warp machine with bounds only; filtered runs it with its filter, and
/// when that raises a suspicion or a fault, takes the buffers back to what they held and runs the launch
/// again in the exact machine, whose verdict stands; exact goes there directly. What fails: sanitizer_fail
/// with the kind of the first finding as reason (races before what they cause), timeout / "hang",
/// device_fault / "trap" or "assertion", unsupported with the instruction's text, launch_error for a plan
/// that no GPU of this target takes. After a failed launch the buffers hold whatever it left.
///
/// A launch reaches the buffers among its arguments and nothing else. Of a plan of several kernels each runs
/// when the one before has ended, finds what that left and is checked on its own; the launch fails with the
/// first that does. Its report is of all: counts are sums, and unexecuted is what no launch of a kernel ran.
class VirtualDevice final : public Device {
 public:
  explicit VirtualDevice(model::TargetProfile target);
  ~VirtualDevice() override;

  [[nodiscard]] DeviceInfo info() const override;
  [[nodiscard]] Outcome<ModuleId> load(const model::Artifact& artifact) override;
  void unload(ModuleId module) override;
  [[nodiscard]] Outcome<BufferId> allocate(const BufferSpec& spec) override;
  void release(BufferId buffer) override;
  [[nodiscard]] Outcome<void> write(BufferId buffer, std::span<const std::byte> bytes) override;
  [[nodiscard]] Outcome<void> read(BufferId buffer, std::span<std::byte> bytes) override;
  [[nodiscard]] std::vector<std::uint8_t> written(BufferId buffer) override;
  [[nodiscard]] Outcome<void> poison(BufferId buffer, std::uint32_t pattern) override;
  /// Always passes: an access outside a buffer never reaches memory, it is a finding of its launch.
  [[nodiscard]] Outcome<void> check_guards() override;
  [[nodiscard]] Outcome<LaunchReport> launch(ModuleId module, const model::LaunchPlan& plan,
                                             std::span<const KernelArgument> arguments,
                                             const LaunchOptions& options) override;
  [[nodiscard]] Outcome<void> synchronize() override;
  [[nodiscard]] LaunchConditions* launch_conditions() override { return nullptr; }
  /// Helpers' CPU time for launches made on the calling thread, whichever device made them.
  [[nodiscard]] DeviceUsage usage() const override;
  /// One modelled sample, from the counts of one launch with the first argument set; of several kernels the
  /// sum.
  [[nodiscard]] Outcome<Timing> time(ModuleId module, const model::LaunchPlan& plan,
                                     std::span<const std::vector<KernelArgument>> argument_sets,
                                     const TimingProtocol& protocol) override;

 private:
  struct Module;
  struct Prepared;

  /// What comes before the first kernel of a plan: buffers that are zeroed, variables that hold an array.
  [[nodiscard]] Outcome<void> begin(ModuleId module, const model::LaunchPlan& plan,
                                    std::span<const KernelArgument> arguments);
  /// One kernel of a plan, on all arguments of the plan.
  [[nodiscard]] Outcome<Prepared> prepare(ModuleId module, const model::LaunchPlan& plan,
                                          std::span<const KernelArgument> arguments,
                                          const LaunchOptions& options);
  [[nodiscard]] Outcome<LaunchReport> run_one(const Prepared& prepared, CheckLevel checks);
  [[nodiscard]] Outcome<LaunchReport> run_exact(const Prepared& prepared);
  [[nodiscard]] Outcome<LaunchReport> run_unchecked(const Prepared& prepared);
  [[nodiscard]] Outcome<LaunchReport> run_filtered(const Prepared& prepared);
  /// How many blocks of a launch the target holds at a time; 0 if the profile does not say.
  [[nodiscard]] std::uint64_t resident_blocks(const Module& module, const model::LaunchPlan& plan) const;
  [[nodiscard]] virtual_device::Buffer& buffer(BufferId id);
  /// Calls use(part, bytes) for each part of the buffer, with the piece of `bytes` that is its own.
  template <class Bytes, class Use>
  void for_parts(BufferId id, Bytes bytes, const Use& use);

  model::TargetProfile target_;
  /// Parsed programs by the hash of PTX and entry.
  std::map<std::string, std::shared_ptr<const virtual_device::Program>, std::less<>> programs_;
  /// The kernels of each, as LaunchPlan::kernel counts them.
  std::map<ModuleId, std::vector<Module>> modules_;
  std::map<BufferId, std::unique_ptr<virtual_device::Buffer>> buffers_;
  /// Of buffers in parts: the parts behind the first, which are buffers of their own.
  std::map<BufferId, std::vector<BufferId>> further_parts_;
  std::uint32_t next_slot_ = virtual_device::first_buffer_slot;
  ModuleId next_module_ = 1;
};

}  // namespace evo::evaluators::devices
