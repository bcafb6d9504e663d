// Symbols, layout, calls and source lines.
#include "tests/ptx/support.hpp"

#include "evaluators/devices/virtual/memory_map.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

std::uint64_t symbol(const Program& program, std::size_t index) {
  return program.code.at(index).src[0].bits;
}

TEST(PtxLayout, SharedMemoryStaticThenDynamic) {
  const Program program =
      load(kernel(".shared .align 4 .b8 first[5];\n.shared .align 8 .f64 second;\nmov.u32 %r1, "
                  "first;\nmov.u32 %r1, second;\n"
                  "mov.u32 %r1, dynamic;\nmov.u64 %rd1, alias+8;\nld.shared.f64 %fd1, [second+8];\n",
                  ".extern .shared .align 32 .b8 dynamic[];\n.extern .shared .align 4 .b8 alias[];\n"
                  ".shared .align 4 .b8 unused[4096];\n"));
  EXPECT_EQ(symbol(program, 0), 0U);
  EXPECT_EQ(symbol(program, 1), 8U);
  EXPECT_EQ(symbol(program, 2), 32U)
      << "16 bytes of static memory, rounded to the alignment of the dynamic one";
  EXPECT_EQ(symbol(program, 3), 40U) << "all dynamic arrays start at one place";
  EXPECT_EQ(program.code[4].offset, 16);
  EXPECT_EQ(program.static_smem, 32U);
  EXPECT_EQ(program.dynamic_smem_align, 32U);
}

TEST(PtxLayout, StaticSharedMemoryAloneIsNotRounded) {
  EXPECT_EQ(load(kernel(".shared .align 16 .b8 a[33];\nmov.u32 %r1, a;\n")).static_smem, 33U);
}

TEST(PtxLayout, DataImagesAndTheirInitialisers) {
  const Program program =
      load(kernel("mov.u64 %rd1, numbers;\nmov.u64 %rd2, pointers;\nld.const.f32 %f1, [weights+4];\nmov.u64 "
                  "%rd3, zero;\n",
                  ".global .align 2 .u16 numbers[3] = {1, -2, 0x304};\n"
                  ".global .align 8 .u64 pointers[2] = {numbers+2, generic(zero)};\n"
                  ".global .align 4 .u32 zero;\n"
                  ".const .align 4 .f32 weights[2] = {0f3F800000, 2.0};\n"
                  ".global .align 4 .b8 table[2][2] = {{1, 2}, {3, 4}};\n"));
  const auto image = [&](std::uint64_t address, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      value |= std::uint64_t{program.global_image.at(address - global_image_base + i)} << (8 * i);
    }
    return value;
  };
  const std::uint64_t numbers = symbol(program, 0);
  const std::uint64_t zero = symbol(program, 3);
  EXPECT_EQ(space_of(numbers), Space::global);
  EXPECT_EQ(image(numbers, 2), 1U);
  EXPECT_EQ(image(numbers + 2, 2), 0xfffeU);
  EXPECT_EQ(image(symbol(program, 1), 8), numbers + 2);
  EXPECT_EQ(image(symbol(program, 1) + 8, 8), zero);
  EXPECT_EQ(image(zero, 4), 0U);
  EXPECT_EQ(program.code[2].offset, 4);
  EXPECT_EQ(program.code[2].space, Space::constant);
  EXPECT_THAT(program.constant_image, ::testing::ElementsAre(0, 0, 0x80, 0x3f, 0, 0, 0, 0x40));
  EXPECT_EQ(program.data_symbols.size(), 4U) << "a variable that nothing names takes no place";
}

TEST(PtxLayout, ParametersWithStructsByValue) {
  const Program program =
      load(std::string(header) +
           ".visible .entry k(.param .u8 a, .param .align 8 .b8 s[24], .param .u64 .ptr .global "
           ".align 256 p, .param .f32 x) { .reg .f32 %f<2>; .reg .b64 %rd<2>;\n"
           "ld.param.f32 %f1, [s+20]; mov.b64 %rd1, s; ld.param.f32 %f1, [%rd1+4]; ret; }");
  ASSERT_EQ(program.parameters.size(), 4U);
  EXPECT_EQ(program.parameters[1].offset, 8U);
  EXPECT_EQ(program.parameters[1].bytes, 24U);
  EXPECT_EQ(program.parameters[2].offset, 32U);
  EXPECT_EQ(program.parameters[2].align, 8U) << "not what it points to";
  EXPECT_EQ(program.parameters[3].offset, 40U);
  EXPECT_EQ(program.parameter_bytes, 44U);
  EXPECT_EQ(program.code[0].offset, 28);
  EXPECT_EQ(symbol(program, 1), 8U);
  EXPECT_EQ(program.code[2].space, Space::param);
}

TEST(PtxLayout, LocalDepot) {
  const Program program =
      load(kernel(".local .align 16 .b8 __local_depot0[40];\n.reg .b64 %SP;\n.reg .b64 %SPL;\nmov.u64 %SPL, "
                  "__local_depot0;\n"
                  "cvta.local.u64 %SP, %SPL;\nst.local.u32 [__local_depot0+8], 1;\n"));
  EXPECT_EQ(program.local_bytes, 40U);
  EXPECT_EQ(symbol(program, 0), 0U);
  EXPECT_EQ(program.code[1].space, Space::local);
  EXPECT_EQ(program.code[2].offset, 8);
}

TEST(PtxLayout, ASpaceThatIsNotTheSymbolsIsUnsupported) {
  EXPECT_EQ(first("ld.global.u32 %r1, [s];", ".shared .u32 s;\n").op, Opcode::unsupported);
  EXPECT_EQ(first("ld.u32 %r1, [s];", ".shared .u32 s;\n").space, Space::shared);
}

constexpr std::string_view square =
    ".func (.param .b32 result) square(.param .b32 x) { .reg .b32 %r<3>; .reg .pred %p<2>;\n"
    "ld.param.b32 %r1, [x]; setp.eq.s32 %p1, %r1, 0; @%p1 bra ZERO; mul.lo.s32 %r2, %r1, %r1;\n"
    "st.param.b32 [result], %r2; ret; ZERO: st.param.b32 [result], 7; ret; }\n";

TEST(PtxCall, AFunctionIsInlinedOnceACall) {
  const std::string call =
      "{ .param .b32 a; st.param.b32 [a+0], %r1; .param .b32 b;\ncall.uni (b), square, (a);\n"
      "ld.param.b32 %r2, [b+0]; }\n";
  const Program program = load(kernel(call + call, square));
  EXPECT_THAT(unsupported_in(program), ::testing::IsEmpty());
  std::vector<std::uint32_t> products;
  for (const Instruction& i : program.code) {
    EXPECT_NE(i.space, Space::local) << "scalars travel in registers";
    if (i.op == Opcode::mul) products.push_back(i.dst[0].index);
  }
  ASSERT_EQ(products.size(), 2U);
  EXPECT_NE(products[0], products[1]) << "each instance has its own registers";
  // st.param, ld.param, setp, bra, mul, st.param, ret -> bra, st.param, (ret dropped), ld.param
  EXPECT_EQ(program.code[6].op, Opcode::bra);
  EXPECT_EQ(program.code[6].target, 8U);
  EXPECT_EQ(program.code[3].target, 7U);
}

TEST(PtxCall, AGuardedCallIsJumpedAround) {
  const Program program =
      load(kernel("{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b;\n"
                  "@%p1 call (b), square, (a); }\nmov.u32 %r1, 9;\n",
                  square));
  EXPECT_EQ(program.code[1].op, Opcode::bra);
  EXPECT_TRUE(program.code[1].guard.negated);
  EXPECT_EQ(program.code[program.code[1].target].src[0].bits, 9U);
  EXPECT_EQ(program.code[2].guard.kind, Operand::Kind::none);
}

TEST(PtxCall, StructsTravelInLocalMemory) {
  const Program program = load(kernel(
      "{ .param .align 8 .b8 a[16]; st.param.b64 [a+8], %rd1; .param .align 8 .b8 r[16];\ncall (r), f, (a);\n"
      "ld.param.b64 %rd2, [r+8]; }\n",
      ".func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 a[16]) { .reg .b64 %rd<4>;\n"
      "ld.param.b64 %rd1, [a+8]; mov.b64 %rd2, a; ld.param.b64 %rd3, [%rd2]; cvta.param.u64 %rd2, %rd2;\n"
      "st.param.b64 [r+8], %rd1; ret; }\n"));
  EXPECT_THAT(unsupported_in(program), ::testing::IsEmpty());
  EXPECT_EQ(program.local_bytes, 32U);
  for (const Instruction& i : program.code) EXPECT_NE(i.space, Space::param);
  EXPECT_EQ(program.code[0].offset, program.code[1].offset) << "caller and callee mean one place";
}

TEST(PtxCall, ACalleeThatTakesTheAddressOfAScalar) {
  const Program program = load(kernel("{ .param .b32 a; st.param.b32 [a], %r1;\ncall f, (a); }\n",
                                      ".func f(.param .b32 a) { .reg .b64 %rd<2>; .reg .b32 %r<2>; mov.b64 "
                                      "%rd1, a; ld.param.u32 %r1, [%rd1]; }\n"));
  EXPECT_THAT(unsupported_in(program), ::testing::IsEmpty());
  EXPECT_EQ(program.code[1].op, Opcode::st) << "from the caller's register to the callee's memory";
  EXPECT_EQ(program.code[1].space, Space::local);
  EXPECT_EQ(program.code[3].space, Space::local);
}

TEST(PtxCall, DeepRecursionAndIndirectCallsAreUnsupportedInPlace) {
  const Program recursive = load(
      kernel("call f;\nmov.u32 %r1, 1;\n", ".func g();\n.func f() { call g; }\n.func g() { call f; }\n"));
  EXPECT_THAT(unsupported_in(recursive), ::testing::ElementsAre("a recursion of more than 32 calls: call f"));
  std::string body;  // what calls itself twice is followed less far
  for (int i = 0; i < 8; ++i) body += "mov.u32 %r1, 1; ";
  const Program twice =
      load(kernel("call f;\n", ".func f() { .reg .b32 %r<2>; call f; " + body + "call f; }\n"));
  EXPECT_THAT(unsupported_in(twice),
              ::testing::Each(::testing::StartsWith("a recursion of more than 8 calls: call f")));
  const Program indirect = load(kernel("P: .callprototype _ ();\ncall %rd1, (), P;\nmov.u32 %r1, 1;\n"));
  EXPECT_EQ(indirect.code[0].op, Opcode::unsupported);
  const Program external = load(kernel("call malloc;\n", ".extern .func malloc();\n"));
  EXPECT_THAT(unsupported_in(external), ::testing::ElementsAre("call malloc"));
}

TEST(PtxCall, ExponentialInliningIsRefused) {
  std::string functions = ".func f0() { .reg .b32 %r<2>; mov.u32 %r1, 1; }\n";
  for (int i = 1; i < 30; ++i) {
    const std::string inner = "call f" + std::to_string(i - 1) + ";";
    functions += ".func f" + std::to_string(i) + "() { " + inner + inner + " }\n";
  }
  const auto program = load_program(kernel("call f29;", functions), "k");
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().reason, "ptx_size");
}

TEST(PtxCall, PrintfAndAssertions) {
  const Program program = load(fixture("features.ptx"), "calls");
  EXPECT_THAT(unsupported_in(program), ::testing::IsEmpty());
  std::size_t seen = 0;
  for (const Instruction& i : program.code) {
    if (i.op == Opcode::call_vprintf) {
      ++seen;
      EXPECT_EQ(i.src_count, 2);
      EXPECT_EQ(i.dst_count, 1);
    }
    if (i.op == Opcode::call_assertfail) {
      ++seen;
      EXPECT_EQ(i.src_count, 5);
    }
  }
  EXPECT_EQ(seen, 2U);
}

TEST(PtxLines, InlinedHeaderCodeBelongsToTheLineThatUsesIt) {
  const Program program = load(kernel(
      ".loc 1 10 0\nmov.u32 %r1, 1;\n.loc 1 12 3\n.loc 2 500 1, function_name $L__info_string0, inlined_at 1 "
      "12 3\n"
      "mov.u32 %r1, 2;\n.loc 2 600 5, function_name $L__info_string1+4, inlined_at 2 500 1\nmov.u32 %r1, 3;\n"
      ".loc 1 14 3\n.loc 1 30 7, function_name $L__info_string2, inlined_at 1 14 3\nmov.u32 %r1, 4;\n"
      ".loc 2 0 1\nmov.u32 %r1, 5;\n",
      ".file 1 \"mine.cu\"\n.file 2 \"cuda_fp16.hpp\"\n"));
  std::vector<std::uint32_t> lines;
  for (const Instruction& i : program.code) {
    EXPECT_EQ(program.files.at(i.source.file), "mine.cu");
    lines.push_back(i.source.line);
  }
  EXPECT_THAT(lines, ::testing::ElementsAre(10, 12, 12, 30, 30, 30, 30));
}

TEST(PtxLines, ALibraryFunctionBelongsToItsCall) {
  const Program program = load(kernel(".loc 1 10 0\nmov.u32 %r1, 1;\n.loc 1 11 0\ncall f;\n.loc 1 12 0\n",
                                      ".func f() { .loc 2 99 0\n.reg .b32 %r<2>; mov.u32 %r1, 2; ret; }\n"
                                      ".file 1 \"mine.cu\"\n.file 2 \"library.h\"\n"));
  EXPECT_EQ(program.code[1].source.line, 11U);
  EXPECT_EQ(program.files[program.code[1].source.file], "mine.cu");
}

TEST(PtxLines, EveryInstructionOfACompiledKernelNamesItsOwnFile) {
  for (const std::string name : {"attention", "switches"}) {
    const Program program = load(fixture(name == "switches" ? "features.ptx" : "attention.ptx"), name);
    for (const Instruction& i : program.code) {
      EXPECT_THAT(program.files.at(i.source.file), ::testing::EndsWith(".cu"));
      EXPECT_GT(i.source.line, 0U);
    }
  }
}

TEST(PtxDump, ShowsWhatWasResolved) {
  const std::string text = dump(load(fixture("elementwise.ptx"), "vadd"));
  EXPECT_THAT(text, ::testing::HasSubstr("param vadd_param_3 u32 at 24, 4 bytes, align 4"));
  EXPECT_THAT(text, ::testing::HasSubstr("ld.global.f32 %f1#"));
  EXPECT_THAT(text, ::testing::HasSubstr("ret"));
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
