#include "evaluators/devices/cuda/nvml.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

namespace evo::evaluators::cuda {

// nvml.h is not part of every toolkit; these declarations follow NVIDIA's documented, stable ABI.
struct Nvml::Functions {
  using Device = void*;
  void* library = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_by_uuid)(const char*, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*throttle_reasons)(Device, unsigned long long*) = nullptr;
  // Not every device has these.
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  struct Memory {
    unsigned long long total = 0, free = 0, used = 0;
  };
  int (*memory)(Device, Memory*) = nullptr;
  int (*processes)(Device, unsigned*, void*) = nullptr;
  /// Clients of the Multi-Process Service, whose server alone is among the others.
  int (*clients)(Device, unsigned*, void*) = nullptr;
  bool tells_ids = false;  ///< `processes` fills Process; an older one has a smaller record
  struct Process {
    unsigned id = 0;
    unsigned long long bytes = 0;
    unsigned gpu_instance = 0, compute_instance = 0;
  };

  Functions() = default;
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;
  ~Functions() {
    if (library != nullptr) ::dlclose(library);
  }

  [[nodiscard]] bool resolve() {
    const auto find = [this](const char* name, auto& member) {
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(::dlsym(library, name));
      return member != nullptr;
    };
    static_cast<void>(find("nvmlDeviceGetTemperature", temperature));
    static_cast<void>(find("nvmlDeviceGetPowerUsage", power));
    static_cast<void>(find("nvmlDeviceGetMemoryInfo", memory));
    tells_ids = find("nvmlDeviceGetComputeRunningProcesses_v3", processes);
    static_cast<void>(find("nvmlDeviceGetMPSComputeRunningProcesses_v3", clients));
    if (!tells_ids) static_cast<void>(find("nvmlDeviceGetComputeRunningProcesses", processes));
    return find("nvmlInit_v2", init) && find("nvmlShutdown", shutdown) &&
           find("nvmlSystemGetDriverVersion", driver_version) &&
           find("nvmlDeviceGetHandleByUUID", device_by_uuid) && find("nvmlDeviceGetClockInfo", clock) &&
           find("nvmlDeviceGetCurrentClocksThrottleReasons", throttle_reasons);
  }
};

Nvml::Nvml(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}
Nvml::~Nvml() {
  functions_->shutdown();
}

std::unique_ptr<Nvml> Nvml::open(const char* library) {
  auto functions = std::make_unique<Functions>();
  functions->library = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (functions->library == nullptr || !functions->resolve() || functions->init() != 0) return nullptr;
  return std::unique_ptr<Nvml>(new Nvml(std::move(functions)));
}

std::string Nvml::driver_version() const {
  char text[96] = {};
  return functions_->driver_version(text, sizeof text) == 0 ? std::string(text) : std::string();
}

std::optional<Nvml::Clocks> Nvml::clocks(const std::string& uuid) const {
  constexpr int sm_clock = 1;
  constexpr int memory_clock = 2;
  Functions::Device device = nullptr;
  if (functions_->device_by_uuid(uuid.c_str(), &device) != 0) return std::nullopt;
  Clocks clocks;
  if (functions_->clock(device, sm_clock, &clocks.sm_mhz) != 0) return std::nullopt;
  if (functions_->clock(device, memory_clock, &clocks.memory_mhz) != 0) clocks.memory_mhz = 0;
  unsigned long long reasons = 0;
  clocks.tells_throttle = functions_->throttle_reasons(device, &reasons) == 0;
  if (clocks.tells_throttle) clocks.throttle = throttle_words(reasons);
  return clocks;
}

Nvml::Conditions Nvml::conditions(const std::string& uuid) const {
  constexpr int gpu_sensor = 0;
  constexpr double milliwatts = 1000;
  Conditions found;
  Functions::Device device = nullptr;
  if (functions_->device_by_uuid(uuid.c_str(), &device) != 0) return found;
  unsigned value = 0;
  if (functions_->temperature != nullptr && functions_->temperature(device, gpu_sensor, &value) == 0)
    found.temperature_c = value;
  if (functions_->power != nullptr && functions_->power(device, &value) == 0)
    found.power_w = value / milliwatts;
  return found;
}

std::optional<std::uint64_t> Nvml::free_bytes(const std::string& uuid) const {
  Functions::Device device = nullptr;
  Functions::Memory memory;
  if (functions_->memory == nullptr || functions_->device_by_uuid(uuid.c_str(), &device) != 0 ||
      functions_->memory(device, &memory) != 0)
    return std::nullopt;
  return memory.free;
}

std::optional<unsigned> Nvml::computing_processes(const std::string& uuid) const {
  // Asked for none of them, it says how many there are: success means none, this that there are more.
  constexpr int insufficient_size = 7;
  Functions::Device device = nullptr;
  unsigned count = 0;
  if (functions_->processes == nullptr || functions_->device_by_uuid(uuid.c_str(), &device) != 0)
    return std::nullopt;
  const int result = functions_->processes(device, &count, nullptr);
  if (result != 0 && result != insufficient_size) return std::nullopt;
  return count;
}

std::optional<std::vector<unsigned>> Nvml::computing_ids(const std::string& uuid) const {
  Functions::Device device = nullptr;
  if (!functions_->tells_ids || functions_->device_by_uuid(uuid.c_str(), &device) != 0) return std::nullopt;
  // More than fit are beyond what anybody shares a GPU with, and then nothing is told.
  std::vector<unsigned> ids;
  for (const auto ask : {functions_->processes, functions_->clients}) {
    std::vector<Functions::Process> processes(256);
    auto count = static_cast<unsigned>(processes.size());
    const bool told = ask != nullptr && ask(device, &count, processes.data()) == 0;
    // A driver without that service refuses the second question.
    if (!told && ask == functions_->processes) return std::nullopt;
    for (unsigned i = 0; told && i < std::min<std::size_t>(count, processes.size()); ++i)
      if (std::ranges::find(ids, processes[i].id) == ids.end()) ids.push_back(processes[i].id);
  }
  return ids;
}

std::string throttle_words(unsigned long long reasons) {
  static constexpr std::pair<unsigned long long, const char*> words[] = {
      {0x004, "power cap"},        {0x008, "hardware slowdown"},         {0x010, "sync boost"},
      {0x020, "thermal slowdown"}, {0x040, "hardware thermal slowdown"}, {0x080, "power brake"},
      {0x100, "display clocks"}};
  std::string text;
  for (const auto& [bit, word] : words) {
    if ((reasons & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text;
}

}  // namespace evo::evaluators::cuda
