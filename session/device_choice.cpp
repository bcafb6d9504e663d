#include "session/device_choice.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <sys/random.h>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::session {
namespace {

/// 89 of "sm_89" or "sm_90a".
int arch_number(const std::string& arch) {
  return arch.starts_with("sm_") ? std::atoi(arch.c_str() + 3) : 0;
}

}  // namespace

DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target) {
  if (wanted == "virtual") return {"virtual", {}};
  return choose_device(wanted, target, evaluators::cuda::list_cuda_devices());
}

DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target,
                           const evaluators::cuda::CudaDeviceList& list) {
  if (wanted == "virtual") return {"virtual", {}};
  const int needed = arch_number(target.arch);
  if (wanted == "auto") {
    for (const auto& entry : list.devices) {
      if (arch_number(entry.info.arch) < needed) continue;
      return {
          fmt::format("cuda:{}", entry.ordinal),
          fmt::format("device auto: measuring on {} under the limits of {}", entry.info.name, target.name)};
    }
    const std::string why = list.devices.empty()
                                ? list.reason
                                : fmt::format("no GPU here runs code for {} ({})", target.name, target.arch);
    return {"virtual", fmt::format("device auto: {}; using the virtual device, latencies are modelled", why)};
  }
  const auto ordinal = evaluators::cuda::parse_cuda_ordinal(wanted);
  for (const auto& entry : list.devices) {
    if (!ordinal || entry.ordinal != *ordinal) continue;
    if (arch_number(entry.info.arch) < needed) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("{} is a {} ({}), older than the target {} ({}): it cannot run the target's code. "
                      "Choose an older target, or --device virtual",
                      wanted, entry.info.name, entry.info.arch, target.name, target.arch));
    }
    return {wanted, {}};
  }
  throw model::Exception(
      model::ExitCode::environment,
      fmt::format("there is no device {}: {}", wanted,
                  list.reason.empty() ? fmt::format("{} found", list.devices.size()) : list.reason));
}

std::uint64_t draw_entropy() {
  std::uint64_t value = 0;
  if (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("the system gives no random numbers: {}", std::strerror(errno)));
  }
  // 63 bits: fits SQLite's and YAML's signed integers.
  return value >> 1;
}

int threads_or_cores(int threads) {
  return threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace evo::session
