#include "evaluators/devices/cuda/cupti_api.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace evo::evaluators::cuda::cupti {
namespace {

std::vector<std::string> places() {
  if (const char* named = std::getenv("EVO_CUPTI"); named != nullptr && *named != '\0') return {named};
  std::vector<std::string> folders{""};
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0') {
    for (const char* below : {"/lib64/", "/lib/", "/extras/CUPTI/lib64/"})
      folders.push_back(std::string(home) + below);
  }
  for (const char* usual :
       {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/", "/usr/local/cuda/extras/CUPTI/lib64/"})
    folders.emplace_back(usual);
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) files.push_back(folder + name);
  }
  return files;
}

}  // namespace

tl::expected<ApiPointer, std::string> load() {
  std::string missing;
  for (const std::string& file : places()) {
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    // Never unloaded: it hooks into the driver, whose threads may still be in it.
    auto api = std::make_shared<Api>();
    api->library = std::shared_ptr<void>(library, [](void*) {});
    api->name = file;
    bool whole = true;
    const auto find = [&](const char* symbol, auto& member, bool needed) {
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(::dlsym(library, symbol));
      if (member != nullptr || !needed) return;
      whole = false;
      missing = fmt::format("{} has no {}: the range profiler needs CUDA 12.6 or newer", file, symbol);
    };
#define EVO_CUPTI_FIND(member, parameter, symbol) find(symbol, api->member, true);
    EVO_CUPTI_FUNCTIONS(EVO_CUPTI_FIND)
#undef EVO_CUPTI_FIND
    find("cuptiGetResultString", api->result_string, false);
    bool samples = true;
#define EVO_CUPTI_FIND(member, parameter, symbol) \
  find(symbol, api->member, false);               \
  samples = samples && api->member != nullptr;
    EVO_CUPTI_SAMPLING_FUNCTIONS(EVO_CUPTI_FIND)
#undef EVO_CUPTI_FIND
    if (!samples) api->sampling_enable = nullptr;
    if (whole) return api;
  }
  return tl::unexpected(missing.empty()
                            ? "libcupti.so.13 or .12 is not installed (looked for on the loader's path, in "
                              "$CUDA_HOME and in /usr/local/cuda; EVO_CUPTI can name it)"
                            : missing);
}

std::string describe(const Api& api, Result result) {
  const char* text = nullptr;
  if (api.result_string != nullptr && api.result_string(result, &text) == success && text != nullptr)
    return text;
  return fmt::format("CUPTI error {}", result);
}

}  // namespace evo::evaluators::cuda::cupti
