#include "evaluators/oracle/npy.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::DType;

static_assert(std::endian::native == std::endian::little);

struct NpyType {
  std::string_view name;
  std::int64_t size;
  DType dtype;
  bool boolean = false;
};
constexpr std::array<NpyType, 10> npy_types{{{"f2", 2, DType::f16},
                                             {"f4", 4, DType::f32},
                                             {"f8", 8, DType::f64},
                                             {"i1", 1, DType::i8},
                                             {"u1", 1, DType::u8},
                                             {"i4", 4, DType::i32},
                                             {"u4", 4, DType::u32},
                                             {"i8", 8, DType::i64},
                                             {"u8", 8, DType::u64},
                                             {"b1", 1, DType::u8, true}}};

model::Error no_npy(const std::string& what) {
  return model::Error{"this is no .npy file that evo reads: " + what};
}

/// The text behind 'key': in the header's dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
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
    if (error != std::errc{} || size < 0 || size > (std::int64_t{1} << 40)) return std::nullopt;
    shape.push_back(size);
    at = next;
  }
  return shape;
}

/// From Fortran order to C order.
std::vector<double> turned(const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  std::vector<double> result(values.size());
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t e = 0; e < values.size(); ++e) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + at[d];
    result[static_cast<std::size_t>(index)] = values[e];
    for (std::size_t d = 0; d < shape.size() && ++at[d] == shape[d]; ++d) at[d] = 0;
  }
  return result;
}

}  // namespace

double NpyArray::rounding() const {
  if (type == "f2") return 0x1p-11;
  if (type == "f4") return 0x1p-24;
  return type == "f8" ? 0x1p-53 : 0;
}

model::Expected<NpyArray> parse_npy(std::string_view bytes) {
  const auto fails = [](const std::string& what) { return tl::make_unexpected(no_npy(what)); };
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) return fails("it begins otherwise");
  const bool first = bytes[6] == 1;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, first ? 2 : 4);
  const std::size_t start = (first ? 10U : 12U) + std::size_t{length};
  if (start > bytes.size()) return fails("its header is cut off");
  const std::string_view header = bytes.substr(first ? 10 : 12, length);
  const std::string_view type = value_of(header, "descr");
  const auto shape = shape_of(value_of(header, "shape"));
  if (type.size() < 5 || !shape) return fails(fmt::format("its header is {}", header));
  NpyArray array{*shape, {}, std::string(type.substr(2, 2))};
  const NpyType* known = nullptr;
  for (const NpyType& candidate : npy_types) {
    if (candidate.name == array.type) known = &candidate;
  }
  const char order = type[1];
  if (known == nullptr || type[4] != type[0] || (order == '>' && known->size > 1)) {
    return fails(fmt::format("its type is {}; known are little-endian f2, f4, f8, i1, i4, i8, u1, u4, u8, b1",
                             type.substr(0, type.find(type[0], 1) + 1)));
  }
  std::int64_t count = 1;
  for (const std::int64_t size : array.shape) {
    if (size != 0 && count > (std::int64_t{1} << 40) / size) return fails("its shape is too large");
    count *= size;
  }
  if (static_cast<std::int64_t>(bytes.size() - start) < count * known->size)
    return fails(fmt::format("its shape ({}) needs more bytes than it has", fmt::join(array.shape, ", ")));
  array.values.resize(static_cast<std::size_t>(count));
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data() + start);
  for (std::int64_t e = 0; e < count; ++e)
    array.values[static_cast<std::size_t>(e)] = load_element(known->dtype, data + e * known->size);
  if (value_of(header, "fortran_order").starts_with("True")) array.values = turned(array.values, array.shape);
  return array;
}

model::Expected<NpyArray> read_npy(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return tl::make_unexpected(model::Error{"the file cannot be read", file});
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  auto array = parse_npy(bytes);
  if (!array) array.error().file = file;
  return array;
}

std::string npy_of(const model::BoundArgument& argument, const std::vector<std::byte>& buffer) {
  const DType stored = argument.dtype == DType::bf16 ? DType::f32 : argument.dtype;
  std::string_view name = "f4";
  for (const NpyType& type : npy_types) {
    if (type.dtype == stored && !type.boolean) name = type.name;
  }
  std::string shape;
  for (const std::int64_t size : argument.shape) shape += fmt::format("{}, ", size);
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   model::size_of(stored) == 1 ? '|' : '<', name, shape);
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  std::array<std::byte, 8> element{};
  for (const std::int64_t offset : offsets) {
    const std::byte* from = buffer.data() + offset * size;
    if (stored != argument.dtype) {
      store_element(stored, load_element(argument.dtype, from), element.data());
      from = element.data();
    }
    bytes.append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(model::size_of(stored)));
  }
  return bytes;
}

model::Expected<std::vector<std::byte>> buffer_of(const model::BoundArgument& argument,
                                                  const NpyArray& array) {
  if (array.shape != argument.shape) {
    return tl::make_unexpected(
        model::Error{fmt::format("its shape is ({}), and {} has ({})", fmt::join(array.shape, ", "),
                                 argument.name, fmt::join(argument.shape, ", "))});
  }
  std::vector<std::byte> buffer(static_cast<std::size_t>(buffer_bytes(argument)), std::byte{0xff});
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  for (std::size_t e = 0; e < offsets.size(); ++e)
    store_element(argument.dtype, array.values[e], buffer.data() + offsets[e] * size);
  return buffer;
}

}  // namespace evo::evaluators::oracle
