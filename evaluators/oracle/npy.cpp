#include "evaluators/oracle/npy.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {

std::string npy_of(const model::BoundArgument& argument, const std::vector<std::byte>& buffer) {
  const model::DType stored = model::npy_dtype(argument.dtype);
  const std::int64_t size = model::size_of(argument.dtype);
  std::string data;
  std::array<std::byte, 8> element{};
  for (const std::int64_t offset : element_offsets(argument)) {
    const std::byte* from = buffer.data() + offset * size;
    if (stored != argument.dtype) {
      store_element(stored, load_element(argument.dtype, from), element.data());
      from = element.data();
    }
    data.append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(model::size_of(stored)));
  }
  return model::npy_file(argument.dtype, argument.shape, data);
}

model::Expected<std::vector<std::byte>> buffer_of(const model::BoundArgument& argument,
                                                  const model::NpyArray& array) {
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
