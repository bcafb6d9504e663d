#include "evaluators/process/temporary_file.hpp"

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "model/error.hpp"

namespace evo::evaluators::process {

TemporaryFile::TemporaryFile(const std::string& name, const std::string& text) {
  std::string pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
  const int descriptor = ::mkstemp(pattern.data());
  if (descriptor < 0)
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("cannot write a temporary file {}", pattern));
  ::close(descriptor);
  path_ = pattern;
  std::ofstream file(path_, std::ios::binary);
  file << text;
  file.close();
  if (file) return;
  remove();
  throw model::Exception(model::ExitCode::environment, fmt::format("cannot write {}", path_.string()));
}

void TemporaryFile::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace evo::evaluators::process
