// The shapes of `evo characterize`: all combinations of some axes' values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/problem.hpp"

namespace evo::session {

/// An axis of the grid and its values, in the order in which they were named.
struct GridAxis {
  std::string name;  ///< the problem's
  std::vector<std::int64_t> values;
};

/// Texts AXIS=V,V,... A value is an integer, or LOW..HIGH: LOW and its doubles up to HIGH. An axis may be
/// named by the beginning of its name, in upper or lower case, where only one begins so (`B` for batch).
/// Throws model::Exception(usage) for an axis or a value that the problem does not have (with the nearest
/// one), an axis or value that comes twice, and more than 4096 shapes.
[[nodiscard]] std::vector<GridAxis> read_grid(const std::vector<std::string>& texts,
                                              const model::Problem& problem);

/// One point of a grid: the values of its axes in the grid's order, and the whole workload, named after them
/// ("batch=4,n=128").
struct GridShape {
  std::vector<std::int64_t> at;
  model::Workload workload;
};

/// All combinations, the last axis changing fastest; axes that the grid does not name are those of `base`. An
/// empty grid is one shape, `base` itself.
[[nodiscard]] std::vector<GridShape> shapes_of(const std::vector<GridAxis>& grid,
                                               const model::Workload& base);

}  // namespace evo::session
