// The shape of an error: which elements of a matrix are wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evo::diagnose {

/// Marks of a row-major matrix.
struct Mask {
  std::int64_t rows = 0, columns = 0;
  std::vector<bool> marked;

  [[nodiscard]] bool at(std::int64_t row, std::int64_t column) const {
    return marked[static_cast<std::size_t>(row * columns + column)];
  }
  [[nodiscard]] std::int64_t count() const;
};

/// name: none, everywhere, one_element, rows, first_rows, last_rows, columns, first_columns, last_columns,
/// tile, stride (every n-th row or column), upper_triangle (column > row), diagonal, scattered.
struct Pattern {
  std::string name;
  std::string text;  ///< "rows 64 to 67 of 68"
};

/// A row (column, box) counts as wrong when nine tenths of it are.
[[nodiscard]] Pattern find_pattern(const Mask& mask);

}  // namespace evo::diagnose
