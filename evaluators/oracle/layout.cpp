#include "evaluators/oracle/layout.hpp"

#include <algorithm>

#include "evaluators/oracle/elements.hpp"

namespace evo::evaluators::oracle {

std::int64_t element_count(const model::BoundArgument& argument) {
  if (argument.role == model::ArgumentRole::scalar) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : argument.shape) count *= size;
  return count;
}

std::int64_t buffer_bytes(const model::BoundArgument& argument) {
  return argument.extent() * model::size_of(argument.dtype);
}

std::vector<std::int64_t> coordinates_of(const model::BoundArgument& argument, std::int64_t index) {
  std::vector<std::int64_t> coordinates(argument.shape.size());
  for (std::size_t d = argument.shape.size(); d-- > 0;) {
    coordinates[d] = index % argument.shape[d];
    index /= argument.shape[d];
  }
  return coordinates;
}

std::vector<std::int64_t> element_offsets(const model::BoundArgument& argument) {
  std::vector<std::int64_t> offsets;
  const std::int64_t count = element_count(argument);
  offsets.reserve(static_cast<std::size_t>(count));
  const std::size_t rank = argument.shape.size();
  std::vector<std::int64_t> position(rank, 0);
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    offsets.push_back(offset);
    for (std::size_t d = rank; d-- > 0;) {
      offset += argument.strides[d];
      if (++position[d] < argument.shape[d]) break;
      offset -= argument.strides[d] * argument.shape[d];
      position[d] = 0;
    }
  }
  return offsets;
}

std::vector<Row> rows_of(const model::BoundArgument& argument) {
  std::vector<Row> rows;
  const std::int64_t count = element_count(argument);
  // The inner dimensions that are packed make up a run.
  std::size_t outer = argument.shape.size();
  std::int64_t run = 1;
  while (outer > 0 && (argument.strides[outer - 1] == run || argument.shape[outer - 1] == 1)) {
    run *= argument.shape[--outer];
  }
  std::vector<std::int64_t> position(outer, 0);
  std::int64_t offset = 0;
  for (std::int64_t first = 0; first < count; first += run) {
    rows.push_back({first, offset, run});
    for (std::size_t d = outer; d-- > 0;) {
      offset += argument.strides[d];
      if (++position[d] < argument.shape[d]) break;
      offset -= argument.strides[d] * argument.shape[d];
      position[d] = 0;
    }
  }
  return rows;
}

std::vector<bool> addressed_elements(const model::BoundArgument& argument) {
  std::vector<bool> addressed(static_cast<std::size_t>(argument.extent()), false);
  for (const std::int64_t offset : element_offsets(argument))
    addressed[static_cast<std::size_t>(offset)] = true;
  return addressed;
}

bool overlaps_itself(const model::BoundArgument& argument) {
  const std::vector<bool> addressed = addressed_elements(argument);
  return std::count(addressed.begin(), addressed.end(), true) != element_count(argument);
}

std::vector<double> load_array(const model::BoundArgument& argument, const std::vector<std::byte>& bytes) {
  const std::int64_t size = model::size_of(argument.dtype);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(element_count(argument)));
  for (const std::int64_t offset : element_offsets(argument)) {
    values.push_back(load_element(argument.dtype, bytes.data() + offset * size));
  }
  return values;
}

}  // namespace evo::evaluators::oracle
