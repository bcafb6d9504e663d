#include "session/device_choice.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

#include <sys/random.h>

#include <fmt/format.h>

#include "model/error.hpp"
#include "model/gpu_names.hpp"

namespace evo::session {
namespace {

using evaluators::cuda::CudaDeviceEntry;
using evaluators::cuda::CudaDeviceList;

/// 89 of "sm_89" or "sm_90a".
int arch_number(const std::string& arch) {
  return arch.starts_with("sm_") ? std::atoi(arch.c_str() + 3) : 0;
}

/// Throws model::Exception(environment) when there is no such GPU or it is too old.
const CudaDeviceEntry& entry_of(const std::string& wanted, int ordinal, const model::TargetProfile& target,
                                const CudaDeviceList& list) {
  for (const auto& entry : list.devices) {
    if (entry.ordinal != ordinal) continue;
    if (arch_number(entry.info.arch) < arch_number(target.arch)) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("{} is a {} ({}), older than the target {} ({}): it cannot run the target's code. "
                      "Choose an older target, or --device virtual",
                      wanted, entry.info.name, entry.info.arch, target.name, target.arch));
    }
    return entry;
  }
  throw model::Exception(
      model::ExitCode::environment,
      fmt::format("there is no device {}: {}", wanted,
                  list.reason.empty() ? fmt::format("{} found", list.devices.size()) : list.reason));
}

std::string name_of(const CudaDeviceEntry& entry) {
  return fmt::format("cuda:{}", entry.ordinal);
}

/// Those of the model that there is most of, of equally many the first; `left_out` names the others.
std::vector<const CudaDeviceEntry*> most_of_one_model(const model::TargetProfile& target,
                                                      const CudaDeviceList& list, std::string& left_out) {
  std::map<std::string, int> count;
  for (const auto& entry : list.devices) {
    if (arch_number(entry.info.arch) >= arch_number(target.arch)) ++count[entry.info.name];
  }
  const CudaDeviceEntry* first = nullptr;
  for (const auto& entry : list.devices) {
    if (count.contains(entry.info.name) &&
        (first == nullptr || count[entry.info.name] > count[first->info.name]))
      first = &entry;
  }
  std::vector<const CudaDeviceEntry*> taken;
  for (const auto& entry : list.devices) {
    if (first != nullptr && entry.info.name == first->info.name) {
      taken.push_back(&entry);
    } else {
      left_out += fmt::format("{}{} ({}{})", left_out.empty() ? "" : ", ", name_of(entry), entry.info.name,
                              count.contains(entry.info.name) ? "" : ", too old for the target");
    }
  }
  return taken;
}

}  // namespace

DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target) {
  if (wanted == "virtual") return {"virtual", {}};
  return choose_device(wanted, target, evaluators::cuda::list_cuda_devices());
}

DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target,
                           const CudaDeviceList& list) {
  if (wanted == "virtual") return {"virtual", {}};
  const int needed = arch_number(target.arch);
  if (wanted == "auto") {
    for (const auto& entry : list.devices) {
      if (arch_number(entry.info.arch) < needed) continue;
      return {
          name_of(entry),
          fmt::format("device auto: measuring on {} under the limits of {}", entry.info.name, target.name),
          {name_of(entry)},
          entry.free_bytes};
    }
    const std::string why = list.devices.empty()
                                ? list.reason
                                : fmt::format("no GPU here runs code for {} ({})", target.name, target.arch);
    return {"virtual", fmt::format("device auto: {}; using the virtual device, latencies are modelled", why)};
  }
  DeviceChoice choice = choose_devices(wanted, target, list);
  if (choice.gpus.size() == 1 && choice.gpus.front() == wanted) return choice;
  choice.gpus.resize(1);
  choice.id = choice.gpus.front();
  choice.note = fmt::format("of {} this takes one: {}", wanted, choice.id);
  return choice;
}

DeviceChoice choose_devices(const std::string& wanted, const model::TargetProfile& target) {
  if (wanted == "virtual") return {"virtual", {}};
  return choose_devices(wanted, target, evaluators::cuda::list_cuda_devices());
}

DeviceChoice choose_devices(const std::string& wanted, const model::TargetProfile& target,
                            const CudaDeviceList& list) {
  if (wanted == "virtual" || wanted == "auto") return choose_device(wanted, target, list);
  const auto ordinals = model::gpus_named(wanted);
  std::vector<const CudaDeviceEntry*> taken;
  DeviceChoice choice{wanted, {}};
  if (ordinals && ordinals->empty()) {
    std::string left_out;
    taken = most_of_one_model(target, list, left_out);
    if (taken.empty() && !left_out.empty()) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("no GPU here runs code for {} ({}): {}", target.name, target.arch, left_out));
    }
    if (!left_out.empty()) choice.note = fmt::format("a run has GPUs of one model; left out: {}", left_out);
  }
  for (const int ordinal : ordinals.value_or(std::vector<int>()))
    taken.push_back(&entry_of(fmt::format("cuda:{}", ordinal), ordinal, target, list));
  // The words of a GPU that is not there.
  if (taken.empty()) static_cast<void>(entry_of(wanted, -1, target, list));
  for (const CudaDeviceEntry* entry : taken) {
    if (entry->info.name != taken.front()->info.name) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("{} is a {} and {} a {}: a run compares latencies, so its GPUs are of one model. Start "
                      "a run for "
                      "each, and compare their champions",
                      name_of(*taken.front()), taken.front()->info.name, name_of(*entry), entry->info.name));
    }
    choice.gpus.push_back(name_of(*entry));
    choice.free_bytes =
        std::min(entry == taken.front() ? entry->free_bytes : choice.free_bytes, entry->free_bytes);
  }
  return choice;
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
