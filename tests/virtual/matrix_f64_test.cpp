// m8n8k4 of f64: layouts in memory, in place, and lanes that are missing.
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

class MatrixF64 : public testing::TestWithParam<CheckLevel> {
 protected:
  /// Element (row, column) of a matrix of integers; big ones, so that f32 could not hold their products.
  static double left(int row, int column) { return 100'003.0 * row + 7 * column + 1; }
  static double right(int row, int column) { return 10'007.0 * column - 3 * row + 2; }
  static double start(int row, int column) { return row * 8.0 + column; }
  static double expected(int row, int column, int k) {
    double sum = start(row, column);
    for (int i = 0; i < k; ++i) sum += left(row, i) * right(i, column);
    return sum;
  }

  /// C, as the kernel leaves it.
  static std::vector<double> run(const std::string& entry, int k, bool transposed) {
    std::vector<double> a(static_cast<std::size_t>(8 * k)), b(a.size()), c(64);
    const auto at = [&](std::vector<double>& m, int row, int column, int rows, int columns) -> double& {
      return m[static_cast<std::size_t>(transposed ? column * rows + row : row * columns + column)];
    };
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < k; ++j) at(a, i, j, 8, k) = left(i, j);
      for (int j = 0; j < k; ++j) at(b, j, i, k, 8) = right(j, i);
      for (int j = 0; j < 8; ++j) at(c, i, j, 8, 8) = start(i, j);
    }
    Rig rig("matrix_f64.ptx", entry);
    rig.options.checks = GetParam();
    const auto in_a = rig.buffer("a", a);
    const auto in_b = rig.buffer("b", b);
    const auto in_out = rig.buffer("c", c);
    model::LaunchPlan plan;
    plan.block = {32, 1, 1};
    Rig::Arguments arguments = {pointer(in_a), pointer(in_b), pointer(in_out)};
    if (entry != "one_tile") arguments.push_back(scalar(k));
    const auto outcome = rig.launch(plan, arguments);
    if (!outcome) ADD_FAILURE() << outcome.error().reason << ' ' << outcome.error().evidence.front().message;
    return rig.contents<double>(in_out, 64);
  }
};

TEST_P(MatrixF64, MultipliesRowsByRows) {
  const std::vector<double> c = run("row_row", 12, false);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(c[static_cast<std::size_t>(row * 8 + column)], expected(row, column, 12))
          << row << ' ' << column;
  }
}

TEST_P(MatrixF64, MultipliesColumnsByColumns) {
  const std::vector<double> c = run("col_col", 8, true);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(c[static_cast<std::size_t>(column * 8 + row)], expected(row, column, 8))
          << row << ' ' << column;
  }
}

TEST_P(MatrixF64, MultipliesFragmentsOfLanes) {
  const std::vector<double> c = run("one_tile", 4, false);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(c[static_cast<std::size_t>(row * 8 + column)], expected(row, column, 4))
          << row << ' ' << column;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, MatrixF64,
                         testing::Values(CheckLevel::none, CheckLevel::filtered, CheckLevel::exact),
                         [](const auto& level) {
                           return level.param == CheckLevel::none       ? "None"
                                  : level.param == CheckLevel::filtered ? "Filtered"
                                                                        : "Exact";
                         });

}  // namespace
}  // namespace evo::tests
