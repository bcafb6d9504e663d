#include "evaluators/devices/cuda/driver_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace evo::evaluators::cuda {

namespace {

/// The name of the first symbol that the library lacks, or null.
const char* resolve(DriverApi& api) {
  void* const library = api.library.get();
#define EVO_CUDA_RESOLVE(member, function, symbol)                               \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(library, symbol)); \
  if (api.member == nullptr) return symbol;
  EVO_CUDA_DRIVER_FUNCTIONS(EVO_CUDA_RESOLVE)
#undef EVO_CUDA_RESOLVE
  return nullptr;
}

}  // namespace

tl::expected<DriverPointer, std::string> load_driver(const char* library) {
  void* const handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    return tl::unexpected(
        fmt::format("no NVIDIA driver: {} cannot be loaded ({})", library, why != nullptr ? why : "unknown"));
  }
  auto api = std::make_shared<DriverApi>();
  api->library = std::shared_ptr<void>(handle, [](void* opened) { ::dlclose(opened); });
  if (const char* const missing = resolve(*api)) {
    return tl::unexpected(
        fmt::format("the NVIDIA driver is too old: {} has no {} (driver for CUDA 12.4 or newer "
                    "is needed)",
                    library, missing));
  }
  if (const CUresult result = api->init(0); result != CUDA_SUCCESS) {
    return tl::unexpected(fmt::format("the NVIDIA driver cannot be initialised: {}", describe(*api, result)));
  }
  return DriverPointer(std::move(api));
}

void tell_profiler(const DriverApi& driver, bool begins) {
  if (!driver.library) return;
  // cuda.h does not declare them.
  using Tell = CUresult (*)();
  const auto tell =
      reinterpret_cast<Tell>(::dlsym(driver.library.get(), begins ? "cuProfilerStart" : "cuProfilerStop"));
  if (tell != nullptr) tell();
}

std::string describe(const DriverApi& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.error_name(result, &name);
  driver.error_string(result, &text);
  return fmt::format("{} ({})", name != nullptr ? name : "unknown error " + std::to_string(result),
                     text != nullptr ? text : "no description");
}

}  // namespace evo::evaluators::cuda
