// Asynchronous copies on the device: correct pipelines pass and give correct values, each mistake is found
// with its kind and both lines, by the filtered path and by the exact one, in several schedules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::Evidence;
using model::Failure;
using model::Status;

constexpr int copy_threads = 128;
constexpr const char* fixture = "async.ptx";

std::vector<float> small_numbers(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

class AsyncCopies : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  using Arguments = Rig::Arguments;

  /// Runs `kernel(in, out, scalar)` with 128 threads; `out` has 128 floats.
  evaluators::devices::Outcome<std::vector<float>> run(const std::string& kernel,
                                                       const std::vector<float>& in,
                                                       const std::vector<int>& scalars = {}) {
    Rig rig(fixture, kernel);
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    const auto out = rig.empty<float>("out", copy_threads);
    const auto input = blank_ ? rig.empty<float>("in", in.size()) : rig.buffer("in", in);
    Arguments arguments{pointer(input), pointer(out)};
    for (const int value : scalars) arguments.push_back(scalar(value));
    const auto done = rig.launch({{1, 1, 1}, {copy_threads, 1, 1}, 0}, arguments);
    if (!done) return tl::unexpected(done.error());
    return rig.contents<float>(out, copy_threads);
  }
  std::vector<float> correct(const std::string& kernel, const std::vector<float>& in,
                             const std::vector<int>& scalars = {}) {
    const auto result = run(kernel, in, scalars);
    EXPECT_TRUE(result) << kernel << ": " << result.error().evidence.front().message;
    return result ? *result : std::vector<float>(copy_threads);
  }
  Failure wrong(const std::string& kernel, const std::vector<int>& scalars = {},
                std::size_t count = 16 * copy_threads) {
    const auto result = run(kernel, small_numbers(count), scalars);
    EXPECT_FALSE(result) << kernel << ": the fault was not found";
    return result ? Failure{Status::proven, "", {Evidence{}}} : result.error();
  }
  /// Some finding of the kind is between the marked lines.
  static void expect(const Failure& failure, const std::string& kind, const std::string& here,
                     const std::string& other) {
    EXPECT_EQ(failure.status, Status::sanitizer_fail);
    const std::pair<int, int> lines =
        std::minmax(marked_line("async.cu", here), marked_line("async.cu", other.empty() ? here : other));
    std::string all;
    for (const Evidence& evidence : failure.evidence) {
      all += evidence.kind + ": " + evidence.message + "\n";
      const std::string second = detail(evidence, "other_line");
      const int at = second.empty() ? evidence.line : std::stoi(second);
      const std::pair<int, int> found = std::minmax(evidence.line, at);
      if (evidence.kind == kind && found == lines) return;
    }
    ADD_FAILURE() << "no " << kind << " at lines " << lines.first << " and " << lines.second << " in\n"
                  << all;
  }

  bool blank_ = false;
};

TEST_P(AsyncCopies, PipelinesOfTwoToFourStagesGiveTheSum) {
  for (const int tiles : {1, 2, 3, 7}) {
    const std::vector<float> in = small_numbers(4UL * copy_threads * tiles);
    std::vector<float> expected(copy_threads, 0);
    for (int i = 0; i < tiles; ++i) {
      for (int t = 0; t < copy_threads; ++t) {
        const float* v = &in[4UL * (i * copy_threads + copy_threads - 1 - t)];
        expected[t] += v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3];
      }
    }
    for (const char* kernel : {"pipeline2", "pipeline3", "pipeline4"}) {
      EXPECT_EQ(correct(kernel, in, {tiles}), expected) << kernel << " with " << tiles;
    }
  }
}

TEST_P(AsyncCopies, CopiesOfFourAndEightBytesInTwoBuffers) {
  const int tiles = 5;
  const std::vector<float> in = small_numbers(2UL * copy_threads * tiles);
  std::vector<float> expected(copy_threads, 0);
  for (int i = 0; i < tiles; ++i) {
    for (int t = 0; t < copy_threads; ++t) {
      expected[t] += in[2UL * (i * copy_threads + (t ^ 37))] - in[2UL * (i * copy_threads + (t ^ 64)) + 1];
    }
  }
  EXPECT_EQ(correct("double_buffer", in, {tiles}), expected);
}

TEST_P(AsyncCopies, WhatIsNotReadBecomesZero) {
  const int n = 4 * copy_threads - 70;
  const std::vector<float> in = small_numbers(n);
  std::vector<float> padded = in;
  padded.resize(4UL * copy_threads, 0);
  std::vector<float> expected(copy_threads);
  for (int t = 0; t < copy_threads; ++t) {
    const float* v = &padded[4UL * (t ^ 32)];
    expected[t] = v[0] + v[1] + v[2] + v[3];
  }
  EXPECT_EQ(correct("zero_fill", in, {n}), expected);
}

TEST_P(AsyncCopies, AnIgnoredSourceIsNotRead) {
  const std::vector<float> in = small_numbers(40);
  std::vector<float> expected = in;
  expected.resize(copy_threads, 0);
  EXPECT_EQ(correct("ignored_source", in, {40}), expected);
}

TEST_P(AsyncCopies, GroupsAreCountedByThread) {
  const std::vector<float> in = small_numbers(12UL * copy_threads);
  std::vector<float> expected(copy_threads);
  for (int t = 0; t < copy_threads; ++t) expected[t] = in[4UL * t + (t % 2 == 0 ? 1 : 0)];
  EXPECT_EQ(correct("uneven_groups", in), expected);
}

TEST_P(AsyncCopies, ReadsWithoutAWait) {
  Failure failure = wrong("no_wait");
  expect(failure, "async_not_waited", "no_wait_read", "no_wait_copy");
  EXPECT_EQ(failure.reason, "async_not_waited") << "before the unwritten bytes that it leaves";
  EXPECT_EQ(failure.evidence.front().line, marked_line("async.cu", "no_wait_read"));
  failure = wrong("own_bytes");
  expect(failure, "async_not_waited", "own_read", "own_copy");
  failure = wrong("not_committed");
  expect(failure, "async_not_waited", "uncommitted_read", "uncommitted_copy");
  failure = wrong("one_too_many", {4});
  EXPECT_EQ(failure.reason, "async_not_waited");
  EXPECT_EQ(failure.evidence.front().line, marked_line("async.cu", "many_read"));
}

TEST_P(AsyncCopies, AWaitThatNoBarrierPublishes) {
  expect(wrong("no_barrier"), "race_shared", "no_barrier_read", "no_barrier_copy");
  const Failure failure = wrong("barrier_before_wait");
  EXPECT_TRUE(failure.reason == "async_not_waited" || failure.reason == "race_shared") << failure.reason;
  expect(failure, failure.reason, "early_barrier_read", "early_barrier_copy");
}

TEST_P(AsyncCopies, AStageThatIsStillRead) {
  expect(wrong("overwritten_stage", {6}), "race_shared", "stage_read", "stage_copy");
  expect(wrong("copy_over_read"), "race_shared", "still_read", "over_read");
}

TEST_P(AsyncCopies, WritesToBytesInFlight) {
  expect(wrong("store_into_copy"), "async_not_waited", "store_write", "store_copy");
  expect(wrong("copy_over_copy"), "async_not_waited", "second_copy", "first_copy");
}

TEST_P(AsyncCopies, TheSourceMayBeReadUntilTheWait) {
  expect(wrong("source_overwritten"), "race_global", "source_write", "source_copy");
}

TEST_P(AsyncCopies, AddressesAreCheckedAtTheIssue) {
  expect(wrong("misaligned_target"), "misaligned", "misaligned_copy", "");
  expect(wrong("source_outside", {8}), "misaligned", "outside_copy", "");
  const Failure outside = wrong("source_outside", {16}, 4UL * copy_threads);
  expect(outside, "out_of_bounds", "outside_copy", "");
  EXPECT_THAT(outside.evidence.front().message, testing::HasSubstr("in byte offset"));
}

TEST_P(AsyncCopies, UnwrittenSourcesStayUnwritten) {
  blank_ = true;
  expect(wrong("uninitialized_source"), "uninitialized", "blank_copy", "blank_read");
}

INSTANTIATE_TEST_SUITE_P(
    Schedules, AsyncCopies,
    testing::Combine(testing::Values(CheckLevel::exact, CheckLevel::filtered), testing::Values(0, 1, 2)),
    [](const auto& parameters) {
      return std::string(std::get<0>(parameters.param) == CheckLevel::exact ? "Exact" : "Filtered") +
             std::to_string(std::get<1>(parameters.param));
    });

}  // namespace
}  // namespace evo::tests
