// A folder of its own for every test, removed at the end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

namespace evo::report::testing {

class Scratch {
 public:
  Scratch() {
    // In memory where there is such a place: a ledger waits for the disk at every commit.
    std::error_code ignored;
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    const std::filesystem::path top = memory ? "/dev/shm" : std::filesystem::temp_directory_path(ignored);
    std::string pattern = (top / "evo-report-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace evo::report::testing
