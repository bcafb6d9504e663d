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

[[noreturn]] void throw_needs_run() {
  throw model::Exception(
      model::ExitCode::usage,
      "the device \"farm\" is the GPUs of a farm's workers, which only a run has (evo run EXPERIMENT "
      "--device farm --farm URL): name another one here, --device virtual or cuda:N");
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

void add_gpu(DeviceChoice& choice, const CudaDeviceEntry& entry) {
  choice.free_bytes = choice.gpus.empty() ? entry.free_bytes : std::min(choice.free_bytes, entry.free_bytes);
  choice.gpus.push_back(name_of(entry));
}

/// Of that model among the others, which is made if it is not there.
DeviceChoice& other_of(DeviceChoice& choice, const std::string& model) {
  const auto found = std::ranges::find(choice.others, model, &DeviceChoice::model);
  if (found != choice.others.end()) return *found;
  choice.others.emplace_back().model = model;
  return choice.others.back();
}

/// "cuda:0,2"
std::string listed(const std::vector<std::string>& gpus) {
  std::string list;
  for (const std::string& gpu : gpus) list += list.empty() ? gpu : "," + gpu.substr(gpu.find(':') + 1);
  return list;
}

/// Those of the model that there is most of, of equally many the first; behind them those of other models, or
/// `left_out` names these, and always those that are too old.
std::vector<const CudaDeviceEntry*> most_of_one_model(const model::TargetProfile& target,
                                                      const CudaDeviceList& list, Models models,
                                                      std::string& left_out) {
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
  std::vector<const CudaDeviceEntry*> taken, others;
  for (const auto& entry : list.devices) {
    if (first != nullptr && entry.info.name == first->info.name) {
      taken.push_back(&entry);
    } else if (models == Models::several && count.contains(entry.info.name)) {
      others.push_back(&entry);
    } else {
      left_out += fmt::format("{}{} ({}{})", left_out.empty() ? "" : ", ", name_of(entry), entry.info.name,
                              count.contains(entry.info.name) ? "" : ", too old for the target");
    }
  }
  taken.insert(taken.end(), others.begin(), others.end());
  return taken;
}

}  // namespace

int arch_number(const std::string& arch) {
  return arch.starts_with("sm_") ? std::atoi(arch.c_str() + 3) : 0;
}

DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target) {
  if (wanted == "virtual") return {"virtual", {}};
  if (wanted == model::device_of_farm) throw_needs_run();
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
  DeviceChoice choice = choose_devices(wanted, target, list, Models::several);
  if (choice.gpus.size() == 1 && choice.gpus.front() == wanted) return choice;
  choice.gpus.resize(1);
  choice.others.clear();
  choice.id = choice.gpus.front();
  choice.note = fmt::format("of {} this takes one: {}", wanted, choice.id);
  return choice;
}

DeviceChoice choose_devices(const std::string& wanted, const model::TargetProfile& target, Models models) {
  if (wanted == "virtual") return {"virtual", {}};
  if (wanted == model::device_of_farm) {
    if (models == Models::one) throw_needs_run();
    return {std::string(model::device_of_farm), {}};
  }
  return choose_devices(wanted, target, evaluators::cuda::list_cuda_devices(), models);
}

DeviceChoice choose_devices(const std::string& wanted, const model::TargetProfile& target,
                            const CudaDeviceList& list, Models models) {
  if (wanted == "virtual" || wanted == "auto") return choose_device(wanted, target, list);
  const auto ordinals = model::gpus_named(wanted);
  std::vector<const CudaDeviceEntry*> taken;
  DeviceChoice choice{wanted, {}};
  if (ordinals && ordinals->empty()) {
    std::string left_out;
    taken = most_of_one_model(target, list, models, left_out);
    if (taken.empty() && !left_out.empty()) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("no GPU here runs code for {} ({}): {}", target.name, target.arch, left_out));
    }
    if (!left_out.empty())
      choice.note = fmt::format("{}left out: {}",
                                models == Models::one ? "a run has GPUs of one model; " : "", left_out);
  }
  for (const int ordinal : ordinals.value_or(std::vector<int>()))
    taken.push_back(&entry_of(fmt::format("cuda:{}", ordinal), ordinal, target, list));
  // The words of a GPU that is not there.
  if (taken.empty()) static_cast<void>(entry_of(wanted, -1, target, list));
  choice.model = taken.front()->info.name;
  for (const CudaDeviceEntry* entry : taken) {
    if (entry->info.name == choice.model) {
      add_gpu(choice, *entry);
      continue;
    }
    if (models == Models::one) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format(
              "{} is a {} and {} a {}: only GPUs of one model are compared here, so name those of one",
              name_of(*taken.front()), taken.front()->info.name, name_of(*entry), entry->info.name));
    }
    add_gpu(other_of(choice, entry->info.name), *entry);
  }
  for (DeviceChoice& other : choice.others) {
    other.id = listed(other.gpus);
    choice.note += fmt::format("{}trials run on {}; {} ({}) has champions of its own",
                               choice.note.empty() ? "" : "; ", choice.model, other.model, other.id);
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
