#include "evaluators/devices/cuda/describe.hpp"

#include <fmt/format.h>

#include "evaluators/devices/cuda/cuda_device.hpp"

namespace evo::evaluators::cuda {

namespace {

int attribute(const DriverApi& driver, CUdevice device, CUdevice_attribute name) {
  int value = 0;
  return driver.device_attribute(&value, name, device) == CUDA_SUCCESS ? value : 0;
}

std::string driver_text(const DriverApi& driver, const Nvml* nvml) {
  if (nvml != nullptr) {
    if (std::string version = nvml->driver_version(); !version.empty()) return version;
  }
  int version = 0;
  if (driver.driver_version(&version) != CUDA_SUCCESS) return "unknown";
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

devices::DeviceInfo describe_device(const DriverApi& driver, CUdevice device, const Nvml* nvml) {
  devices::DeviceInfo info;
  info.kind = "cuda";
  char name[256] = {};
  if (driver.device_name(name, sizeof name - 1, device) == CUDA_SUCCESS) info.name = name;
  info.arch = fmt::format("sm_{}{}", attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                          attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.driver = driver_text(driver, nvml);
  CUuuid uuid{};
  if (driver.device_uuid(&uuid, device) == CUDA_SUCCESS) info.uuid = uuid_text(uuid);
  info.l2_bytes = attribute(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  return info;
}

std::optional<int> parse_cuda_ordinal(std::string_view text) {
  constexpr std::string_view prefix = "cuda:";
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  if (text.empty() || text.size() > 4) return std::nullopt;
  int ordinal = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    ordinal = ordinal * 10 + (digit - '0');
  }
  return ordinal;
}

CudaDeviceList list_cuda_devices() {
  CudaDeviceList list;
  const auto driver = load_driver();
  if (!driver) {
    list.reason = driver.error();
    return list;
  }
  int count = 0;
  if (const CUresult result = (*driver)->device_count(&count); result != CUDA_SUCCESS) {
    list.reason = "CUDA devices cannot be counted: " + describe(**driver, result);
    return list;
  }
  const auto nvml = Nvml::open();
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    if ((*driver)->device_get(&device, ordinal) != CUDA_SUCCESS) continue;
    std::size_t bytes = 0;
    if ((*driver)->device_memory(&bytes, device) != CUDA_SUCCESS) bytes = 0;
    CudaDeviceEntry entry{ordinal,
                          describe_device(**driver, device, nvml.get()),
                          attribute(**driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                          bytes,
                          bytes,
                          attribute(**driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)};
    if (nvml != nullptr) entry.free_bytes = nvml->free_bytes(entry.info.uuid).value_or(bytes);
    list.devices.push_back(std::move(entry));
  }
  if (list.devices.empty()) list.reason = "the NVIDIA driver reports no device";
  return list;
}

}  // namespace evo::evaluators::cuda
