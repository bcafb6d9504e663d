#include "evaluators/oracle/layout.hpp"

#include <algorithm>
#include <numeric>

#include "evaluators/oracle/elements.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Dimensions with more than one element, the one with the smallest stride first.
std::vector<std::size_t> by_stride(const model::BoundArgument& argument) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < argument.shape.size(); ++d) {
    if (argument.shape[d] > 1) order.push_back(d);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return argument.strides[a] < argument.strides[b]; });
  return order;
}

/// How a view with 64-bit strides is cut: `inner` dimensions of by_stride() lie within a part, the others
/// between parts.
struct Cut {
  model::BoundArgument on_host;
  std::vector<std::size_t> order;
  std::size_t inner = 0;
};

Cut cut(const model::BoundArgument& argument) {
  Cut result{argument, by_stride(argument), 0};
  result.inner = result.order.size();
  const std::int64_t size = model::size_of(argument.dtype);
  std::int64_t span = 1, host_span = 1;  // elements from the first to the last of the dimensions so far
  for (std::size_t i = 0; i < result.order.size(); ++i) {
    const std::size_t d = result.order[i];
    const std::int64_t gap = argument.strides[d] - span;
    std::int64_t kept = gap;
    if (gap * size >= wide_gap_bytes) {
      // What is left out is a multiple of 256 bytes, so that addresses keep their alignment.
      const std::int64_t period = 256 / std::gcd<std::int64_t>(256, size);
      const std::int64_t wanted = gap_kept_bytes / size;
      kept = wanted + (argument.strides[d] - host_span - wanted) % period;
      result.inner = std::min(result.inner, i);
    }
    result.on_host.strides[d] = host_span + kept;
    host_span += (argument.shape[d] - 1) * result.on_host.strides[d];
    span += (argument.shape[d] - 1) * argument.strides[d];
  }
  return result;
}

}  // namespace

model::BoundArgument host_layout(const model::BoundArgument& argument) {
  return argument.role == model::ArgumentRole::scalar ? argument : cut(argument).on_host;
}

std::vector<Part> parts_of(const model::BoundArgument& argument) {
  const std::int64_t size = model::size_of(argument.dtype);
  const std::int64_t bytes = buffer_bytes(argument);
  if (argument.role == model::ArgumentRole::scalar || bytes == 0) return {{0, 0, bytes}};
  const Cut made = cut(argument);
  std::vector<Part> parts{{0, 0, 0}};
  for (std::size_t i = made.inner; i < made.order.size(); ++i) {
    const std::size_t d = made.order[i];
    const std::size_t before = parts.size();
    for (std::int64_t index = 1; index < argument.shape[d]; ++index) {
      for (std::size_t p = 0; p < before; ++p) {
        parts.push_back({parts[p].host_offset + index * made.on_host.strides[d] * size,
                         parts[p].device_offset + index * argument.strides[d] * size, 0});
      }
    }
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.host_offset < b.host_offset; });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t next = i + 1 < parts.size() ? parts[i + 1].host_offset : bytes;
    parts[i].bytes = next - parts[i].host_offset;
  }
  return parts;
}

bool has_64bit_strides(const model::Case& bound) {
  return std::any_of(bound.arguments.begin(), bound.arguments.end(),
                     [](const model::BoundArgument& argument) { return parts_of(argument).size() > 1; });
}

std::int64_t element_count(const model::BoundArgument& argument) {
  if (argument.role == model::ArgumentRole::scalar) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : argument.shape) count *= size;
  return count;
}

std::int64_t device_bytes(const model::BoundArgument& argument) {
  return argument.extent() * model::size_of(argument.dtype);
}

std::int64_t buffer_bytes(const model::BoundArgument& argument) {
  return device_bytes(host_layout(argument));
}

std::int64_t case_bytes(const model::Case& bound) {
  std::int64_t bytes = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role != model::ArgumentRole::scalar) bytes += buffer_bytes(argument);
  }
  return bytes;
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
  for_elements(argument, 0, count, [&](std::int64_t, std::int64_t offset) { offsets.push_back(offset); });
  return offsets;
}

std::vector<Row> rows_of(const model::BoundArgument& on_device) {
  const model::BoundArgument argument = host_layout(on_device);
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
  std::vector<bool> addressed(static_cast<std::size_t>(host_layout(argument).extent()), false);
  const model::BoundArgument whole = argument.unreduced();
  for_elements(whole, 0, element_count(whole), [&](std::int64_t, std::int64_t offset) {
    addressed[static_cast<std::size_t>(offset)] = true;
  });
  return addressed;
}

bool overlaps_itself(const model::BoundArgument& argument) {
  const std::vector<bool> addressed = addressed_elements(argument);
  return std::count(addressed.begin(), addressed.end(), true) != element_count(argument) * argument.slices;
}

std::vector<double> load_array(const model::BoundArgument& argument, const std::vector<std::byte>& bytes) {
  const std::int64_t size = model::size_of(argument.dtype);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(element_count(argument)));
  for_elements(argument, 0, element_count(argument), [&](std::int64_t, std::int64_t offset) {
    values.push_back(load_element(argument.dtype, bytes.data() + offset * size));
  });
  return values;
}

}  // namespace evo::evaluators::oracle
