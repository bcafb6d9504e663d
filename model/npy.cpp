#include "model/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/half.hpp"

namespace evo::model {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read and written as they lie");

template <class T>
double npy_element(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

double npy_half(const char* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return double_from_half(bits);
}

struct NpyType {
  std::string_view name;
  DType dtype;
  double (*read)(const char*);
};
constexpr NpyType npy_types[] = {
    {"f2", DType::f16, &npy_half},
    {"f4", DType::f32, &npy_element<float>},
    {"f8", DType::f64, &npy_element<double>},
    {"i1", DType::i8, &npy_element<std::int8_t>},
    {"i2", DType::i16, &npy_element<std::int16_t>},
    {"i4", DType::i32, &npy_element<std::int32_t>},
    {"i8", DType::i64, &npy_element<std::int64_t>},
    {"u1", DType::u8, &npy_element<std::uint8_t>},
    {"u2", DType::u16, &npy_element<std::uint16_t>},
    {"u4", DType::u32, &npy_element<std::uint32_t>},
    {"u8", DType::u64, &npy_element<std::uint64_t>},
    {"b1", DType::boolean, &npy_element<std::uint8_t>},
};

constexpr std::int64_t most_npy_elements = std::int64_t{1} << 40;

tl::unexpected<Error> no_npy(const std::string& what) {
  return tl::make_unexpected(Error{"this is no .npy file that evo reads: " + what});
}

/// The text behind 'key': in the header, a Python dictionary.
std::string_view behind_npy_key(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

std::optional<std::vector<std::int64_t>> npy_shape(std::string_view text) {
  if (!text.starts_with('(')) return std::nullopt;
  std::vector<std::int64_t> shape;
  const char* at = text.data() + 1;
  const char* const end = text.data() + std::min(text.find(')'), text.size());
  while (at < end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc{} || size < 0 || size > most_npy_elements) return std::nullopt;
    shape.push_back(size);
    at = next;
  }
  return shape;
}

/// The type that `descr` names, '<f4' with its quotes; an error for any other.
Expected<const NpyType*> npy_type(std::string_view descr) {
  if (descr.starts_with('[')) return no_npy("its elements are records; only plain numbers can be read");
  const std::string_view name = descr.substr(0, descr.find(descr[0], 1) + 1);
  for (const NpyType& type : npy_types) {
    if (name.size() != 5 || name.substr(2, 2) != type.name) continue;
    if (name[1] != '>' || size_of(type.dtype) == 1) return &type;
    return no_npy(
        fmt::format("its numbers are big-endian ({}); save them with .astype('<f8') or the like", name));
  }
  return no_npy(
      fmt::format("its type is {}; known are little-endian f2 to f8, i1 to i8, u1 to u8, and b1", name));
}

/// From Fortran order to C order.
std::vector<double> in_c_order(const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  std::vector<double> result(values.size());
  std::vector<std::int64_t> at(shape.size());
  for (const double value : values) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + at[d];
    result[static_cast<std::size_t>(index)] = value;
    for (std::size_t d = 0; d < shape.size() && ++at[d] == shape[d]; ++d) at[d] = 0;
  }
  return result;
}

template <class T>
std::string npy_of_values(DType dtype, std::span<const T> values, const std::vector<std::int64_t>& shape) {
  return npy_file(dtype, shape, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

}  // namespace

double NpyArray::rounding() const {
  if (type == "f2") return 0x1p-11;
  if (type == "f4") return 0x1p-24;
  return type == "f8" ? 0x1p-53 : 0;
}

Expected<NpyArray> parse_npy(std::string_view bytes) {
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) return no_npy("it begins otherwise");
  const int version = bytes[6];
  if (version < 1 || version > 3) return no_npy(fmt::format("its format is {}; known are 1 to 3", version));
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, version == 1 ? 2 : 4);
  if (bytes.size() < prefix + length) return no_npy("its header is cut off");
  const std::string_view header = bytes.substr(prefix, length), data = bytes.substr(prefix + length);
  const std::string_view descr = behind_npy_key(header, "descr");
  const auto shape = npy_shape(behind_npy_key(header, "shape"));
  if (descr.size() < 5 || !shape) return no_npy(fmt::format("its header is {}", header));
  const auto type = npy_type(descr);
  if (!type) return tl::make_unexpected(type.error());
  std::int64_t count = 1;
  for (const std::int64_t size : *shape) {
    if (size != 0 && count > most_npy_elements / size) return no_npy("its shape is too large");
    count *= size;
  }
  const std::int64_t size = size_of((*type)->dtype);
  if (static_cast<std::int64_t>(data.size()) < count * size)
    return no_npy(
        fmt::format("its shape ({}) needs more bytes than it has: {} elements are announced, {} bytes are "
                    "there",
                    fmt::join(*shape, ", "), count, data.size()));
  NpyArray array{*shape, {}, std::string((*type)->name)};
  array.values.resize(static_cast<std::size_t>(count));
  for (std::int64_t e = 0; e < count; ++e)
    array.values[static_cast<std::size_t>(e)] = (*type)->read(data.data() + e * size);
  if (behind_npy_key(header, "fortran_order").starts_with("True"))
    array.values = in_c_order(array.values, array.shape);
  return array;
}

Expected<NpyArray> read_npy(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return tl::make_unexpected(Error{"the file cannot be read", file});
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  auto array = parse_npy(bytes);
  if (!array) array.error().file = file;
  return array;
}

DType npy_dtype(DType dtype) {
  switch (dtype) {
    case DType::bf16:
    case DType::f8e4m3:
    case DType::f8e5m2:
      return DType::f32;
    default:
      return dtype;
  }
}

std::string npy_file(DType dtype, const std::vector<std::int64_t>& shape, std::string_view data) {
  const DType stored = npy_dtype(dtype);
  const auto* type = std::find_if(std::begin(npy_types), std::end(npy_types),
                                  [&](const NpyType& each) { return each.dtype == stored; });
  // As Python writes a tuple: "(3,)", "(2, 3)".
  const std::string sizes = fmt::format("{}{}", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   size_of(stored) == 1 ? '|' : '<', type->name, sizes);
  // Magic, version and length are 10 bytes; data begins at a multiple of 64.
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes.append(header).append(data);
}

std::string npy_file(std::span<const double> values, const std::vector<std::int64_t>& shape) {
  return npy_of_values(DType::f64, values, shape);
}
std::string npy_file(std::span<const float> values, const std::vector<std::int64_t>& shape) {
  return npy_of_values(DType::f32, values, shape);
}

}  // namespace evo::model
