// Asynchronous copies on the warp machine alone: correct pipelines raise nothing that an exact run would have
// to settle, faults raise something, traffic is counted.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/warp/harness.hpp"

namespace evo::tests::warp {
namespace {

using vd::warp::RaceFilter;

constexpr unsigned threads = 128;

std::string fixture() {
  return read_file(EVO_SOURCE_DIR "/tests/virtual/fixtures/async.ptx");
}

/// One launch over both filters, as the device does it: the coarse one first, the precise one on suspicion.
struct Filtered {
  vd::warp::WarpRun coarse, precise;
};
Filtered run(const std::string& name, int tiles, unsigned blocks, std::uint64_t seed, bool wide_vectors) {
  Kernel k(fixture(), name, wide_vectors);
  std::vector<float> in(4UL * threads * static_cast<unsigned>(std::max(tiles, 3)));
  std::iota(in.begin(), in.end(), 1.0F);
  k.pointer(k.buffer(in)).pointer(k.blank(std::size_t{blocks} * threads * 4)).scalar(tiles);
  k.launch.grid = {blocks, 1, 1};
  k.launch.block = {threads, 1, 1};
  k.launch.schedule_seed = seed;
  Filtered result;
  result.coarse = k.run();
  k.options.races = RaceFilter::precise;
  result.precise = k.run();
  return result;
}

TEST(WarpAsync, RightPipelinesNeedNoExactRun) {
  for (const char* name : {"pipeline2", "pipeline3", "pipeline4", "double_buffer"}) {
    for (const int tiles : {1, 2, 9}) {
      for (const std::uint64_t seed : {0, 1}) {
        const unsigned blocks = name[0] == 'p' ? 4 : 1;
        const Filtered result = run(name, tiles, blocks, seed, seed == 0);
        // Stages are whole lines: not even the coarse filter has to look twice.
        EXPECT_TRUE(result.coarse.clean()) << name << " with " << tiles << ", seed " << seed;
        EXPECT_TRUE(result.precise.clean()) << name << " with " << tiles << ", seed " << seed;
      }
    }
  }
}

TEST(WarpAsync, FaultsRaiseSuspicionInBothFilters) {
  for (const char* name : {"no_wait", "own_bytes", "not_committed", "no_barrier", "barrier_before_wait",
                           "overwritten_stage", "one_too_many", "store_into_copy", "copy_over_copy",
                           "copy_over_read", "source_overwritten", "misaligned_target"}) {
    const Filtered result = run(name, 3, 1, 0, true);
    EXPECT_FALSE(result.coarse.clean()) << name;
    EXPECT_FALSE(result.precise.clean()) << name;
  }
}

TEST(WarpAsync, TrafficIsCounted) {
  Kernel k(fixture(), "pipeline3");
  const int tiles = 6;
  k.pointer(k.buffer(std::vector<float>(4UL * threads * tiles, 1))).pointer(k.blank(threads * 4));
  k.scalar(tiles);
  k.launch.block = {threads, 1, 1};
  k.launch.count = true;
  const auto counts = k.run().counts;
  const std::uint64_t warps = threads / 32;
  EXPECT_EQ(counts.async_copies, warps * tiles);
  EXPECT_EQ(counts.async_bytes, 16UL * threads * tiles);
  EXPECT_EQ(counts.global_accesses, warps * (tiles + 1)) << "with the store of the sum";
  EXPECT_EQ(counts.global_sectors, warps * (16UL * tiles + 4));
  EXPECT_EQ(counts.shared_accesses, 2 * warps * tiles) << "written once, read once";
  EXPECT_EQ(counts.async_waits, 0U) << "one group stays in flight";
}

TEST(WarpAsync, WaitsForAllAreCounted) {
  Kernel k(fixture(), "pipeline2");
  k.pointer(k.buffer(std::vector<float>(4UL * threads * 3, 1))).pointer(k.blank(threads * 4)).scalar(3);
  k.launch.block = {threads, 1, 1};
  k.launch.count = true;
  EXPECT_EQ(k.run().counts.async_waits, 3UL * threads / 32);
}

}  // namespace
}  // namespace evo::tests::warp
