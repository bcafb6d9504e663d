#include "diagnose/write_file.hpp"

#include <fstream>

namespace evo::diagnose {

model::Expected<void> write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::error_code error;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.close();
  if (out) return {};
  return tl::make_unexpected(
      model::Error{"cannot be written: no permission, or the disk is full", file.string()});
}

}  // namespace evo::diagnose
