#include "config/npy.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include <fmt/format.h>

namespace evo::config {
namespace {

tl::unexpected<model::Error> not_npy(const std::string& message) {
  return tl::make_unexpected(model::Error{message});
}

/// What follows `key` in the header, a Python dictionary.
std::string_view behind_key(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size());
  const std::size_t begin = header.find_first_not_of(" :");
  return begin == std::string_view::npos ? std::string_view{} : header.substr(begin);
}

double npy_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const double fraction = bits & 0x3ff;
  double size = 0;
  if (exponent == 31) {
    size = fraction == 0 ? HUGE_VAL : std::nan("");
  } else {
    size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -size : size;
}

template <class T>
double read_as(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

double read_half(const char* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return npy_half(bits);
}

struct NpyType {
  std::string_view name;
  std::size_t size;
  double (*read)(const char*);
};
constexpr NpyType npy_types[] = {{"f2", 2, &read_half},
                                 {"f4", 4, &read_as<float>},
                                 {"f8", 8, &read_as<double>},
                                 {"i1", 1, &read_as<std::int8_t>},
                                 {"i2", 2, &read_as<std::int16_t>},
                                 {"i4", 4, &read_as<std::int32_t>},
                                 {"i8", 8, &read_as<std::int64_t>},
                                 {"u1", 1, &read_as<std::uint8_t>},
                                 {"u2", 2, &read_as<std::uint16_t>},
                                 {"u4", 4, &read_as<std::uint32_t>},
                                 {"u8", 8, &read_as<std::uint64_t>},
                                 {"b1", 1, &read_as<std::uint8_t>}};

constexpr std::int64_t most_elements = std::int64_t{1} << 28;

}  // namespace

model::Expected<model::Recording> parse_npy(std::string_view bytes) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (bytes.size() < 12 || !bytes.starts_with(magic)) return not_npy("this is no .npy file");
  const int version = bytes[6];
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, version == 1 ? 2 : 4);
  if (version < 1 || version > 3 || bytes.size() < prefix + length) return not_npy("the header is cut off");
  const std::string_view header = bytes.substr(prefix, length);
  const std::string_view descr = behind_key(header, "'descr'"), order = behind_key(header, "'fortran_order'");
  if (descr.size() < 5 || descr[0] != '\'')
    return not_npy("its elements are records; only plain numbers can be read");
  if (descr[1] == '>')
    return not_npy("its numbers are big-endian; save them with .astype('<f8') or the like");
  const NpyType* type = nullptr;
  for (const NpyType& each : npy_types) {
    if (descr.substr(2, 2) == each.name && descr[4] == '\'') type = &each;
  }
  if (type == nullptr)
    return not_npy(fmt::format("its elements are {}; known are f2 to f8, i1 to i8, u1 to u8 and b1",
                               descr.substr(1, 3)));
  if (order.starts_with("True"))
    return not_npy("it is in Fortran's order; save numpy.ascontiguousarray(...)");
  model::Recording array;
  std::string_view shape = behind_key(header, "'shape'");
  shape = shape.substr(0, shape.find(')'));
  std::int64_t count = 1;
  for (std::size_t at = 0; at < shape.size();) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(shape.data() + at, shape.data() + shape.size(), size);
    if (error != std::errc{}) {
      ++at;
      continue;
    }
    if (size < 1 || count > most_elements / size) return not_npy("it has no elements, or more than 2^28");
    count *= size;
    array.shape.push_back(size);
    at = static_cast<std::size_t>(end - shape.data());
  }
  const std::string_view data = bytes.substr(prefix + length);
  if (data.size() < static_cast<std::size_t>(count) * type->size)
    return not_npy(fmt::format("{} elements are announced, {} bytes are there", count, data.size()));
  array.values.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    array.values.push_back(type->read(data.data() + static_cast<std::size_t>(i) * type->size));
    if (!std::isfinite(array.values.back())) return not_npy(fmt::format("element {} is not finite", i));
  }
  return array;
}

}  // namespace evo::config
