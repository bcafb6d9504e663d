// A launch of some of its blocks: what those write, whether they need the others, and what is found in them.
#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/error.hpp"
#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::BufferId;
using evaluators::devices::CheckLevel;
using evaluators::devices::LaunchReport;
using evaluators::devices::Outcome;

constexpr std::uint32_t blocks = 24, sample_tile = 64;
constexpr std::uint32_t pattern = 0x7fc0ffeeU;
using Blocks = std::vector<std::uint64_t>;

/// One kernel of sample.cu with an input, an output and a workspace, each as large as all blocks need.
class SampleRig : public Rig {
 public:
  explicit SampleRig(const std::string& kernel, CheckLevel level) : Rig("sample.ptx", kernel) {
    options.checks = level;
    std::vector<float> values(size);
    std::iota(values.begin(), values.end(), 1.0f);
    in = buffer("in", values);
    out = empty<float>("out", size);
    work = empty<std::uint32_t>("work", size);
    poison();
  }
  void poison() {
    ASSERT_TRUE(device.poison(out, pattern));
    ASSERT_TRUE(device.poison(work, pattern));
  }
  Outcome<LaunchReport> run(const Blocks& sample, const Arguments& more = {},
                            std::uint32_t threads = sample_tile) {
    options.blocks = sample;
    Arguments arguments{pointer(in), pointer(out)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return launch({{blocks, 1, 1}, {threads, 1, 1}, 0}, arguments);
  }
  std::vector<std::uint32_t> bits() { return contents<std::uint32_t>(out, size); }

  static constexpr std::size_t size = std::size_t{blocks} * 256 + 1;
  BufferId in = 0, out = 0, work = 0;
};

class SampledBlocks : public testing::TestWithParam<CheckLevel> {};

TEST_P(SampledBlocks, WriteWhatTheyWriteAmongAllOthers) {
  SampleRig all("tiles", GetParam());
  const auto count = scalar(static_cast<int>(blocks * sample_tile));
  const auto full = all.run({}, {count});
  ASSERT_TRUE(full) << full.error().reason;
  EXPECT_TRUE(full->blocks_independent);
  EXPECT_EQ(full->idle_blocks, 0U);
  const std::vector<std::uint32_t> expected = all.bits();

  // In any order, and named twice.
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (const Blocks& sample : {Blocks{0}, Blocks{23}, Blocks{17, 3, 4, 17}}) {
      SampleRig some("tiles", GetParam());
      some.options.schedule_seed = seed;
      const auto report = some.run(sample, {count});
      ASSERT_TRUE(report) << report.error().reason;
      EXPECT_TRUE(report->blocks_independent);
      EXPECT_EQ(report->idle_blocks, 0U);
      const std::vector<std::uint32_t> got = some.bits();
      const std::vector<std::uint8_t> written = some.device.written(some.out);
      ASSERT_EQ(written.size(), SampleRig::size * 4);
      for (std::size_t i = 0; i < SampleRig::size; ++i) {
        const bool ran = std::ranges::find(sample, i / sample_tile) != sample.end();
        ASSERT_EQ(got[i], ran ? expected[i] : pattern) << i;
        for (std::size_t byte = 4 * i; byte < 4 * i + 4; ++byte) ASSERT_EQ(written[byte] != 0, ran) << i;
      }
    }
  }
}

TEST(SampledBlocks, HaveCountsOfTheirOwn) {
  SampleRig rig("tiles", CheckLevel::filtered);
  rig.options.count = true;
  const auto count = scalar(static_cast<int>(blocks * sample_tile));
  const auto all = rig.run({}, {count}), some = rig.run({2, 5, 11, 23}, {count});
  ASSERT_TRUE(all);
  ASSERT_TRUE(some);
  EXPECT_GT(some->counts.warp_instructions, 0U);
  EXPECT_EQ(some->counts.warp_instructions * (blocks / 4), all->counts.warp_instructions);
  EXPECT_EQ(some->counts.global_accesses * (blocks / 4), all->counts.global_accesses);
}

TEST_P(SampledBlocks, AreCountedWhereTheyStoreNothing) {
  SampleRig rig("some_idle", GetParam());
  const auto sampled = rig.run({1, 4, 9, 23}, {scalar(5)});
  ASSERT_TRUE(sampled) << sampled.error().reason;
  EXPECT_EQ(sampled->idle_blocks, 2U);
  EXPECT_TRUE(sampled->blocks_independent);
  const auto all = rig.run({}, {scalar(5)});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->idle_blocks, blocks - 5);
}

TEST_P(SampledBlocks, ThatNeedOthersSaySoAndNothingElse) {
  const std::vector<std::string> kernels{"counts",
                                         "last_one_sums",
                                         "chain",
                                         "indirect",
                                         "marks_input",
                                         "copies_from_another",
                                         "fragment_of_another",
                                         "writes_input"};
  for (const std::string& kernel : kernels) {
    // Whether or not what another block would write has a value to begin with.
    for (const bool filled : {false, true}) {
      SampleRig rig(kernel, GetParam());
      Rig::Arguments more;
      if (!kernel.ends_with("_input")) more.push_back(pointer(rig.work));
      const std::vector<std::uint32_t> zeros(SampleRig::size);
      if (filled) {
        ASSERT_TRUE(rig.device.write(rig.work, std::as_bytes(std::span(zeros))));
      }
      const auto report = rig.run({5, 20}, more, kernel == "fragment_of_another" ? 32 : sample_tile);
      ASSERT_TRUE(report) << kernel << ": " << report.error().reason;
      EXPECT_FALSE(report->blocks_independent) << kernel << ", filled " << filled;
    }
  }
}

TEST_P(SampledBlocks, AllBlocksThatDependOnOneAnotherSaySoToo) {
  SampleRig rig("counts", GetParam());
  const std::vector<std::uint32_t> zeros(SampleRig::size);
  ASSERT_TRUE(rig.device.write(rig.work, std::as_bytes(std::span(zeros))));
  const auto report = rig.run({}, {pointer(rig.work)});
  ASSERT_TRUE(report) << report.error().reason;
  EXPECT_FALSE(report->blocks_independent);
  EXPECT_EQ(rig.contents<std::uint32_t>(rig.work, 1).front(), blocks);
}

TEST_P(SampledBlocks, OfAllBlocksAreNoSample) {
  Blocks every(blocks);
  std::iota(every.begin(), every.end(), std::uint64_t{0});
  SampleRig rig("indirect", GetParam());
  const auto report = rig.run(every, {pointer(rig.work)});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().reason, "race_global");
}

TEST_P(SampledBlocks, KeepTheirOwnFindings) {
  {
    SampleRig rig("same_element", GetParam());
    EXPECT_TRUE(rig.run({7}));
    rig.poison();
    const auto raced = rig.run({7, 8});
    ASSERT_FALSE(raced);
    EXPECT_EQ(raced.error().reason, "race_global");
  }
  SampleRig rig("reads_unwritten_shared", GetParam());
  const auto found = rig.run({11});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, "uninitialized");
}

TEST_P(SampledBlocks, SeeABufferThatWasEverPoisonedAsNoInput) {
  // All written, by the host or by an earlier launch: another block may still write it in this one.
  SampleRig rig("copies_from_another", GetParam());
  const std::vector<float> values(SampleRig::size, 1.0f);
  ASSERT_TRUE(rig.device.write(rig.work, std::as_bytes(std::span(values))));
  const auto report = rig.run({5}, {pointer(rig.work)});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->blocks_independent);
}

INSTANTIATE_TEST_SUITE_P(Levels, SampledBlocks, testing::Values(CheckLevel::exact, CheckLevel::filtered),
                         [](const auto& parameter) {
                           return parameter.param == CheckLevel::exact ? "Exact" : "Filtered";
                         });

TEST(SampledBlocksUnchecked, AreNeverKnownToBeIndependent) {
  SampleRig rig("some_idle", CheckLevel::none);
  const auto report = rig.run({1, 9}, {scalar(5)});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->blocks_independent);
  EXPECT_EQ(report->idle_blocks, 1U);
}

TEST(SampledBlocksOf, ASmallerGridAreTheCallersMistake) {
  SampleRig rig("some_idle", CheckLevel::filtered);
  EXPECT_THROW(static_cast<void>(rig.run({blocks}, {scalar(5)})), model::Exception);
}

TEST(WrittenBytes, AreThoseSincePoisonInEveryPart) {
  evaluators::devices::VirtualDevice device(small_target());
  const std::uint64_t far = std::uint64_t{1} << 36;
  const auto id = device.allocate({far + 8, 0, "parts", {{0, 8}, {far, 8}}}).value();
  EXPECT_EQ(device.written(id), std::vector<std::uint8_t>(16, 0));
  const std::vector<float> values(3, 1.0f);
  ASSERT_TRUE(device.write(id, std::as_bytes(std::span(values))));
  const auto written = device.written(id);
  EXPECT_EQ(std::ranges::count_if(written, [](auto byte) { return byte != 0; }), 12);
  EXPECT_NE(written[11], 0);
  ASSERT_TRUE(device.poison(id, pattern));
  EXPECT_EQ(device.written(id), std::vector<std::uint8_t>(16, 0));
}

}  // namespace
}  // namespace evo::tests
