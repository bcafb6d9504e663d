// Stores to inputs and between elements, and read-only loads of what the launch writes: findings whatever the
// values.
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::BufferAccess;
using evaluators::devices::BufferSpec;
using evaluators::devices::CheckLevel;

/// One warp; %rd2 is 4 bytes a lane behind p, %rd3 8 bytes a lane.
std::string stores_kernel(const std::string& body) {
  return ".version 8.3\n.target sm_89\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
         ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
         "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, "
         "%rd2;\n"
         "mul.wide.u32 %rd3, %r1, 8;\nadd.u64 %rd3, %rd1, %rd3;\n" +
         body + "ret;\n}\n";
}

/// The reason at each level of checks, which has to be the same; "" if the launch passes.
std::string reason_of_stores(const std::string& body, const BufferSpec& spec,
                             std::vector<CheckLevel> levels = {CheckLevel::none, CheckLevel::filtered,
                                                               CheckLevel::exact}) {
  std::string first;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    Rig rig(stores_kernel(body), "k");
    rig.options.checks = levels[i];
    const auto buffer = rig.device.allocate(spec).value();
    const std::vector<std::byte> zeros(spec.bytes);
    EXPECT_TRUE(rig.device.write(buffer, zeros));
    model::LaunchPlan plan;
    plan.block = {32, 1, 1};
    const auto outcome = rig.launch(plan, {pointer(buffer)});
    const std::string found = outcome ? "" : outcome.error().reason;
    if (i == 0) first = found;
    EXPECT_EQ(found, first) << "level " << i;
  }
  return first;
}

BufferSpec an_input() {
  return {.bytes = 256, .name = "a", .access = BufferAccess::read_only};
}
/// 32 floats, 8 bytes apart.
BufferSpec a_strided_output() {
  return {.bytes = 252, .name = "c", .view = {.element_bytes = 4, .shape = {32}, .strides = {2}}};
}

TEST(Stores, ToAnInputAreFoundWhateverTheyWrite) {
  EXPECT_EQ(reason_of_stores("mov.u32 %r2, 0;\nst.global.u32 [%rd2], %r2;\n", an_input()), "input_written");
  EXPECT_EQ(reason_of_stores("mov.u32 %r2, 0;\nred.global.add.u32 [%rd1], %r2;\n", an_input()),
            "input_written");
  EXPECT_EQ(reason_of_stores("ld.global.u32 %r2, [%rd2];\n", an_input()), "");
}

TEST(Stores, BetweenElementsAreFoundWhateverTheyWrite) {
  EXPECT_EQ(reason_of_stores("mov.u32 %r2, 0;\nst.global.u32 [%rd3], %r2;\n", a_strided_output()), "");
  EXPECT_EQ(reason_of_stores("mov.u32 %r2, 0;\nst.global.u32 [%rd2], %r2;\n", a_strided_output()),
            "gap_written");
  EXPECT_EQ(reason_of_stores(
                "mov.u32 %r2, 0;\nsetp.gt.u32 %p1, %r1, 30;\n@%p1 bra E;\nst.global.v2.u32 [%rd3], {%r2, "
                "%r2};\nE:\n",
                a_strided_output()),
            "gap_written");
  // What lies there may be read, as by a wide load whose other half is not used.
  EXPECT_EQ(reason_of_stores("ld.global.u32 %r2, [%rd2];\n", a_strided_output()), "");
}

TEST(Stores, AViewWithoutGapsHasNone) {
  const BufferSpec dense{
      .bytes = 256, .name = "c", .view = {.element_bytes = 4, .shape = {4, 16}, .strides = {16, 1}}};
  EXPECT_EQ(reason_of_stores("mov.u32 %r2, 0;\nst.global.u32 [%rd2], %r2;\n", dense), "");
}

TEST(NonCoherent, LoadsOfWhatTheLaunchWritesInEitherOrder) {
  const BufferSpec free{.bytes = 256, .name = "w"};
  const std::vector<CheckLevel> levels{CheckLevel::filtered, CheckLevel::exact};
  const std::string load = "ld.global.nc.u32 %r2, [%rd2];\n";
  const std::string store = "st.global.u32 [%rd2], %r1;\n";
  EXPECT_EQ(reason_of_stores(store + load, free, levels), "nc_of_written");
  EXPECT_EQ(reason_of_stores(load + store, free, levels), "nc_of_written");
  EXPECT_EQ(reason_of_stores(load + "st.global.u32 [%rd2+128], %r1;\n", free, levels), "");
  EXPECT_EQ(reason_of_stores(store + "ld.global.u32 %r2, [%rd2];\n", free, levels), "");
}

}  // namespace
}  // namespace evo::tests
