// A management library of one GPU, "GPU-fake". With EVO_NVML_WITHOUT_SENSORS it has neither a power meter nor
// a thermometer, as some devices have not.
#include <cstring>

namespace {

int gpu = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::strncpy(text, "580.1", size);
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = &gpu;
  return std::strcmp(uuid, "GPU-fake") == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) {
  *mhz = kind == 1 ? 1755 : 3201;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x4;
  return 0;
}
#ifndef EVO_NVML_WITHOUT_SENSORS
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void* infos) {
  struct Info {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
  };
  const unsigned room = *count;
  *count = 3;
  if (infos == nullptr || room < 3) return 7;
  for (unsigned i = 0; i < 3; ++i) static_cast<Info*>(infos)[i] = {100 + i, 1 << 20, 0, 0};
  return 0;
}
// Clients of a service, one of which is among the others, too.
int nvmlDeviceGetMPSComputeRunningProcesses_v3(void*, unsigned* count, void* infos) {
  struct Info {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
  };
  *count = 2;
  for (unsigned i = 0; i < 2; ++i) static_cast<Info*>(infos)[i] = {102 + i, 1 << 20, 0, 0};
  return 0;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* degrees) {
  *degrees = 61;
  return sensor == 0 ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 412500;
  return 0;
}
#endif
}
