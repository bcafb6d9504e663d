#include "evaluators/gates/grown_bounds.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

struct GrownBounds : ::testing::Test {
  GrownBounds() {
    job.tolerance = {"fp32", 1e-6, 1e-4, {}};
    job.reduced_axes = {"columns"};
    add(CaseUse::workload, 8, 512);
    add(CaseUse::odd, 3, 1000);
  }
  std::size_t add(CaseUse use, std::int64_t rows, std::int64_t columns) {
    model::Case bound;
    bound.axes = {{"rows", rows}, {"columns", columns}};
    job.cases.push_back(bound);
    job.uses.push_back(use);
    return job.cases.size() - 1;
  }
  DeviceJob job;
};

TEST_F(GrownBounds, AreThoseOfTheClassForWhatIsDeclaredOrNoLarger) {
  const std::size_t small = add(CaseUse::stretched, 8, 900);
  const std::size_t drawn = add(CaseUse::drawn, 100, 5000);
  for (const std::size_t index : {std::size_t{0}, std::size_t{1}, small, drawn}) {
    EXPECT_EQ(grown_bounds(job, index).relative_frobenius, 1e-6);
    EXPECT_EQ(grown_bounds(job, index).max_abs_over_rms, 1e-4);
  }
}

TEST_F(GrownBounds, GrowWithAnAxisThatIsSummedOverAndNotForEver) {
  const model::Tolerance twice = grown_bounds(job, add(CaseUse::stretched, 9, 2000));
  EXPECT_DOUBLE_EQ(twice.relative_frobenius, 2e-6);
  EXPECT_DOUBLE_EQ(twice.max_abs_over_rms, 2e-4);
  EXPECT_EQ(twice.accuracy_class, "fp32");
  EXPECT_DOUBLE_EQ(grown_bounds(job, add(CaseUse::stretched, 3200, 3)).relative_frobenius, 1e-6)
      << "nothing is summed over rows";
  EXPECT_DOUBLE_EQ(grown_bounds(job, add(CaseUse::stretched, 1, 65536)).relative_frobenius, 64e-6);
}

TEST_F(GrownBounds, WhatNobodyDeclaredMayBeOffByTheRoundingOfItsSums) {
  EXPECT_DOUBLE_EQ(summation_error(job, 0), 512 * 0x1p-24);
  EXPECT_DOUBLE_EQ(summation_error(job, add(CaseUse::stretched, 1, 65536)), 4096 * 0x1p-24);
  EXPECT_DOUBLE_EQ(bounds_of(job, 0, true).relative, 512 * 0x1p-24);
  EXPECT_EQ(bounds_of(job, 0, false).relative, 0) << "what is declared has bounds of its own";
  job.reduced_axes.clear();
  EXPECT_DOUBLE_EQ(summation_error(job, 0), 0x1p-24);
}

}  // namespace
}  // namespace evo::evaluators::gates
