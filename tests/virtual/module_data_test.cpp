// Variables of the module: the filter expects that a launch only reads them, and looks again where one does
// not.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

constexpr unsigned data_threads = 64, data_blocks = 3;
constexpr const char* data_table = ".global .align 16 .b8 table[16] = {7, 0, 0, 0, 9, 0, 0, 0};\n";

class ModuleData : public testing::TestWithParam<CheckLevel> {
 protected:
  /// Of one launch; the out of each thread of the first block.
  std::string reason(const std::string& body, std::vector<std::uint32_t>* values = nullptr) {
    Rig rig(warp::kernel(body, data_table), "k");
    rig.options.checks = GetParam();
    const auto in = rig.buffer("in", std::vector<std::uint32_t>(data_threads * data_blocks, 1));
    const auto out = rig.empty<std::uint32_t>("out", data_threads * data_blocks);
    const auto done = rig.launch({{data_blocks, 1, 1}, {data_threads, 1, 1}, 0}, {pointer(in), pointer(out)});
    if (!done) return done.error().reason;
    if (values != nullptr) *values = rig.contents<std::uint32_t>(out, data_threads * data_blocks);
    return "passed";
  }
};

/// %rd6: the thread's own place among those of all blocks.
const char* const data_place = R"(
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd7, %r2, 256;
  add.s64 %rd6, %rd6, %rd7;
  mov.u64 %rd8, table;
)";

TEST_P(ModuleData, ATableOfConstantsIsRead) {
  std::vector<std::uint32_t> values;
  EXPECT_EQ(reason(std::string(data_place) + "ld.global.v2.u32 {%r5, %r6}, [%rd8]; add.u32 %r5, %r5, %r6; "
                                             "st.global.u32 [%rd6], %r5;",
                   &values),
            "passed");
  EXPECT_TRUE(std::ranges::all_of(values, [](std::uint32_t value) { return value == 16; }));
}

TEST_P(ModuleData, WhoWritesWhatOthersReadRaces) {
  const std::string read = "ld.global.u32 %r5, [%rd8]; st.global.u32 [%rd6], %r5;";
  const std::string write = "setp.eq.u32 %p1, %r1, 5; @%p1 st.global.u32 [%rd8], %r1;";
  EXPECT_EQ(reason(data_place + read + write), "race_global");
  EXPECT_EQ(reason(data_place + write + read), "race_global");
  EXPECT_EQ(reason(data_place + read + "setp.eq.u32 %p1, %r2, 2; @%p1 red.global.add.u32 [%rd8], 1;"),
            "race_global");
}

TEST_P(ModuleData, ACounterCountsOnce) {
  std::vector<std::uint32_t> values;
  EXPECT_EQ(reason(std::string(data_place) + "atom.global.add.u32 %r5, [%rd8], 1; st.global.u32 [%rd6], %r5;",
                   &values),
            "passed");
  std::ranges::sort(values);
  ASSERT_EQ(values.size(), data_threads * data_blocks);
  for (std::uint32_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 7 + i);
}

INSTANTIATE_TEST_SUITE_P(Levels, ModuleData, testing::Values(CheckLevel::filtered, CheckLevel::exact));

}  // namespace
}  // namespace evo::tests
