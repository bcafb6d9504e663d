// Bulk copies of consecutive bytes: correct kernels give correct values in several schedules, whoever wrote
// them; each mistake is found with its kind and line.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::Evidence;
using model::Failure;
using model::Status;

constexpr int row = 128;
constexpr const char* bulk_fixture = "bulk.ptx";

std::vector<float> bulk_input(int tiles) {
  std::vector<float> values(static_cast<std::size_t>(tiles * row));
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

class BulkCopies : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  /// Each row of the input backwards.
  static std::vector<float> turned(int tiles) {
    const std::vector<float> in = bulk_input(tiles);
    std::vector<float> out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i / row * row + row - 1 - i % row];
    return out;
  }
  static std::vector<float> summed(int tiles) {
    const std::vector<float> rows = turned(tiles);
    std::vector<float> sums(row);
    for (std::size_t i = 0; i < rows.size(); ++i) sums[i % row] += rows[i];
    return sums;
  }
  /// `given`: what the kernel takes as `tiles`; `filled`: out starts with zeros.
  evaluators::devices::Outcome<std::vector<float>> run(const std::string& kernel, int tiles, int given = -1,
                                                       bool filled = false, unsigned blocks = 1) {
    Rig rig(bulk_fixture, kernel);
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    rig.options.instruction_budget = 2'000'000;
    const auto size = static_cast<std::size_t>(tiles * row);
    const auto out = filled ? rig.buffer("out", std::vector<float>(size)) : rig.empty<float>("out", size);
    const Rig::Arguments arguments{pointer(rig.buffer("in", bulk_input(tiles))), pointer(out),
                                   scalar(given < 0 ? tiles : given)};
    const auto done = rig.launch({{blocks, 1, 1}, {row, 1, 1}, 0}, arguments);
    if (!done) return tl::unexpected(done.error());
    return rig.contents<float>(out, size);
  }
  [[nodiscard]] static bool checked() { return std::get<0>(GetParam()) != CheckLevel::none; }

  void gives(const std::string& kernel, int tiles, std::vector<float> wanted, bool filled = false,
             unsigned blocks = 1) {
    auto result = run(kernel, tiles, -1, filled, blocks);
    ASSERT_TRUE(result) << kernel << ": " << result.error().evidence.front().message;
    result->resize(wanted.size());
    EXPECT_EQ(*result, wanted) << kernel << ", " << tiles;
  }
  /// The first finding, and some finding of the kind at the marked line.
  void finds(const std::string& kernel, const std::string& kind, const std::string& mark, int tiles = 3,
             int given = -1, bool filled = false) {
    const auto result = run(kernel, tiles, given, filled);
    ASSERT_FALSE(result) << kernel << ": the fault was not found";
    EXPECT_EQ(result.error().reason, kind) << kernel << ": " << result.error().evidence.front().message;
    const int line = marked_line("bulk.cu", mark);
    bool found = false;
    std::string seen;
    for (const Evidence& evidence : result.error().evidence) {
      seen += evidence.kind + ": " + evidence.message + "\n";
      found |= evidence.kind == kind &&
               (evidence.line == line ||
                evidence.message.find("line " + std::to_string(line)) != std::string::npos);
    }
    EXPECT_TRUE(found) << kernel << ": " << kind << " at " << line << "; found " << seen;
  }
};

TEST_P(BulkCopies, CorrectLoadsGiveCorrectValues) {
  for (const char* kernel :
       {"linear_right", "linear_libcu", "linear_memcpy", "one_waits", "told_by_flag", "ring_right"}) {
    for (const int tiles : {1, 2, 3, 6}) gives(kernel, tiles, summed(tiles));
  }
}

TEST_P(BulkCopies, CorrectStoresGiveCorrectValues) {
  for (const char* kernel : {"store_right", "store_in_turn"}) {
    for (const int tiles : {1, 2, 5}) gives(kernel, tiles, turned(tiles));
  }
  std::vector<float> more = turned(1);
  for (float& value : more) value += 1;
  gives("store_read_back", 1, more);
}

TEST_P(BulkCopies, ReductionsAddToWhatIsThere) {
  gives("reduce_right", 3, summed(3), true, 3);
}

TEST_P(BulkCopies, WhoReadsWithoutAWaitIsTold) {
  if (!checked()) GTEST_SKIP() << "no findings without checks";
  finds("not_waited", "async_not_waited", "not waited");
  finds("some_do_not_wait", "race_shared", "some do not wait");
  finds("issuer_does_not_wait", "async_not_waited", "issuer does not wait");
  finds("waits_for_the_other", "race_shared", "waits for the other");
  finds("expects_nothing", "async_not_waited", "expects nothing");
}

TEST_P(BulkCopies, BytesThatDoNotComeHang) {
  for (const char* kernel : {"expects_more", "expects_less"}) {
    const auto result = run(kernel, 1);
    ASSERT_FALSE(result) << kernel;
    EXPECT_EQ(result.error().status, Status::timeout) << kernel;
    EXPECT_EQ(result.error().reason, "hang") << kernel;
    if (!checked()) continue;
    const std::string message = result.error().evidence.front().message;
    EXPECT_NE(message.find("16 bytes"), std::string::npos) << message;
  }
}

TEST_P(BulkCopies, ACopyOverWhatOthersReadRaces) {
  if (!checked()) GTEST_SKIP() << "no findings without checks";
  finds("overwrites", "race_shared", "overwrites");
  finds("ring_lanes_not_met", "race_shared", "ring reads", 4);
  finds("source_written", "race_global", "source written", 1, 1, true);
}

TEST_P(BulkCopies, MbarriersAreThereWhileCopiesCountOnThem) {
  if (!checked()) GTEST_SKIP() << "no findings without checks";
  finds("no_barrier", "barrier_divergence", "load");
  finds("invalidated", "barrier_divergence", "inval");
}

TEST_P(BulkCopies, AddressesAndSizesAreMultiplesOf16) {
  for (const int wrong : {1, 2, 3}) {
    finds("moved_source", "misaligned", "load", 2, wrong);
    finds("moved_target", "misaligned", "load", 2, wrong);
    finds("odd_size", "misaligned", "load", 2, wrong);
  }
  for (const char* kernel : {"moved_source", "moved_target"}) {
    const auto done = run(kernel, 2, 4);
    EXPECT_TRUE(done) << kernel << ": " << done.error().evidence.front().message;
  }
}

TEST_P(BulkCopies, NothingBeyondTheEndIsCopied) {
  finds("moved_source", "out_of_bounds", "load", 2, row + 4);
  finds("moved_target", "out_of_bounds", "load", 2, row + 4);
}

TEST_P(BulkCopies, SharedMemoryIsNotUsedAgainBeforeAStoreHasReadIt) {
  if (!checked()) GTEST_SKIP() << "no findings without checks";
  finds("store_not_waited", "async_not_waited", "store not waited");
  finds("store_not_committed", "async_not_waited", "store not committed");
  // Before the wait it overtakes the copy, behind it nothing orders the two.
  const auto result = run("store_wait_not_told", 1);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().reason == "async_not_waited" || result.error().reason == "race_shared")
      << result.error().reason;
}

TEST_P(BulkCopies, WhatAStoreWritesIsThereAfterItsWait) {
  if (!checked()) GTEST_SKIP() << "no findings without checks";
  finds("store_read_back_early", "async_not_waited", "read back early", 1);
}

TEST_P(BulkCopies, UnwrittenSharedMemoryIsNotStored) {
  if (!checked()) GTEST_SKIP() << "no findings without checks";
  finds("stores_unwritten", "uninitialized", "store", 1);
}

INSTANTIATE_TEST_SUITE_P(Schedules, BulkCopies,
                         testing::Combine(testing::Values(CheckLevel::none, CheckLevel::filtered,
                                                          CheckLevel::exact),
                                          testing::Values(0, 1, 7)));

// As many sectors and wavefronts as copies of 16 bytes a lane.
TEST(BulkCopy, CountsWhatItMoves) {
  Rig rig(bulk_fixture, "linear_right");
  rig.options.checks = CheckLevel::none;
  rig.options.count = true;
  const auto out = rig.empty<float>("out", row);
  const auto done = rig.launch({{1, 1, 1}, {row, 1, 1}, 0},
                               {pointer(rig.buffer("in", bulk_input(4))), pointer(out), scalar(4)});
  ASSERT_TRUE(done) << done.error().evidence.front().message;
  EXPECT_EQ(done->counts.async_bytes, 4U * row * sizeof(float));
  EXPECT_EQ(done->counts.async_copies, 4U);
  const std::uint64_t stored = row * sizeof(float) / 32;
  EXPECT_EQ(done->counts.global_sectors, 4U * row * sizeof(float) / 32 + stored);
}

// A missing wait shows as a value too: what was there before, where copies land late.
TEST(BulkCopy, WhoDoesNotWaitReadsWhatWasThereBefore) {
  Rig rig(bulk_fixture, "not_waited");
  const auto out = rig.buffer("out", std::vector<float>(row, 7));
  ASSERT_FALSE(rig.launch({{1, 1, 1}, {row, 1, 1}, 0},
                          {pointer(rig.buffer("in", bulk_input(1))), pointer(out), scalar(1)}));
  EXPECT_EQ(rig.contents<float>(out, row), std::vector<float>(row));
}

/// Two copies with an mbarrier each, one after another; all threads wait for the `waited`-th, and read the
/// first.
std::string reason_of_reading_the_first(int waited) {
  const std::string copy =
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+AT], 128;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+TO], [%rd1], 128, [%r2+AT];\n";
  const auto at = [](std::string text, const std::string& mbarrier, const std::string& tile) {
    for (const auto& [name, value] : {std::pair{"AT", mbarrier}, std::pair{"TO", tile}}) {
      for (std::size_t i; (i = text.find(name)) != std::string::npos;) text.replace(i, 2, value);
    }
    return text;
  };
  const std::string text =
      ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.shared .align 128 .b8 tile[256];\n"
      ".shared .align 8 .b8 full[16];\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n"
      "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, full;\nmov.u32 %r3, tile;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra "
      "MET;\n"
      "mbarrier.init.shared::cta.b64 [%r2], 1;\nmbarrier.init.shared::cta.b64 [%r2+8], 1;\n"
      "fence.proxy.async.shared::cta;\nMET:\nbar.sync 0;\n@%p1 bra WAIT;\n" +
      at(copy, "0", "0") + at(copy, "8", "128") +
      "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2+" + std::to_string(8 * waited) +
      "], 0;\n@!%p2 bra WAIT;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r5, %r3, %r4;\nld.shared.u32 %r6, [%r5];\n"
      "mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd3, %rd2, %rd3;\nst.global.u32 [%rd3], %r6;\nret;\n}\n";
  Rig rig(text, "k");
  const auto in = rig.buffer("in", std::vector<std::uint32_t>(32, 7));
  const auto done =
      rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(in), pointer(rig.empty<std::uint32_t>("out", 32))});
  return done ? "" : done.error().reason;
}

TEST(BulkCopy, OneMbarrierTellsNothingOfAnothersCopies) {
  EXPECT_EQ(reason_of_reading_the_first(0), "");
  const std::string reason = reason_of_reading_the_first(1);
  EXPECT_TRUE(reason == "race_shared" || reason == "async_not_waited") << reason;
}

/// Thread 32 waits for the first copy, and says so by a volatile flag that orders nothing; only then thread 0
/// begins the second one, with `mbarrier`. All others wait for the one at byte 8 of `full`, and read what the
/// first has brought.
std::string reason_of_reading_what_has_landed(int mbarrier) {
  const auto copy = [](int at, int to) {
    const std::string place = "[%r2+" + std::to_string(at) + "]";
    return "mbarrier.arrive.expect_tx.shared::cta.b64 _, " + place +
           ", 128;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+" +
           std::to_string(to) + "], [%rd1], 128, " + place + ";\n";
  };
  const std::string text =
      ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
      ".reg .pred %p<6>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n.shared .align 128 .b8 tile[256];\n"
      ".shared .align 8 .b8 full[16];\n.shared .align 4 .b8 flag[4];\n"
      "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n"
      "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, full;\nmov.u32 %r3, tile;\nmov.u32 %r7, flag;\n"
      "setp.ne.u32 %p1, %r1, 0;\nsetp.ne.u32 %p3, %r1, 32;\n@%p1 bra MET;\n"
      "mbarrier.init.shared::cta.b64 [%r2], 1;\nmbarrier.init.shared::cta.b64 [%r2+8], 1;\n"
      "st.volatile.shared.u32 [%r7], 0;\nfence.proxy.async.shared::cta;\nMET:\nbar.sync 0;\n@%p1 bra "
      "OTHERS;\n" +
      copy(8 - mbarrier, 0) +
      "POLL:\nld.volatile.shared.u32 %r8, [%r7];\nsetp.eq.u32 %p4, %r8, 0;\n@%p4 bra POLL;\n" +
      copy(mbarrier, 128) +
      "bra END;\nOTHERS:\n@%p3 bra WAIT;\n"
      "FIRST:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2+" +
      std::to_string(8 - mbarrier) +
      "], 0;\n@!%p2 bra FIRST;\nst.volatile.shared.u32 [%r7], 1;\nbra END;\n"
      "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2+8], 0;\n@!%p2 bra WAIT;\n"
      "and.b32 %r4, %r1, 31;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r5, %r3, %r4;\nld.shared.u32 %r6, [%r5];\n"
      "mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd3, %rd2, %rd3;\nst.global.u32 [%rd3], %r6;\nEND:\nret;\n}\n";
  Rig rig(text, "k");
  const auto in = rig.buffer("in", std::vector<std::uint32_t>(32, 7));
  const auto done =
      rig.launch({{1, 1, 1}, {64, 1, 1}, 0}, {pointer(in), pointer(rig.empty<std::uint32_t>("out", 64))});
  return done ? "" : done.error().reason;
}

TEST(BulkCopy, OneMbarrierTellsNothingOfAnothersCopiesThatHaveLanded) {
  EXPECT_EQ(reason_of_reading_what_has_landed(0), "");
  EXPECT_EQ(reason_of_reading_what_has_landed(8), "race_shared");
}

}  // namespace
}  // namespace evo::tests
