// An output that is compared with its reference.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle::compared_output {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline const CompareOptions usual{.tolerance = {"test", 1e-3, 1e-2}, .exact = false, .poison = std::nullopt};

/// A float output of shape [rows, 4] with one unused column, filled with poison where nothing is stored.
struct Output {
  explicit Output(std::int64_t rows, std::uint32_t pattern = 0x7fc00123)
      : argument(
            tests::array_argument("c", model::ArgumentRole::output, model::DType::f32, {rows, 4}, {5, 1})),
        bytes(static_cast<std::size_t>(buffer_bytes(argument))) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(pattern >> (8 * (i % 4)));
    for (std::int64_t i = 0; i < element_count(argument); ++i)
      reference.push_back(std::sin(static_cast<double>(i)) + 2);
  }
  void store(std::int64_t index, double value) {
    const auto offset = element_offsets(argument)[static_cast<std::size_t>(index)];
    store_element(model::DType::f32, value, bytes.data() + offset * 4);
  }
  void store_all() {
    for (std::size_t i = 0; i < reference.size(); ++i) store(static_cast<std::int64_t>(i), reference[i]);
  }
  [[nodiscard]] Comparison judge(CompareOptions options = usual) const {
    return compare(argument, bytes, reference, options);
  }
  model::BoundArgument argument;
  std::vector<std::byte> bytes;
  std::vector<double> reference;
};

inline CompareOptions with_poison(std::uint32_t pattern) {
  CompareOptions options = usual;
  options.poison = pattern;
  return options;
}

}  // namespace evo::evaluators::oracle::compared_output
