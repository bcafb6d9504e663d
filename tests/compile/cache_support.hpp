// Folders and results that the tests of the cache share.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "evaluators/compile/codec.hpp"
#include "model/hash.hpp"

namespace evo::evaluators::compile {
namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "evo_cache_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code error;
    fs::permissions(path_, fs::perms::owner_all, error);
    fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// As long as a real one.
inline std::string key(int i) {
  return model::sha256(std::to_string(i));
}

inline model::Artifact artifact(int i, std::size_t size = 1000) {
  model::Artifact made;
  made.entry = "k" + std::to_string(i);
  made.arch = "sm_89";
  made.ptx = std::string(size, static_cast<char>('a' + i % 26));
  made.cubin = std::string(
                   "\x7f"
                   "ELF\0\xff",
                   6) +
               std::to_string(i);
  made.resources = {40 + i, 1, 2, 3, 4096, 400, 2};
  made.compiler_log = "log";
  made.source_file = "scalar.cu";
  made.code_hash = "hash" + std::to_string(i);
  made.compiler = "NVRTC 13.0.88";
  made.compile_ms = 12.5;
  return made;
}

inline bool same(const model::Artifact& a, const model::Artifact& b) {
  return encode(CompileResult(a)) == encode(CompileResult(b));
}

inline model::Failure failure() {
  return {model::Status::compile_error,
          "source_error",
          {{"error", "identifier undefined", "scalar.cu", 12, {{"source", "foo();"}, {"context", "x"}}},
           {"error", "another", "", 0, {}}}};
}

}  // namespace evo::evaluators::compile
