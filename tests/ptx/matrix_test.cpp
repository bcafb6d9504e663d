// Operands of matrix instructions: what they lower to, and what is refused.
#include <tuple>

#include "evaluators/devices/virtual/ptx/liveness.hpp"
#include "evaluators/devices/virtual/ptx/opcode.hpp"
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

TEST(PtxMatrix, Dump) {
  const Program program = load(kernel(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, _}, [%r9+32];\n"
      "stmatrix.sync.aligned.m8n8.x2.b16 [%rd1], {%r1, %r2};\n"
      "movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r3;\n"
      "@!%p1 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, "
      "{%r5, %r6}, {%f1, 0f00000000, %f3, %f4};\n"
      "wmma.load.c.sync.aligned.col.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd2+-32], 24;\n"
      "wmma.store.d.sync.aligned.row.m32n8k16.shared.f16 [%r9], {%r1, %r2, %r3, %r4};\n"));
  std::string text;
  for (const Instruction& i : program.code) text += dump(program, i) + "\n";
  EXPECT_EQ(
      text,
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 %r1#17 %r2#18 %r3#19 _ = shared[%r9#25+0x20]\n"
      "stmatrix.sync.aligned.m8n8.x2.b16 %r1#17 %r2#18 generic[%rd1#49+0x0]\n"
      "movmatrix.sync.aligned.m8n8.trans.b16 %r4#20 = %r3#19\n"
      "@!%p1#1 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 %f1#33 %f2#34 %f3#35 %f4#36 = %r1#17 "
      "%r2#18 "
      "%r3#19 %r4#20 %r5#21 %r6#22 %f1#33 0x0 %f3#35 %f4#36\n"
      "wmma.load.c.sync.aligned.col.m16n16k16.global.f16 0x18 %r1#17 %r2#18 %r3#19 %r4#20 = "
      "global[%rd2#50-0x20]\n"
      "wmma.store.d.sync.aligned.row.m32n8k16.shared.f16 %r1#17 %r2#18 %r3#19 %r4#20 shared[%r9#25+0x0]\n"
      "ret\nret\n");
}

TEST(PtxMatrix, OtherOperandsAreRefused) {
  for (const char* statement : {
           "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3}, [%r9];",
           "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%rd1, %rd2}, [%r9];",
           "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, %r9;",
           "ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r1}, [%rd1];",
           "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %rs1;",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3,%r4}, "
           "{%f1,%f2,%f3,%f4};",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
           "{%r5,%r6};",
           "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1,%r2,%r3,%r4}, [%rd1], %r5;",
           "wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];",
           "wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd1], %rd2, %r1;",
       }) {
    EXPECT_THAT(unsupported_in(load(kernel(statement))), ::testing::SizeIs(1)) << statement;
  }
}

TEST(PtxMatrix, ShapesAndTypesThatTheMachineDoesNotHave) {
  for (const char* spelling : {
           "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",
           "mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
           "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
           "mma.aligned.m16n8k16.row.col.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.f32",
           "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32",
           "wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32",
           "wmma.load.d.sync.aligned.row.m16n16k16.f32",
           "wmma.load.c.sync.aligned.row.m16n16k8.f16",
           "movmatrix.sync.aligned.m8n8.b16",
           "ldmatrix.sync.aligned.m8n8.x3.shared.b16",
           "ldmatrix.sync.aligned.m8n8.x4.x4.shared.b16",
           "ldmatrix.aligned.x4.m8n8.shared.b16",
           "ldmatrix.sync.aligned.x4.shared.b16",
           "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32",
           "mma.sync.aligned.row.col.row.m16n8k16.f32.f16.f16.f32",
           "ldmatrix.sync.aligned.m8n8.x4.shared.b8",
       }) {
    EXPECT_FALSE(decode_opcode(spelling).known) << spelling;
  }
}

// ptxas 13.0 takes each of these, and CUTLASS, among others, writes the second.
TEST(PtxMatrix, WordsInAnotherOrderMeanTheSame) {
  const auto same = [](const char* manual, const char* other) {
    const Form a = decode_opcode(manual), b = decode_opcode(other);
    ASSERT_TRUE(a.known && b.known) << other;
    const auto said = [](const Instruction& i) {
      const MatrixForm& form = i.matrix;
      return std::tuple(i.op, i.space, i.saturate, form.shape, form.a, form.b, form.c, form.d, form.role,
                        form.count, form.transposed, form.column_major);
    };
    EXPECT_EQ(said(a.prototype), said(b.prototype)) << other;
  };
  const char* const load = "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16";
  same(load, "ldmatrix.sync.aligned.m8n8.x4.shared.trans.b16");
  same(load, "ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16");
  same(load, "ldmatrix.b16.trans.x4.sync.shared.aligned.m8n8");
  same("stmatrix.sync.aligned.m8n8.x2.shared.b16", "stmatrix.sync.aligned.x2.m8n8.shared.b16");
  same("movmatrix.sync.aligned.m8n8.trans.b16", "movmatrix.sync.aligned.m8n8.b16.trans");
  const char* const mixed = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32";
  same(mixed, "mma.sync.aligned.row.col.m16n8k32.s32.s8.u8.s32.satfinite");
  EXPECT_EQ(decode_opcode("mma.sync.aligned.row.col.m16n8k32.s32.u8.s8.s32").prototype.matrix.a, Type::u8)
      << "the order of types counts";
  same("wmma.load.b.sync.aligned.col.m16n16k16.global.f16",
       "wmma.load.b.sync.aligned.m16n16k16.col.global.f16");
  same("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16", "wmma.mma.sync.aligned.m16n16k16.row.col.f32.f16");
}

TEST(PtxMatrix, RegistersOfFragmentsAreLive) {
  const Program program =
      load(kernel("mov.b32 %r1, 1;\nmov.b32 %r2, 2;\n"
                  "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3, %r4}, [%r1];\n"
                  "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r2, %r4};\n"));
  const auto intervals = live_intervals(program);
  const auto of = [&](const char* name) {
    const auto& names = program.register_names;
    return intervals[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
  };
  EXPECT_EQ(of("%r2"), (LiveInterval{1, 3})) << "read by the last one";
  EXPECT_EQ(of("%r3"), (LiveInterval{2, 2}));
  EXPECT_EQ(of("%r4"), (LiveInterval{2, 3}));
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
