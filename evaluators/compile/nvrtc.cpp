#include "evaluators/compile/nvrtc.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "model/error.hpp"

namespace evo::evaluators::compile {
namespace fs = std::filesystem;

namespace {

using Program = void*;
constexpr const char* library_names[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

void add_toolkit(std::vector<std::string>& candidates, const fs::path& toolkit) {
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    for (const char* name : library_names) candidates.push_back((toolkit / folder / name).string());
  }
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// "13.0.88" from "// Cuda compilation tools, release 13.0, V13.0.88" in the head of a PTX text: NVRTC's own
/// interface tells major and minor only.
std::string build_of(const std::string& ptx, int major, int minor) {
  const std::string mark = fmt::format("V{}.{}.", major, minor);
  const auto at = ptx.find(mark);
  if (at == std::string::npos) return {};
  const auto end = ptx.find_first_not_of("0123456789.", at + 1);
  return ptx.substr(at + 1, end - at - 1);
}

std::vector<std::string> find_includes(const fs::path& library) {
  std::vector<fs::path> roots;
  const fs::path lib = library.parent_path();
  for (const char* relative : {"../include", "../../include", "../targets/x86_64-linux/include",
                               "../../cuda_runtime/include"}) {  // the last: Python wheels
    roots.push_back(lib / relative);
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto home = environment_value(variable); !home.empty())
      roots.push_back(fs::path(home) / "include");
  }
  roots.emplace_back("/usr/include");  // Debian's nvidia-cuda-toolkit
  for (const auto& root : roots) {
    if (!is_file(root / "cuda_fp16.h")) continue;
    std::vector<std::string> folders{fs::canonical(root).string()};
    // libcu++, CUB and Thrust have a folder of their own since 13.0.
    std::error_code error;
    if (const fs::path cccl = fs::path(folders[0]) / "cccl"; fs::is_directory(cccl, error)) {
      folders.push_back(cccl.string());
    }
    return folders;
  }
  return {};
}

}  // namespace

struct Nvrtc::Api {
  int (*version)(int*, int*);
  const char* (*error_string)(int);
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*destroy)(Program*);
  int (*compile)(Program, int, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*ptx_size)(Program, std::size_t*);
  int (*ptx)(Program, char*);
  int (*cubin_size)(Program, std::size_t*);
  int (*cubin)(Program, char*);
  int (*add_name)(Program, const char*);
  int (*lowered_name)(Program, const char*, const char**);

  bool resolve(void* handle) {
    bool complete = true;
    const auto get = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(handle, name));
      complete = complete && function != nullptr;
    };
    get(version, "nvrtcVersion");
    get(error_string, "nvrtcGetErrorString");
    get(create, "nvrtcCreateProgram");
    get(destroy, "nvrtcDestroyProgram");
    get(compile, "nvrtcCompileProgram");
    get(log_size, "nvrtcGetProgramLogSize");
    get(log, "nvrtcGetProgramLog");
    get(ptx_size, "nvrtcGetPTXSize");
    get(ptx, "nvrtcGetPTX");
    get(cubin_size, "nvrtcGetCUBINSize");
    get(cubin, "nvrtcGetCUBIN");
    get(add_name, "nvrtcAddNameExpression");
    get(lowered_name, "nvrtcGetLoweredName");
    return complete;
  }
};

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> candidates;
  if (const auto wanted = environment_value("EVO_NVRTC"); !wanted.empty()) {
    std::error_code error;
    if (!fs::is_directory(wanted, error)) return {wanted};  // what a person names is taken, or nothing
    for (const char* name : library_names) candidates.push_back((fs::path(wanted) / name).string());
    return candidates;
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto home = environment_value(variable); !home.empty()) add_toolkit(candidates, home);
  }
  for (const char* name : library_names) candidates.emplace_back(name);
  std::vector<fs::path> toolkits;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().string().starts_with("cuda")) toolkits.push_back(entry.path());
  }
  // "cuda" (what the administrator chose) first, then the newest.
  std::sort(toolkits.begin(), toolkits.end(), [](const fs::path& a, const fs::path& b) {
    const bool plain_a = a.filename() == "cuda", plain_b = b.filename() == "cuda";
    return plain_a != plain_b ? plain_a : a > b;
  });
  for (const auto& toolkit : toolkits) add_toolkit(candidates, toolkit);
  return candidates;
}

Nvrtc Nvrtc::load() {
  const auto candidates = nvrtc_candidates();
  std::string reason;
  for (const auto& candidate : candidates) {
    if (candidate.find('/') != std::string::npos && !is_file(candidate)) continue;
    void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      if (reason.empty() || candidate.find('/') != std::string::npos) reason = ::dlerror();
      continue;
    }
    static Api api;  // one NVRTC a process
    if (!api.resolve(handle)) {
      reason = fmt::format("{} lacks a function of NVRTC 12 or newer", candidate);
      ::dlclose(handle);
      continue;
    }
    Nvrtc nvrtc;
    nvrtc.api_ = &api;
    if (api.version(&nvrtc.major_, &nvrtc.minor_) != 0) {
      reason = fmt::format("{} does not tell its version", candidate);
      continue;
    }
    Dl_info info{};
    const bool located = ::dladdr(reinterpret_cast<const void*>(api.version), &info) != 0;
    std::error_code error;
    const fs::path library = fs::canonical(located ? info.dli_fname : candidate.c_str(), error);
    nvrtc.library_ = error ? candidate : library.string();
    // NVRTC opens its builtins by bare name at the first compile; from a folder that the loader does not know
    // that works only if they are in the process already.
    const auto builtins =
        library.parent_path() / fmt::format("libnvrtc-builtins.so.{}.{}", nvrtc.major_, nvrtc.minor_);
    ::dlopen(builtins.c_str(), RTLD_NOW | RTLD_GLOBAL);
    nvrtc.include_folders_ = find_includes(library);
    // This first compile also loads what NVRTC loads late.
    const auto warm = nvrtc.compile("extern \"C\" __global__ void evo_warm_up() {}\n", "warm_up.cu", {}, {});
    const std::string build = build_of(warm.ptx, nvrtc.major_, nvrtc.minor_);
    nvrtc.version_ =
        build.empty() ? fmt::format("NVRTC {}.{}", nvrtc.major_, nvrtc.minor_) : "NVRTC " + build;
    return nvrtc;
  }
  throw model::Exception(
      model::ExitCode::environment,
      fmt::format("NVRTC, the CUDA run-time compiler, was not found{}. Install the CUDA Toolkit 12.4 or "
                  "newer (of its "
                  "packages cuda-nvrtc and cuda-cudart-dev are enough), or set EVO_NVRTC to the path of "
                  "libnvrtc.so.13 or libnvrtc.so.12. Looked at: {}",
                  reason.empty() ? std::string() : " (" + reason + ")", fmt::join(candidates, ", ")));
}

Nvrtc::Output Nvrtc::compile(const std::string& source, const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::vector<std::string>& options,
                             const std::vector<std::string>& name_expressions) const {
  std::vector<const char*> texts, names, flags;
  for (const auto& [header, text] : headers) {
    names.push_back(header.c_str());
    texts.push_back(text.c_str());
  }
  for (const auto& option : options) flags.push_back(option.c_str());

  Output output;
  Program program = nullptr;
  int result = api_->create(&program, source.c_str(), name.c_str(), static_cast<int>(names.size()),
                            texts.data(), names.data());
  if (result == 0) {
    for (const std::string& expression : name_expressions) (void)api_->add_name(program, expression.c_str());
    result = api_->compile(program, static_cast<int>(flags.size()), flags.data());
    const auto fetch = [&](auto size_of, auto get) {
      std::size_t size = 0;
      if (size_of(program, &size) != 0 || size == 0) return std::string();
      std::string text(size, '\0');
      if (get(program, text.data()) != 0) return std::string();
      return text;
    };
    // Texts come with their terminating zero.
    const auto text_of = [&](auto size_of, auto get) {
      std::string text = fetch(size_of, get);
      while (!text.empty() && text.back() == '\0') text.pop_back();
      return text;
    };
    output.log = text_of(api_->log_size, api_->log);
    output.ptx = text_of(api_->ptx_size, api_->ptx);
    if (result == 0) output.cubin = fetch(api_->cubin_size, api_->cubin);
    for (const std::string& expression : name_expressions) {
      const char* lowered = nullptr;
      const bool known = result == 0 && api_->lowered_name(program, expression.c_str(), &lowered) == 0;
      output.lowered_names.emplace_back(known && lowered != nullptr ? lowered : "");
    }
    api_->destroy(&program);
  }
  output.result = static_cast<NvrtcResult>(result);
  if (result != 0) output.error = api_->error_string(result);
  return output;
}

}  // namespace evo::evaluators::compile
