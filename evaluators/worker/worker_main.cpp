#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include <tbb/global_control.h>

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/process/confine.hpp"
#include "evaluators/worker/protocol.hpp"
#include "evaluators/worker/serve.hpp"
#include "model/error.hpp"

namespace evo::evaluators::worker {

namespace {

constexpr std::int64_t most_open_files = 1024;
/// Shared memory files of the driver count too.
constexpr std::int64_t most_file_bytes = std::int64_t{8} << 30;

/// Settings of the user's shell that would defeat the watchdog or put loading into the first launch.
void settle_environment() {
  ::unsetenv("CUDA_LAUNCH_BLOCKING");
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  // Waits for the GPU are sleeps of some microseconds, which the kernel would make 50 longer.
  ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
}

}  // namespace

int worker_main(const WorkerOptions& options, oracle::Catalogue known) {
  process::claim_stdout();
  settle_environment();
  std::optional<tbb::global_control> few;
  if (options.threads > 0)
    few.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(options.threads));
  int code = 0;
  try {
    const auto ordinal = cuda::parse_cuda_ordinal(options.device);
    if (!ordinal) {
      throw model::Exception(model::ExitCode::usage,
                             fmt::format("a worker serves cuda:N, not \"{}\"", options.device));
    }
    const auto context = cuda::open_context(*ordinal);
    cuda::share_context(*context);
    cuda::load_helpers(*context);
    const devices::DeviceInfo info = cuda::CudaDevice(context).info();
    // After the driver has opened what it needs: a candidate's process reaches no network and starts nothing.
    static_cast<void>(process::deny_system_calls(process::Confinement::device));
    process::limit_files(most_open_files, most_file_bytes);
    const auto make_device = [&context](std::function<void()> progress) {
      return std::make_unique<cuda::CudaDevice>(context, std::move(progress));
    };
    const auto side = std::make_shared<reference::SideDevice>(
        options.device, [ordinal, &context] { return cuda::open_beside(*ordinal, *context); });
    code = serve(info, make_device, std::move(known), side, options.shared);
    if (code == device_lost_exit) ::_exit(code);
  } catch (const model::Exception& error) {
    code = static_cast<int>(error.code());
    static_cast<void>(
        process::write_stdout_frame(encode(MessageType::error, to_json(WorkerError{code, error.what()}))));
  }
  return code;
}

}  // namespace evo::evaluators::worker
