#include "diagnose/npy.hpp"

#include <bit>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace evo::diagnose {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

std::string header(const char* type, const std::vector<std::int64_t>& shape) {
  std::string sizes;
  for (const std::int64_t size : shape) sizes += fmt::format("{}, ", size);
  if (sizes.size() >= 2 && shape.size() > 1) sizes.resize(sizes.size() - 2);
  if (shape.size() == 1) sizes.resize(sizes.size() - 1);  // "(3,)"
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  // Magic, version and length are 10 bytes; data begins at a multiple of 64.
  const std::size_t unpadded = 10 + dictionary.size() + 1;
  dictionary.append((64 - unpadded % 64) % 64, ' ');
  dictionary += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size() & 0xff);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary;
}

template <class T>
std::string with_data(const char* type, std::span<const T> values, const std::vector<std::int64_t>& shape) {
  std::string bytes = header(type, shape);
  const std::size_t start = bytes.size();
  bytes.resize(start + values.size_bytes());
  if (!values.empty()) std::memcpy(bytes.data() + start, values.data(), values.size_bytes());
  return bytes;
}

}  // namespace

std::string npy_bytes(std::span<const double> values, const std::vector<std::int64_t>& shape) {
  return with_data("<f8", values, shape);
}
std::string npy_bytes(std::span<const float> values, const std::vector<std::int64_t>& shape) {
  return with_data("<f4", values, shape);
}

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
