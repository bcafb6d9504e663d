#include "config/npy.hpp"

#include <cmath>

#include <fmt/format.h>

#include "model/npy.hpp"

namespace evo::config {
namespace {

constexpr std::size_t most_elements = std::size_t{1} << 28;

}  // namespace

model::Expected<model::Recording> recording_of(std::string_view npy) {
  auto array = model::parse_npy(npy);
  if (!array) return tl::make_unexpected(array.error());
  if (array->values.empty() || array->values.size() > most_elements)
    return tl::make_unexpected(model::Error{"it has no elements, or more than 2^28"});
  for (std::size_t i = 0; i < array->values.size(); ++i) {
    if (!std::isfinite(array->values[i]))
      return tl::make_unexpected(model::Error{fmt::format("element {} is not finite", i)});
  }
  return model::Recording{{}, std::move(array->shape), std::move(array->values)};
}

}  // namespace evo::config
