// The Device port on an NVIDIA GPU, through the driver API. Runs inside a worker process: a candidate that
// faults or hangs takes the context down, and only a new process has a new one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::cuda {

class CudaContext;

/// Opens `cuda:ordinal`. Throws model::Exception(environment) without a driver or without that device.
[[nodiscard]] std::shared_ptr<CudaContext> open_context(int ordinal);

/// All devices that are opened on `context` take turns with the other processes which share its GPU so.
void share_context(CudaContext& context);

/// A device on the GPU `cuda:ordinal` for a thread beside the one that opened `own`, which outlives it: it
/// takes turns like that one. Call it on that thread. Throws like open_context().
[[nodiscard]] std::unique_ptr<devices::Device> open_beside(int ordinal, CudaContext& own);

/// Loads evo's own kernels (helper_kernels.hpp) now and not at the first launch that needs one: the driver
/// compiles them. Throws model::Exception(environment) when it cannot.
void load_helpers(CudaContext& context);

/// What stands around a buffer.
enum class Zones : std::uint8_t {
  guarded,  ///< bytes that check_guards() looks at
  none,     ///< nothing: a program that watches allocations sees the first byte past a buffer
};

/// Buffers and modules of one job on a context that outlives it. What the job leaves behind is released by
/// the destructor, unless the device is lost: then everything is abandoned to the end of the process.
class CudaDevice final : public devices::Device, public devices::LaunchConditions {
 public:
  /// `progress` is called whenever the device has answered (a copy, a finished launch): a sign of life for a
  /// watchdog on the host's side.
  explicit CudaDevice(std::shared_ptr<CudaContext> context, std::function<void()> progress = {},
                      Zones zones = Zones::guarded);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  [[nodiscard]] devices::DeviceInfo info() const override;
  [[nodiscard]] bool lost() const override;

  [[nodiscard]] devices::Outcome<devices::ModuleId> load(const model::Artifact& artifact) override;
  void unload(devices::ModuleId module) override;

  [[nodiscard]] devices::Outcome<devices::BufferId> allocate(const devices::BufferSpec& spec) override;
  void release(devices::BufferId buffer) override;
  [[nodiscard]] devices::Outcome<void> write(devices::BufferId buffer,
                                             std::span<const std::byte> bytes) override;
  [[nodiscard]] devices::Outcome<void> write_from(devices::BufferId buffer,
                                                  const devices::HostBytes& bytes) override;
  [[nodiscard]] devices::Outcome<void> read(devices::BufferId buffer, std::span<std::byte> bytes) override;
  [[nodiscard]] devices::HostBytes host_bytes(std::size_t bytes) override;
  [[nodiscard]] devices::DeviceLock lock_device() override;
  [[nodiscard]] devices::DeviceUsage usage() const override;
  [[nodiscard]] devices::Outcome<void> poison(devices::BufferId buffer, std::uint32_t pattern) override;
  [[nodiscard]] devices::Outcome<void> check_guards() override;
  [[nodiscard]] std::optional<std::uint64_t> digest(std::span<const std::byte> bytes) const override;
  [[nodiscard]] devices::Outcome<devices::Contents> read_with_guards(
      std::span<const devices::BufferPiece> wanted) override;
  [[nodiscard]] devices::Outcome<devices::Contents> read_pieces(
      std::span<const devices::BufferPiece> wanted) override;

  [[nodiscard]] devices::Outcome<devices::LaunchReport> launch(
      devices::ModuleId module, const model::LaunchPlan& plan,
      std::span<const devices::KernelArgument> arguments, const devices::LaunchOptions& options) override;
  /// Waits for every launch; each may take its own LaunchOptions::timeout_ms after the one before it.
  [[nodiscard]] devices::Outcome<void> synchronize() override;
  [[nodiscard]] std::size_t launches_ended() const override;
  [[nodiscard]] devices::Outcome<std::optional<std::uint64_t>> resident_blocks(
      devices::ModuleId module, const model::LaunchPlan& plan) override;

  [[nodiscard]] devices::LaunchConditions* launch_conditions() override { return this; }
  [[nodiscard]] devices::Outcome<void> fill_shared(std::uint32_t pattern) override;
  [[nodiscard]] devices::Outcome<void> flush_cache() override;
  [[nodiscard]] devices::Outcome<void> start_load(std::chrono::microseconds duration) override;
  [[nodiscard]] std::optional<std::string> held_clocks() override;

  [[nodiscard]] devices::Outcome<Timing> time(
      devices::ModuleId module, const model::LaunchPlan& plan,
      std::span<const std::vector<devices::KernelArgument>> argument_sets,
      const devices::TimingProtocol& protocol) override;

  /// Work of another library: puts one launch on buffer set `set` into `stream` (a CUstream) and does not
  /// wait. It may be captured into a graph.
  using StreamWork = std::function<devices::Outcome<void>(void* stream, std::size_t set)>;
  /// Runs `work` once on set 0 and waits for it. `name` is for errors.
  [[nodiscard]] devices::Outcome<void> run(const std::string& name, const StreamWork& work);
  /// As time() of a kernel, with launches that rotate over `sets` sets.
  [[nodiscard]] devices::Outcome<Timing> time(const std::string& name, std::size_t sets,
                                              const StreamWork& work,
                                              const devices::TimingProtocol& protocol);
  /// Where a buffer lies on the device, for such work.
  [[nodiscard]] std::uint64_t address(devices::BufferId buffer) const;

 private:
  struct State;
  [[nodiscard]] devices::Outcome<devices::Contents> read_contents(
      std::span<const devices::BufferPiece> wanted, bool with_guards);
  std::unique_ptr<State> state_;
};

struct CudaDeviceEntry {
  int ordinal = 0;
  devices::DeviceInfo info;
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t free_bytes = 0;  ///< of memory_bytes; all of them where NVML does not tell
  std::int64_t l2_bytes = 0;
};
struct CudaDeviceList {
  std::vector<CudaDeviceEntry> devices;
  std::string reason;  ///< why there is none, one sentence; empty otherwise
};
/// Never throws for an absent driver or device. Does not create a context.
[[nodiscard]] CudaDeviceList list_cuda_devices();

/// 0 for "cuda:0"; nullopt if the text is no CUDA device.
[[nodiscard]] std::optional<int> parse_cuda_ordinal(std::string_view text);

}  // namespace evo::evaluators::cuda
