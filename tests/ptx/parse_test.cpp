// Structure: broken text and its line, scopes, labels, directives.
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

model::Failure failure_of(std::string_view ptx, std::string_view entry = "k") {
  auto program = load_program(ptx, entry);
  if (program) {
    ADD_FAILURE() << "was accepted: " << ptx;
    return {};
  }
  EXPECT_EQ(program.error().status, model::Status::unsupported);
  EXPECT_EQ(program.error().evidence.size(), 1U);
  return program.error();
}

TEST(PtxParse, BrokenTextNamesItsLine) {
  const model::Failure failure = failure_of(kernel("add.s32 %r1, %r2, %r3;\nadd.s32 %r1, %r2, 0f12;\n"));
  EXPECT_EQ(failure.reason, "ptx_parse");
  EXPECT_THAT(failure.evidence[0].message,
              ::testing::HasSubstr("PTX line " + std::to_string(first_body_line + 1) + ":"));
}

TEST(PtxParse, BrokenStructures) {
  for (const std::string body :
       {"add.s32 %r1, %r2, %r3", "{", "}", "L: L: ret;", "@ ret;", "@%q ret;", "123;",
        ".reg .b32 %x<99999999>;", ".reg .b32;", ".local .align 3 .b8 a[4];", "/* open",
        ".loc 1 2 3, wrong 4", "mov.u32 %r1, 99999999999999999999;", ".reg .b32 %x<;"}) {
    EXPECT_EQ(failure_of(kernel(body)).reason, "ptx_parse") << body;
  }
  EXPECT_EQ(failure_of("nonsense").reason, "ptx_parse");
  EXPECT_EQ(failure_of(".address_size 32").reason, "ptx_parse");
  EXPECT_EQ(failure_of(".visible .entry k(").reason, "ptx_parse");
}

TEST(PtxParse, AKernelThatIsNotThere) {
  EXPECT_EQ(failure_of("").reason, "ptx_entry");
  EXPECT_EQ(failure_of(kernel(""), "other").reason, "ptx_entry");
  EXPECT_EQ(failure_of(kernel("", ".func f() { ret; }\n"), "f").reason, "ptx_entry");
}

TEST(PtxParse, TrailingZeroBytesAndCommentsAreNoText) {
  std::string text = kernel("// a comment; with } signs\n/* and\nanother */ add.s32 %r1, %r2, %r3;");
  text.push_back('\0');
  EXPECT_EQ(load(text).code.size(), 3U);
}

TEST(PtxParse, InnerScopesShadowAndEnd) {
  const Program program = load(kernel(
      "mov.u32 %r1, 1;\n{ .reg .b32 %r<2>; .reg .b32 t; mov.u32 %r1, 2; mov.u32 t, 3; }\nmov.u32 %r1, 4;\n"
      "{ .reg .f32 t; mov.f32 t, 0f00000000; }\n"));
  EXPECT_EQ(program.code[0].dst[0].index, program.code[3].dst[0].index);
  EXPECT_NE(program.code[0].dst[0].index, program.code[1].dst[0].index);
  EXPECT_EQ(program.registers[program.code[4].dst[0].index], Type::f32);
}

TEST(PtxParse, LabelsBelongToTheirScope) {
  const Program program =
      load(kernel("{ @%p1 bra DONE;\nadd.s32 %r1, %r1, 1;\nDONE: }\n"
                  "{ @%p1 bra DONE;\nbra OUT;\nDONE: }\n"
                  "OUT: bra OUT;\n"));
  EXPECT_EQ(program.code[0].target, 2U);
  EXPECT_EQ(program.code[2].target, 4U);
  EXPECT_EQ(program.code[3].target, 4U);
  EXPECT_EQ(program.code[4].target, 4U);
  EXPECT_THAT(program.block_starts, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(PtxParse, ABranchToNowhereIsUnsupported) {
  EXPECT_EQ(first("bra NOWHERE;").op, Opcode::unsupported);
  EXPECT_EQ(first("{ bra INSIDE; } { INSIDE: ret; }").op, Opcode::unsupported);
}

TEST(PtxParse, ALabelAtTheEndIsTheReturnAfterIt) {
  std::string text = kernel("@%p1 bra END;\nmov.u32 %r1, 1;");
  const std::size_t ret = text.rfind("ret;");
  text.replace(ret, 4, "END:");
  const Program program = load(text);
  EXPECT_EQ(program.code[0].target, 2U);
  EXPECT_EQ(program.code[2].op, Opcode::ret);
}

TEST(PtxParse, BranchTables) {
  const Program program = load(
      kernel("T: .branchtargets A, B, A;\nbrx.idx.uni %r1, T;\nA: mov.u32 %r1, 1;\nB: mov.u32 %r1, 2;\n"));
  ASSERT_EQ(program.code[0].op, Opcode::brx);
  EXPECT_THAT(program.branch_tables.at(program.code[0].table), ::testing::ElementsAre(1, 2, 1));
  EXPECT_EQ(first("brx.idx %r1, NO_TABLE;").op, Opcode::unsupported);
}

TEST(PtxParse, Directives) {
  const std::string text =
      std::string(header) +
      ".file 1 \"x.cu\", 123, 456\n.section .debug_str\n{\nname:\n.b8 1,2,3,0\n}\n"
      ".visible .entry k()\n.reqntid 32, 4\n.maxntid 256\n.minnctapersm 2\n.pragma \"nounroll\";\n"
      "{ .pragma \"nounroll\"; ret; }\n";
  const Program program = load(text);
  EXPECT_EQ(program.required_threads, 128U);
  EXPECT_EQ(program.max_threads, 256U);
  EXPECT_EQ(program.target, "sm_89");
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
