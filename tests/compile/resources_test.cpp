#include "evaluators/compile/resources.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::compile {
namespace {

// Log of NVRTC 13.0 for a module of three kernels, one of which spills.
constexpr const char* nvrtc_13_log = R"(ptxas info    : 42 bytes gmem, 48 bytes cmem[4]
ptxas info    : Compiling entry function 'k2' for 'sm_89'
ptxas info    : Function properties for k2
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers, 364 bytes cmem[0]
ptxas info    : Compile time = 1.874 ms
ptxas info    : Compiling entry function 'k1' for 'sm_89'
ptxas info    : Function properties for k1
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 128 bytes smem, 372 bytes cmem[0]
ptxas info    : Compile time = 1.359 ms
ptxas info    : Function properties for _Z6helperf
ptxas         .     64 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Compiling entry function 'k' for 'sm_89'
ptxas info    : Function properties for k
ptxas         .     1304 bytes stack frame, 2096 bytes spill stores, 3488 bytes spill loads
ptxas info    : Used 255 registers, used 16 barriers, 1304 bytes cumulative stack size, 33792 bytes smem, 400 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 358.125 ms
)";

// The spelling of CUDA 12: no barriers where there are none, no compile time.
constexpr const char* nvrtc_12_log = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'attention' for 'sm_80'
ptxas info    : Function properties for attention
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, 8448 bytes smem, 392 bytes cmem[0]
)";

TEST(Resources, EachKernelOfAModuleHasItsOwnLines) {
  const auto k1 = parse_resources(nvrtc_13_log, "k1");
  ASSERT_TRUE(k1);
  EXPECT_EQ(k1->registers, 10);
  EXPECT_EQ(k1->barriers, 1);
  EXPECT_EQ(k1->static_smem_bytes, 128);
  EXPECT_EQ(k1->constant_bytes, 372);
  EXPECT_EQ(k1->stack_bytes, 0) << "the helper's lines are not the kernel's";
  EXPECT_EQ(k1->spill_store_bytes, 0);

  const auto k2 = parse_resources(nvrtc_13_log, "k2");
  ASSERT_TRUE(k2);
  EXPECT_EQ(k2->registers, 24);
  EXPECT_EQ(k2->static_smem_bytes, 0);
}

TEST(Resources, SpillsStackAndSeveralConstantBanks) {
  const auto k = parse_resources(nvrtc_13_log, "k");
  ASSERT_TRUE(k) << "k is a prefix of the other names";
  EXPECT_EQ(k->registers, 255);
  EXPECT_EQ(k->barriers, 16);
  EXPECT_EQ(k->stack_bytes, 1304);
  EXPECT_EQ(k->spill_store_bytes, 2096);
  EXPECT_EQ(k->spill_load_bytes, 3488);
  EXPECT_EQ(k->static_smem_bytes, 33792);
  EXPECT_EQ(k->constant_bytes, 408);
}

TEST(Resources, OlderSpelling) {
  const auto used = parse_resources(nvrtc_12_log, "attention");
  ASSERT_TRUE(used);
  EXPECT_EQ(used->registers, 40);
  EXPECT_EQ(used->barriers, 0);
  EXPECT_EQ(used->stack_bytes, 16);
  EXPECT_EQ(used->spill_store_bytes, 8);
  EXPECT_EQ(used->spill_load_bytes, 12);
  EXPECT_EQ(used->static_smem_bytes, 8448);
}

TEST(Resources, NothingOfAKernelThatIsNotThere) {
  EXPECT_FALSE(parse_resources(nvrtc_13_log, "k3"));
  EXPECT_FALSE(parse_resources(nvrtc_13_log, "_Z6helperf"));
  EXPECT_FALSE(parse_resources("", "k"));
  EXPECT_FALSE(parse_resources("ptxas info    : Compiling entry function 'k' for 'sm_89'\n", "k"));
}

}  // namespace
}  // namespace evo::evaluators::compile
