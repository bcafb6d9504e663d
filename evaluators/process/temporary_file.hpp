// A file for a program that this process starts.
#pragma once

#include <filesystem>
#include <string>

namespace evo::evaluators::process {

/// Its owner alone can read it; gone with this object.
class TemporaryFile {
 public:
  /// In the system's folder for such files, with a name that begins with `name`. Throws
  /// model::Exception(environment) when it cannot be written.
  TemporaryFile(const std::string& name, const std::string& text);
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  void remove();
  std::filesystem::path path_;
};

}  // namespace evo::evaluators::process
