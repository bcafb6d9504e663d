// Kernels that read and write one buffer: what is a thread's own, or ordered by a barrier of its block,
// raises no suspicion; everything else does.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "tests/warp/harness.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests::warp {
namespace {

using vd::warp::RaceFilter;
using vd::warp::SuspicionKind;

struct InPlaceCase {
  const char* name;
  const char* body;
  bool clean;
};
void PrintTo(const InPlaceCase& what, std::ostream* out) {
  *out << what.name;
}

/// %rd6: own word; %rd8: of lane t xor 1; %rd9: of another warp; %rd10: of another block; %rd2: one for all.
const char* const places = R"(
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd7, %r2, 256;
  add.s64 %rd2, %rd2, %rd7;
  add.s64 %rd6, %rd6, %rd7;
  xor.b64 %rd8, %rd6, 4;
  xor.b64 %rd9, %rd6, 128;
  xor.b64 %rd10, %rd6, 256;
)";

const char* const shared_tile = ".shared .align 16 .b8 tile[1024];\n";

std::vector<InPlaceCase> in_place_cases() {
  return {
      {"own", "ld.global.u32 %r5, [%rd6]; st.global.u32 [%rd6], %r5;", true},
      {"own_twice",
       "st.global.u32 [%rd6], %r1; ld.global.u32 %r5, [%rd6]; st.global.u32 [%rd6], %r5; "
       "ld.global.u32 %r6, [%rd6];",
       true},
      {"other_lane_reads", "ld.global.u32 %r5, [%rd8]; st.global.u32 [%rd6], %r1;", false},
      {"other_lane_read_before", "st.global.u32 [%rd6], %r1; ld.global.u32 %r5, [%rd8];", false},
      {"other_lane_behind_a_barrier", "ld.global.u32 %r5, [%rd8]; bar.sync 0; st.global.u32 [%rd6], %r5;",
       true},
      {"other_warp", "ld.global.u32 %r5, [%rd9]; st.global.u32 [%rd6], %r1;", false},
      {"other_warp_writes", "st.global.u32 [%rd6], %r1; ld.global.u32 %r5, [%rd9];", false},
      {"other_warp_behind_a_barrier", "st.global.u32 [%rd6], %r1; bar.sync 0; ld.global.u32 %r5, [%rd9];",
       true},
      {"overwritten_behind_a_barrier", "st.global.u32 [%rd6], %r1; bar.sync 0; st.global.u32 [%rd9], %r1;",
       true},
      {"overwritten_without", "st.global.u32 [%rd6], %r1; st.global.u32 [%rd9], %r1;", false},
      {"barrier_of_one_warp", "st.global.u32 [%rd6], %r1; bar.warp.sync -1; ld.global.u32 %r5, [%rd9];",
       false},
      {"barrier_with_a_count",
       "st.global.u32 [%rd6], %r1; setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 32; @%p1 ld.global.u32 %r5, "
       "[%rd9];",
       false},
      {"other_block", "ld.global.u32 %r5, [%rd10]; st.global.u32 [%rd6], %r1;", false},
      {"other_block_behind_a_barrier", "ld.global.u32 %r5, [%rd10]; bar.sync 0; st.global.u32 [%rd6], %r1;",
       false},
      {"other_block_writes", "st.global.u32 [%rd6], %r1; bar.sync 0; ld.global.u32 %r5, [%rd10];", false},
      {"read_by_all_and_written_by_one",
       "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r1, 3; @%p1 st.global.u32 [%rd2], %r1;", false},
      {"read_by_all_and_written_by_one_behind_a_barrier",
       "ld.global.u32 %r5, [%rd2]; bar.sync 0; setp.eq.u32 %p1, %r1, 3; @%p1 st.global.u32 [%rd2], %r1;",
       true},
      {"own_bytes",
       "cvt.u64.u32 %rd11, %r1; add.s64 %rd12, %rd2, %rd11; ld.global.u8 %h1, [%rd12]; st.global.u8 [%rd12], "
       "%h1;",
       true},
      {"bytes_of_another_lane",
       "cvt.u64.u32 %rd11, %r1; add.s64 %rd12, %rd2, %rd11; xor.b64 %rd13, %rd12, 1; ld.global.u8 %h1, "
       "[%rd13]; "
       "st.global.u8 [%rd12], %h1;",
       false},
      {"a_byte_in_the_word_of_another_lane", "ld.global.u8 %h1, [%rd8+3]; st.global.u32 [%rd6], %r1;", false},
      {"a_vector_over_the_word_of_another_lane",
       "and.b64 %rd11, %rd6, -8; ld.global.v2.u32 {%r5, %r6}, [%rd11]; st.global.u32 [%rd6], %r1;", false},
      {"own_vectors",
       "add.s64 %rd11, %rd6, %rd3; add.s64 %rd11, %rd11, %rd7; ld.global.v2.u32 {%r5, %r6}, [%rd11]; "
       "st.global.v2.u32 [%rd11], {%r6, "
       "%r5};",
       true},
      {"atomics_alone", "atom.global.add.u32 %r5, [%rd2], 1;", true},
      {"an_atomic_behind_a_read", "ld.global.u32 %r5, [%rd2]; red.global.add.u32 [%rd2], 1;", false},
      {"a_read_behind_an_atomic", "red.global.add.u32 [%rd2], 1; ld.global.u32 %r5, [%rd2];", false},
      {"a_store_behind_an_atomic", "red.global.add.u32 [%rd2], 1; st.global.u32 [%rd2], 0;", false},
      {"an_atomic_of_the_block_is_a_write",
       "atom.relaxed.cta.global.add.u32 %r5, [%rd2], 1; ld.global.u32 %r6, [%rd2];", false},
      {"read_only_and_written", "ld.global.nc.u32 %r5, [%rd6]; st.global.u32 [%rd6], %r5;", false},
      {"written_and_read_only", "st.global.u32 [%rd6], %r1; bar.sync 0; ld.global.nc.u32 %r5, [%rd6];",
       false},
      {"the_source_of_a_copy",
       "mov.u32 %r8, tile; shl.b32 %r9, %r1, 2; add.s32 %r9, %r9, %r8; cp.async.ca.shared.global [%r9], "
       "[%rd6], 4; "
       "st.global.u32 [%rd6], %r1; cp.async.wait_all;",
       false},
      {"the_source_of_a_copy_behind_a_barrier",
       "mov.u32 %r8, tile; shl.b32 %r9, %r1, 2; add.s32 %r9, %r9, %r8; cp.async.ca.shared.global [%r9], "
       "[%rd6], 4; "
       "bar.sync 0; st.global.u32 [%rd6], %r1; cp.async.wait_all;",
       false},
      {"one_value_by_all_lanes", "setp.lt.u32 %p1, %r1, 32; @%p1 st.global.u32 [%rd2], 7;", true},
      {"two_values", "setp.lt.u32 %p1, %r1, 32; @%p1 st.global.u32 [%rd2], %r1;", false},
      {"one_value_by_all_warps", "st.global.u32 [%rd2], 7;", false},
      {"one_value_and_then_another",
       "setp.lt.u32 %p1, %r1, 32; @%p1 st.global.u32 [%rd2], 7; @%p1 st.global.u32 [%rd2], 8;", false},
      {"one_value_that_is_read",
       "setp.lt.u32 %p1, %r1, 32; @%p1 st.global.u32 [%rd2], 7; @%p1 ld.global.u32 %r5, [%rd2];", false},
      {"one_value_after_a_read",
       "setp.eq.u32 %p2, %r1, 3; @%p2 ld.global.u32 %r5, [%rd2]; setp.lt.u32 %p1, %r1, 32; "
       "@%p1 st.global.u32 [%rd2], 7;",
       false},
      {"one_value_a_half_warp",
       "and.b32 %r5, %r1, 16; cvt.u64.u32 %rd11, %r5; add.s64 %rd12, %rd2, %rd11; setp.lt.u32 %p1, %r1, 32; "
       "@%p1 st.global.u32 [%rd12], %r5;",
       true},
  };
}

class InPlace : public testing::TestWithParam<InPlaceCase> {};

TEST_P(InPlace, IsSuspectedWhereThreadsMeet) {
  for (const unsigned blocks : {1U, 2U}) {
    const bool alone = std::string(GetParam().name).find("block") == std::string::npos;
    if (!alone && blocks == 1) continue;
    Kernel k(kernel(places + std::string(GetParam().body), shared_tile), "k");
    const std::size_t in = k.buffer(std::vector<std::uint32_t>(256, 1));
    const std::size_t out = k.buffer(std::vector<std::uint32_t>(256, 1));
    k.pointer(in).pointer(out);
    k.launch.grid = {blocks, 1, 1};
    k.launch.block = {64, 1, 1};
    k.options.threads = 1;
    const auto result = k.run();
    EXPECT_TRUE(result.faults.empty());
    const bool raised = std::any_of(result.suspicions.begin(), result.suspicions.end(),
                                    [](const auto& s) { return s.kind == SuspicionKind::race_global; });
    EXPECT_EQ(raised, !GetParam().clean) << blocks << " blocks";
    EXPECT_EQ(result.clean(), GetParam().clean);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, InPlace, testing::ValuesIn(in_place_cases()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(InPlaceMatrix, AFragmentIsItsLanesOwn) {
  const std::string fragment = "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}";
  const std::string load =
      "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + fragment + ", [%rd2], 16;\n";
  const auto clean = [&](const std::string& store) {
    Kernel k(kernel(load + store), "k");
    const std::size_t in = k.buffer(std::vector<float>(256, 1));
    const std::size_t out = k.buffer(std::vector<float>(256, 1));
    k.pointer(in).pointer(out);
    k.launch.block = {32, 1, 1};
    return k.run().clean();
  };
  EXPECT_TRUE(clean("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], " + fragment + ", 16;\n"));
  EXPECT_FALSE(clean("wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd2], " + fragment + ", 16;\n"));
}

/// %r9: own word of the tile, %r8: the first.
const char* const tile_words = "mov.u32 %r8, tile; shl.b32 %r9, %r1, 2; add.s32 %r9, %r9, %r8;\n";

TEST(SameValue, InSharedMemoryIsOneWrite) {
  for (const RaceFilter filter : {RaceFilter::coarse, RaceFilter::precise}) {
    const auto clean = [&](const std::string& body) {
      Kernel k(kernel(tile_words + body, shared_tile), "k");
      const std::size_t in = k.buffer(std::vector<float>(256, 1));
      const std::size_t out = k.blank(256);
      k.pointer(in).pointer(out);
      k.launch.block = {32, 1, 1};
      k.options.races = filter;
      return k.run().clean();
    };
    EXPECT_TRUE(clean("st.shared.u32 [%r8], 7;"));
    EXPECT_TRUE(clean("st.shared.u32 [%r8], 7; bar.sync 0; ld.shared.u32 %r5, [%r8];"));
    EXPECT_TRUE(clean("st.shared.v2.u32 [%r8], {7, 8};"));
    EXPECT_FALSE(clean("st.shared.v2.u32 [%r8], {7, %r1};"));
    EXPECT_FALSE(clean("st.shared.u32 [%r8], %r1;")) << "values differ";
    EXPECT_FALSE(clean("st.shared.u32 [%r8], 7; ld.shared.u32 %r5, [%r8];"))
        << "lanes read what others wrote";
    EXPECT_FALSE(clean("st.shared.u32 [%r8], 7; st.shared.u32 [%r8], 8;")) << "a race of the two values";
    EXPECT_FALSE(
        clean("setp.eq.u32 %p1, %r1, 3; mov.u32 %r5, 0; st.shared.u32 [%r9], 0; bar.sync 0;"
              "@%p1 ld.shared.u32 %r5, [%r8]; st.shared.u32 [%r8], 7;"))
        << "one lane reads what others write";
  }
}

}  // namespace
}  // namespace evo::tests::warp
