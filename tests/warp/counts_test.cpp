// What a launch is counted to do: sectors, conflicts, pipes.
#include <gtest/gtest.h>

#include "tests/warp/harness.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests::warp {
namespace {

TEST(Counts, SectorsConflictsAndPipes) {
  const std::string text = read_file(EVO_SOURCE_DIR "/bench/virtual/kernels.ptx");
  Kernel k(text, "transpose");
  const std::size_t input = k.buffer(std::vector<float>(96 * 96, 1.0F));
  const std::size_t output = k.blank(96 * 96 * 4);
  k.pointer(input).pointer(output).scalar(96);
  k.launch.grid = {3, 3, 1};
  k.launch.block = {32, 8, 1};
  k.launch.count = true;
  k.options.checked = false;
  const auto result = k.run();
  // 9 blocks of 8 warps: 4 loads and 4 stores a warp, each of 32 consecutive floats: 4 sectors.
  EXPECT_EQ(result.counts.global_accesses, 9U * 8 * 8);
  EXPECT_EQ(result.counts.global_sectors, 9U * 8 * 8 * 4);
  // The padded tile has no bank conflicts.
  EXPECT_EQ(result.counts.shared_accesses, 9U * 8 * 8);
  EXPECT_EQ(result.counts.shared_wavefronts, 9U * 8 * 8);
  EXPECT_EQ(result.counts.barriers, 9U * 8);
  EXPECT_EQ(result.counts.unique_global_bytes, 2U * 96 * 96 * 4);
  EXPECT_EQ(result.thread_instructions, result.counts.warp_instructions * 32);
  EXPECT_EQ(result.dynamic_smem_touched, 0U);
}

/// Counts of one warp that executes `body` once.
evaluators::devices::LaunchCounts counts_of(const std::string& body) {
  Kernel k(kernel(body), "k");
  const std::size_t input = k.blank(4 * 32), output = k.blank(8 * 32);
  k.pointer(input).pointer(output);
  k.launch.block = {32, 1, 1};
  k.launch.count = true;
  k.options.checked = false;
  return k.run().counts;
}

// What the compiler makes a sequence of costs more than one instruction, and in the units that it takes.
TEST(Counts, DivisionsAndRootsAreSequences) {
  const std::string given = "mov.f32 %f1, 0f40400000;\n mov.f32 %f2, 0f40A00000;\n cvt.f64.f32 %d1, %f1;\n";
  const auto plain = counts_of(given + "mul.f32 %f3, %f1, %f2;\n");
  const auto rounded = counts_of(given + "div.rn.f32 %f3, %f1, %f2;\n");
  const auto approximate = counts_of(given + "div.approx.f32 %f3, %f1, %f2;\n");
  EXPECT_GT(rounded.fp32, approximate.fp32);
  EXPECT_GE(approximate.special, plain.special + 1);
  EXPECT_GT(rounded.warp_instructions, plain.warp_instructions + 5);
  const auto root = counts_of(given + "sqrt.rn.f64 %d2, %d1;\n");
  EXPECT_GT(root.fp64, plain.fp64 + 4);
  const auto sum = counts_of("add.u32 %r3, %r1, 7;\n"), narrow = counts_of("div.u32 %r3, %r1, 7;\n");
  const auto wide = counts_of("div.u64 %rd7, %rd1, 7;\n");
  EXPECT_GT(narrow.integer, sum.integer + 8);
  EXPECT_GT(narrow.conversion, sum.conversion);
  EXPECT_GT(wide.integer, 3 * narrow.integer) << "a subroutine";
  // One that is flushed and approximate is one instruction.
  EXPECT_EQ(counts_of(given + "rcp.approx.ftz.f32 %f3, %f1;\n").warp_instructions, plain.warp_instructions);
}

}  // namespace
}  // namespace evo::tests::warp
