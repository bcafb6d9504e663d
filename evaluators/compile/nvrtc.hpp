// NVRTC, loaded at run time: nothing of evo links against it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace evo::evaluators::compile {

/// Results of NVRTC that evo tells apart (the values are NVRTC's ABI).
enum class NvrtcResult : int { success = 0, out_of_memory = 1, invalid_option = 5, compilation = 6 };

/// Where NVRTC may be, most wanted first: $EVO_NVRTC (a library or its folder), the toolkit that $CUDA_HOME
/// or $CUDA_PATH names, the loader's own search path, then /usr/local/cuda*.
[[nodiscard]] std::vector<std::string> nvrtc_candidates();

/// A loaded NVRTC. Its front end holds a process-wide lock, so one a process is enough; never unloaded.
class Nvrtc {
 public:
  /// Throws model::Exception(environment), saying what was tried and what to install.
  [[nodiscard]] static Nvrtc load();

  [[nodiscard]] int major() const { return major_; }
  [[nodiscard]] int minor() const { return minor_; }
  /// "NVRTC 13.0.88", or "NVRTC 13.0" where the library's file does not tell its build.
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::string& library() const { return library_; }  ///< canonical path
  /// Folders of the toolkit's headers; empty when only the library is installed.
  [[nodiscard]] const std::vector<std::string>& include_folders() const { return include_folders_; }

  struct Output {
    NvrtcResult result = NvrtcResult::compilation;
    std::string error;  ///< NVRTC's name of the result
    std::string log, ptx, cubin;
    /// Of each of `name_expressions`; empty for one that names no kernel.
    std::vector<std::string> lowered_names;
  };
  /// One compile. `headers` are (name, text) pairs that #include finds before any folder. Each of
  /// `name_expressions` names a kernel as C++ does, "ns::k<float, 4>", and makes NVRTC compile that instance
  /// of a template.
  [[nodiscard]] Output compile(const std::string& source, const std::string& name,
                               const std::vector<std::pair<std::string, std::string>>& headers,
                               const std::vector<std::string>& options,
                               const std::vector<std::string>& name_expressions = {}) const;

 private:
  struct Api;
  Nvrtc() = default;
  const Api* api_ = nullptr;  ///< lives as long as the process, as the library does
  int major_ = 0, minor_ = 0;
  std::string version_, library_;
  std::vector<std::string> include_folders_;
};

}  // namespace evo::evaluators::compile
