#include "packs/attention/cudnn/api.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace evo::packs::attention::cudnn {
namespace {

constexpr const char* library_name = "libcudnn.so.9";

std::vector<std::string> candidates() {
  std::vector<std::string> paths{library_name};  // LD_LIBRARY_PATH and the loader's cache
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0')
      toolkits.emplace_back(home);
  }
  toolkits.emplace_back("/usr/local/cuda");
  for (const std::string& toolkit : toolkits) {
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      paths.push_back(fmt::format("{}/{}/{}", toolkit, folder, library_name));
  }
  return paths;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// The name of the first symbol that the library lacks, or null.
const char* resolve(Api& api, void* library) {
#define EVO_CUDNN_RESOLVE(member, result, parameters, symbol)                    \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(library, symbol)); \
  if (api.member == nullptr) return symbol;
  EVO_CUDNN_FUNCTIONS(EVO_CUDNN_RESOLVE)
#undef EVO_CUDNN_RESOLVE
  return nullptr;
}

}  // namespace

Attempt<ApiPointer> load(const std::string& library) {
  const std::vector<std::string> paths = library.empty() ? candidates() : std::vector<std::string>{library};
  std::string why;
  for (const std::string& path : paths) {
    void* const opened = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (opened == nullptr) {
      const char* const words = ::dlerror();
      // The loader's first words count: a library that is there but lacks another one says which.
      if (why.empty()) why = words != nullptr ? words : "no reason given";
      continue;
    }
    auto api = std::make_shared<Api>();
    if (const char* const missing = resolve(*api, opened)) {
      return tl::make_unexpected(fmt::format("{} has no {}: it is older than cuDNN 9", path, missing));
    }
    return ApiPointer(std::move(api));
  }
  return tl::make_unexpected(
      fmt::format("{} cannot be loaded, neither by the loader nor from the CUDA toolkit's folders ({})",
                  library.empty() ? library_name : library, one_line(why)));
}

std::string version_text(const Api& api) {
  const std::size_t version = api.version();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::string describe(const Api& api, Status status, const std::string& action) {
  const char* const name = api.error_string(status);
  std::array<char, 1024> last{};
  api.last_error(last.data(), last.size() - 1);
  const std::string words = one_line(last.data());
  return fmt::format("{}: {} ({}){}", action, name != nullptr ? name : "unknown status", status,
                     words.empty() ? "" : ": " + words);
}

}  // namespace evo::packs::attention::cudnn
