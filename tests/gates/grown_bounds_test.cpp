#include "evaluators/gates/grown_bounds.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "evaluators/gates/compare_outputs.hpp"
#include "evaluators/gates/tensor_sums.hpp"
#include "tests/support/cases.hpp"

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

TEST_F(GrownBounds, TensorCoresCutOffWhatTheyAdd) {
  EXPECT_EQ(truncation_error(job, job.cases[0]), 0);
  job.tensor_core_sums = true;
  EXPECT_DOUBLE_EQ(truncation_error(job, job.cases[0]), 64 * 0x1p-25) << "steps of eight";
  EXPECT_DOUBLE_EQ(bounds_of(job, 1, false).truncation, 125 * 0x1p-25);
  EXPECT_DOUBLE_EQ(workload_bounds(job, job.cases[0]).truncation, 64 * 0x1p-25) << "in every step of a trial";
  const std::size_t large = add(CaseUse::alone, 1, 1 << 24);
  EXPECT_DOUBLE_EQ(truncation_error(job, job.cases[large]), 2048 * 0x1p-25) << "nobody adds more in one";
  const auto module = [](const std::string& body) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n" + body + "ret;\n}\n";
  };
  EXPECT_TRUE(adds_in_tensor_cores(
      module("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, "
             "{%f1,%f2,%f3,%f4};\n")));
  EXPECT_FALSE(adds_in_tensor_cores(
      module("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7}, "
             "{%r1,%r2,%r3,%r4};\n")));
  EXPECT_FALSE(adds_in_tensor_cores(module("fma.rn.f32 %f1, %f2, %f3, %f1;\n")));
}

Snapshot snapshot_of(const void* found, std::size_t bytes) {
  const std::shared_ptr<std::byte[]> held(new std::byte[bytes]);
  std::memcpy(held.get(), found, bytes);
  Snapshot snapshot;
  snapshot.bytes.emplace_back(std::shared_ptr<std::byte>(held, held.get()), bytes);
  snapshot.patterns = {0x7fc00000};
  return snapshot;
}

/// Whether four ones that are off by `error` pass, where a plain implementation is off by nearly nothing.
template <class Number>
bool passes(model::DType dtype, double error, double truncation) {
  model::Case bound;
  bound.name = "ones";
  bound.arguments = {tests::array_argument("c", model::ArgumentRole::output, dtype, {4})};
  oracle::ReferenceData reference;
  reference.outputs = {{1, 1, 1, 1}};
  reference.inputs.resize(1);
  reference.plain_errors = {{1e-12, 1e-12}};
  const std::vector<Number> found(4, static_cast<Number>(1 + error));
  const Snapshot snapshot = snapshot_of(found.data(), found.size() * sizeof(Number));
  model::Tolerance tolerance;
  tolerance.reference_factor.emplace();
  tolerance.relative_frobenius = tolerance.max_abs_over_rms = 1;
  return !judge({tolerance, 0, truncation}, bound, snapshot, reference, {});
}

TEST(TensorCores, AreNoExcuseForAnOutputInDouble) {
  EXPECT_TRUE(passes<float>(model::DType::f32, 1e-5, 1e-5));
  EXPECT_FALSE(passes<float>(model::DType::f32, 1e-5, 0));
  EXPECT_FALSE(passes<double>(model::DType::f64, 1e-5, 1e-5));
}

/// Four ones, of which the second is off by 1/16; two moves of the inputs show next to nothing, and many that
/// it goes up to `high`.
bool passes_up_to(double high, bool asked, bool exact = false, double class_bound = 1e-3) {
  model::Case bound;
  bound.name = "ones";
  bound.arguments = {tests::array_argument("c", model::ArgumentRole::output, model::DType::f32, {4})};
  oracle::ReferenceData reference;
  reference.outputs = {{1, 1, 1, 1}};
  reference.inputs.resize(1);
  reference.conditioning = {{1e-9, 1e-9}};
  reference.rules.exact = exact;
  const std::vector<std::vector<oracle::Blur>> found{{{1, 1, high}}};
  if (asked) {
    reference.moved = [&](const oracle::InputBuffers&,
                          const oracle::ReferenceOutputs&) -> const std::vector<std::vector<oracle::Blur>>& {
      return found;
    };
  }
  const std::vector<float> ones{1, 1.0625F, 1, 1};
  return !judge({{"fp16", class_bound, class_bound, {}}, 0, 0}, bound, snapshot_of(ones.data(), 16),
                reference, {});
}

TEST(MovedRanges, AreAskedBeforeAMismatchIsTold) {
  EXPECT_TRUE(passes_up_to(1.07, true));
  EXPECT_FALSE(passes_up_to(1.05, true));
  EXPECT_FALSE(passes_up_to(1.07, false));
  EXPECT_FALSE(passes_up_to(1.07, true, true)) << "a set whose answers are asked bit for bit";
  EXPECT_FALSE(passes_up_to(1.07, true, false, 0)) << "a class that asks them bit for bit";
  EXPECT_FALSE(passes_up_to(1.07, true, false, 1e-4)) << "further off than luck explains";
}

}  // namespace
}  // namespace evo::evaluators::gates
