// What a CudaDevice holds: buffers, modules, and launches that nobody has waited for yet.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/devices/cuda/arguments.hpp"
#include "evaluators/devices/cuda/context.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/cuda/guard.hpp"
#include "evaluators/devices/cuda/handles.hpp"
#include "evaluators/devices/cuda/helper_kernels.hpp"
#include "evaluators/devices/cuda/textures.hpp"

namespace evo::evaluators::cuda {

/// For a copy or fill of gigabytes: far above what any takes, so that only a dead device exceeds it.
inline constexpr double copy_limit_ms = 30'000;

/// The driver's launch queue holds about a thousand entries and then blocks the caller, out of the watchdog's
/// reach.
inline constexpr std::size_t max_pending = 256;

struct CudaDevice::State {
  struct Buffer {
    Memory memory;
    GuardedLayout layout;
    std::string name;
    bool zeroed = false;  ///< before every launch
    /// Of a buffer that is put back before every launch: what write() gave it, contents_of() bytes.
    std::optional<Memory> original{};
    /// A buffer in parts has these instead of `memory`, and no guard zones: beside its parts nothing is
    /// mapped.
    std::optional<ScatteredMemory> scattered{};
    std::string geometry{};  ///< of `scattered`, for the pool
    std::vector<devices::BufferPart> parts{};
    std::vector<TextureObject> textures{};  ///< that were asked for, each once
    [[nodiscard]] CUdeviceptr base() const {
      return (scattered ? scattered->base() : memory.get()) + layout.front;
    }
    void abandon() {
      memory.abandon();
      if (original) original->abandon();
      if (scattered) scattered->abandon();
      for (TextureObject& texture : textures) texture.abandon();
    }
  };
  struct Kernel {
    CUfunction function = nullptr;
    std::string entry;
    std::vector<std::size_t> parameter_bytes;
    std::uint32_t dynamic_smem = 0;  ///< what the function was opted in for
    bool cooperative = false;        ///< waits for its whole grid
  };
  /// A variable of a module that launches write and put back. It holds `original` before every launch, and is
  /// compared with it where guard zones are looked at.
  struct Kept {
    model::KeptVariable variable;
    CUdeviceptr address = 0;
    std::uint64_t bytes = 0;
    Memory original;
  };
  struct Loaded {
    Module module;
    std::vector<Kernel> kernels;  ///< as LaunchPlan::kernel counts them
    std::string ptx;              ///< says what its variables are called
    std::vector<Kept> kept{};
  };
  /// A kernel of a plan with its arguments.
  struct Ready {
    const Kernel* kernel;
    const model::LaunchPlan* plan;
    PackedArguments arguments;
    std::vector<devices::BufferId> surfaces{};  ///< whose buffers are zeroed or put back in front of it
  };
  struct Pending {
    Event event;
    std::string action;
    double limit_ms = 0;
  };

  State(std::shared_ptr<CudaContext> opened, std::function<void()> on_progress)
      : context(std::move(opened)),
        progress(std::move(on_progress)),
        held_before(context->turns().held_seconds()),
        waiting_before(context->turns().waiting_seconds()) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Error of the driver as an unexpected value; success as a value.
  [[nodiscard]] devices::Outcome<void> check(CUresult result, const std::string& action);
  /// Waits for the pending launches in order; first of all it refuses if the context is lost.
  [[nodiscard]] devices::Outcome<void> settle();
  /// Memory for mark_end(), before a launch is under way.
  [[nodiscard]] devices::Outcome<void> make_marks();
  /// Behind the launch that was put into the stream last: tells the host that it has ended, which no event
  /// says any more once a later launch has taken the context down.
  [[nodiscard]] devices::Outcome<void> mark_end();
  /// Waits for all that was put into the stream, after settle(): a copy or a fill.
  [[nodiscard]] devices::Outcome<void> drain(const std::string& action, double limit_ms = copy_limit_ms);
  /// `due_ms`: when it is expected to happen, from now on (CudaContext::wait).
  [[nodiscard]] devices::Outcome<void> wait_for(CUevent event, const std::string& action, double limit_ms,
                                                double due_ms = 0);
  [[nodiscard]] Event take_event();
  /// "; SM clock 1980 MHz" or with the reason that holds it down; empty without NVML.
  [[nodiscard]] std::string clocks_lately();

  [[nodiscard]] devices::Outcome<void> opt_in_shared_memory(Kernel& kernel, std::uint32_t bytes);
  /// Those of `arguments` that the kernel takes, and after them the plan's tensor maps.
  [[nodiscard]] devices::Outcome<PackedArguments> pack(const Kernel& kernel, const model::LaunchPlan& plan,
                                                       std::span<const devices::KernelArgument> arguments);
  /// All kernels of the plan; what is zeroed is so in front of the first.
  [[nodiscard]] devices::Outcome<std::vector<Ready>> make_ready(
      devices::ModuleId module, const model::LaunchPlan& plan,
      std::span<const devices::KernelArgument> arguments);
  /// Puts one launch into the stream; a capture is under way or a watchdog event follows.
  [[nodiscard]] CUresult enqueue(std::vector<Ready>& kernels);
  /// Copies the plan's symbols into the module's variables, in the stream.
  [[nodiscard]] devices::Outcome<void> fill_symbols(devices::ModuleId module, const model::LaunchPlan& plan,
                                                    std::span<const devices::KernelArgument> arguments);

  /// Finds the variables that launches have to leave as they found them, and copies what they hold.
  [[nodiscard]] devices::Outcome<std::vector<Kept>> keep_variables(const model::Artifact& artifact,
                                                                   CUmodule module);

  /// What the kernel takes for this view of the buffer, whose array is made and filled if it is new.
  [[nodiscard]] devices::Outcome<std::uint64_t> texture_handle(const devices::BufferArgument& argument);
  /// The buffer has been written: so are its arrays.
  [[nodiscard]] devices::Outcome<void> fill_textures(const Buffer& buffer);
  /// The buffer will be read: what kernels wrote to its surface comes back.
  [[nodiscard]] devices::Outcome<void> bring_back_surfaces(const Buffer& buffer);

  /// A buffer of `spec`, which has parts.
  [[nodiscard]] devices::Outcome<Buffer> scatter(const devices::BufferSpec& spec, const std::string& action);
  /// Memory for what a buffer of `spec` gets back before every launch; nothing where it gets nothing.
  [[nodiscard]] devices::Outcome<void> keep_original(const devices::BufferSpec& spec, Buffer& buffer,
                                                     const std::string& action);
  /// To the pool.
  void give_back(Buffer buffer);
  /// Whether it stands between guard zones.
  [[nodiscard]] bool has_zones(const Buffer& buffer) const { return zone_bytes > 0 && !buffer.scattered; }
  /// What stands around the buffer `id`.
  [[nodiscard]] static GuardZones zones_of(devices::BufferId id, const Buffer& buffer);
  /// Fills the zones of what was allocated since the last call, in the stream: before anything is launched.
  [[nodiscard]] devices::Outcome<void> fill_new_zones();
  /// Fills `bytes` bytes with the pattern, whose phase is that of the address's distance `at` from the
  /// pattern's start.
  [[nodiscard]] devices::Outcome<void> fill(CUdeviceptr address, std::uint64_t bytes, std::uint32_t pattern,
                                            std::uint64_t at, const std::string& action);

  /// Times replays of a graph into which `launch_set` puts one launch a call.
  [[nodiscard]] devices::Outcome<devices::Device::Timing> time_replays(
      const std::string& action, std::size_t sets,
      const std::function<devices::Outcome<void>(std::size_t set)>& launch_set,
      const devices::TimingProtocol& protocol);

  /// Device memory from the pool, or from the driver once the pool has given back what it kept.
  [[nodiscard]] devices::Outcome<Memory> take_memory(std::uint64_t bytes, const std::string& action);

  [[nodiscard]] const Buffer& buffer(devices::BufferId id) const;
  [[nodiscard]] Loaded& loaded(devices::ModuleId id);
  /// launch_text() of each kernel of a plan, with " then " between them.
  [[nodiscard]] std::string text_of(devices::ModuleId module, const model::LaunchPlan& plan);
  [[nodiscard]] const DriverApi& driver() const { return context->driver(); }

  std::shared_ptr<CudaContext> context;
  std::function<void()> progress;
  std::map<devices::BufferId, Buffer> buffers;
  std::map<devices::ModuleId, Loaded> kernels;
  std::vector<devices::BufferId> without_zones;  ///< allocated, and not yet filled around
  std::vector<Pending> pending;
  /// 1 on the device, which is copied to the next of the words when a counted launch has ended.
  Memory mark;
  devices::HostBytes marks;
  std::size_t marked = 0;  ///< counted launches since the last settle()
  std::vector<Event> idle_events;
  std::vector<devices::HostBytes>
      in_flight;  ///< what copies to the device may still read, up to the next drain()
  std::uint64_t zone_bytes = guard_bytes;
  std::optional<std::chrono::steady_clock::time_point> clocks_asked;
  std::string clocks_told;
  double limit_ms = 2000;  ///< of the latest launch; time() uses it too
  std::uint32_t next_id = 1;
  double held_before, waiting_before;  ///< of the context's turns, when this device was made
};

/// "flash<<<(8,16,1),(128,1,1),49152>>>".
[[nodiscard]] std::string launch_text(const std::string& entry, const model::LaunchPlan& plan);

}  // namespace evo::evaluators::cuda
