// Named barriers between producer and consumer warps: correct, with a wrong count, and missing; by the
// filtered path and by the exact one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

constexpr unsigned rounds = 5;

/// Warps 0 and 1 fill a tile of 64 words, warps 2 and 3 read it, `rounds` times. `filled` and `freed` are
/// what producers and consumers do at barrier 1 (the tile is full) and 2 (it may be filled again).
struct Barriers {
  std::string filled_producer = "bar.arrive 1, 128;", filled_consumer = "bar.sync 1, 128;";
  std::string freed_producer = "bar.sync 2, 128;", freed_consumer = "bar.arrive 2, 128;";
};
std::string program(const Barriers& barriers) {
  return warp::kernel(R"(
    mov.u32 %r8, tile;
    and.b32 %r6, %r1, 63;
    shl.b32 %r6, %r6, 2;
    add.s32 %r9, %r8, %r6;       // own word
    xor.b32 %r7, %r6, 132;
    add.s32 %r10, %r8, %r7;      // another warp's
    mov.u32 %r12, 0;
    mov.u32 %r5, 0;
    setp.ge.u32 %p1, %r1, 64;
    @%p1 bra CONSUME;
  PRODUCE:
    mad.lo.u32 %r13, %r12, 100, %r1;
    st.shared.u32 [%r9], %r13;
    )" + barriers.filled_producer +
                          R"(
    add.u32 %r12, %r12, 1;
    setp.ge.u32 %p2, %r12, 5;
    @%p2 bra END;
    )" + barriers.freed_producer +
                          R"(
    bra PRODUCE;
  CONSUME:
    )" + barriers.filled_consumer +
                          R"(
    ld.shared.u32 %r13, [%r10];
    add.u32 %r5, %r5, %r13;
    add.u32 %r12, %r12, 1;
    setp.ge.u32 %p2, %r12, 5;
    @%p2 bra END;
    )" + barriers.freed_consumer +
                          R"(
    bra CONSUME;
  END:
    st.global.u32 [%rd6], %r5;
)",
                      ".shared .align 16 .b8 tile[256];\n");
}

class NamedBarriers : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  static constexpr unsigned threads = 128;
  evaluators::devices::Outcome<std::vector<std::uint32_t>> run(const std::string& text) {
    Rig rig(text, "k");
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    const auto in = rig.buffer("in", std::vector<std::uint32_t>(threads, 1));
    const auto out = rig.empty<std::uint32_t>("out", threads);
    const auto done = rig.launch({{1, 1, 1}, {threads, 1, 1}, 0}, {pointer(in), pointer(out)});
    if (!done) return tl::unexpected(done.error());
    return rig.contents<std::uint32_t>(out, threads);
  }
  std::string reason(const Barriers& barriers) {
    const auto result = run(program(barriers));
    return result ? "passed" : result.error().reason;
  }
};

TEST_P(NamedBarriers, ProducersAndConsumersHandOver) {
  std::vector<std::uint32_t> expected(threads, 0);
  for (unsigned t = 64; t < threads; ++t) {
    for (unsigned r = 0; r < rounds; ++r) expected[t] += 100 * r + ((t - 64) ^ 33);
  }
  const auto result = run(program({}));
  ASSERT_TRUE(result) << result.error().evidence.front().message;
  EXPECT_EQ(*result, expected);
  // barrier.sync.aligned is another spelling; waiting where arriving is enough is correct too.
  const auto waiting = run(program({"barrier.sync.aligned 1, 128;", "barrier.sync.aligned 1, 128;",
                                    "bar.sync 2, 128;", "bar.sync 2, 128;"}));
  ASSERT_TRUE(waiting) << waiting.error().evidence.front().message;
  EXPECT_EQ(*waiting, expected);
}

TEST_P(NamedBarriers, AMissingBarrierIsARace) {
  Barriers barriers;
  barriers.freed_producer = barriers.freed_consumer = "";
  EXPECT_EQ(reason(barriers), "race_shared") << "the tile is filled again while it is read";
  barriers = {};
  barriers.filled_producer = barriers.filled_consumer = "";
  EXPECT_EQ(reason(barriers), "race_shared") << "it is read before it is full";
}

TEST_P(NamedBarriers, AWrongCountIsToldOrHangs) {
  Barriers barriers;
  barriers.filled_consumer = "bar.sync 1, 96;";
  EXPECT_THAT(reason(barriers), testing::AnyOf("barrier_divergence", "hang")) << "two counts at one barrier";
  barriers.filled_producer = "bar.arrive 1, 160;";
  barriers.filled_consumer = "bar.sync 1, 160;";
  EXPECT_THAT(reason(barriers), testing::AnyOf("barrier_divergence", "hang")) << "more than ever come";
  barriers.filled_producer = "bar.arrive 1, 100;";
  barriers.filled_consumer = "bar.sync 1, 100;";
  EXPECT_EQ(reason(barriers), "barrier_divergence") << "no multiple of a warp";
  barriers.filled_producer = "bar.arrive 1, 64;";
  barriers.filled_consumer = "bar.sync 1, 64;";
  EXPECT_NE(reason(barriers), "passed") << "complete before the consumers come";
}

TEST_P(NamedBarriers, PairsOfWarpsWithBarriersOfTheirOwn) {
  // Warps 0 and 1 exchange over barrier 3, warps 2 and 3 over barrier 4; the ids come from a register.
  const auto text = [](const std::string& barrier) {
    return warp::kernel(R"(
      mov.u32 %r8, tile;
      shl.b32 %r6, %r1, 2;
      add.s32 %r9, %r8, %r6;
      xor.b32 %r7, %r6, 132;
      add.s32 %r10, %r8, %r7;
      shr.u32 %r12, %r1, 6;
      add.u32 %r12, %r12, 3;
      st.shared.u32 [%r9], %r1;
      )" + barrier + R"(
      ld.shared.u32 %r5, [%r10];
      st.global.u32 [%rd6], %r5;
)",
                        ".shared .align 16 .b8 tile[512];\n");
  };
  const auto result = run(text("bar.sync %r12, 64;"));
  ASSERT_TRUE(result) << result.error().evidence.front().message;
  for (unsigned t = 0; t < threads; ++t) EXPECT_EQ((*result)[t], t ^ 33);
  const auto shared = run(text("bar.sync 3, 64;"));
  if (!shared) {
    EXPECT_EQ(shared.error().reason, "race_shared") << "pairs form as they come";
  }
  const auto wrong = run(text("shr.u32 %r12, %r1, 5; and.b32 %r12, %r12, 1; bar.sync %r12, 64;"));
  ASSERT_FALSE(wrong) << "warps 0 and 2 meet, and 1 and 3";
  EXPECT_EQ(wrong.error().reason, "race_shared");
}

INSTANTIATE_TEST_SUITE_P(Schedules, NamedBarriers,
                         testing::Combine(testing::Values(CheckLevel::exact, CheckLevel::filtered),
                                          testing::Values(0, 1, 2)));

}  // namespace
}  // namespace evo::tests
