// Kernels that nobody launches are not looked at; variables that nobody fills are told by name.
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluators/code/module_variables.hpp"
#include "evaluators/code/reached_code.hpp"
#include "evaluators/gates/constants_with_value.hpp"
#include "evaluators/gates/float_atomics.hpp"
#include "evaluators/gates/module_contents.hpp"
#include "evaluators/gates/other_kernels.hpp"

namespace evo::evaluators::gates::reached_test {
namespace {

const std::string head = ".version 9.0\n.target sm_89\n.address_size 64\n";
const std::string counter = ".global .align 4 .u32 counter;\n";

std::string kernel(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "(\n\t.param .u64 " + name +
         "_param_0\n)\n{\n\t.reg .b32 %r<9>, %f<9>;\n\t.reg .b64 %rd<9>;\n\tld.param.u64 %rd1, [" + name +
         "_param_0];\n" + body + "\tret;\n}\n";
}

/// As the compiler leaves it where `launched` are the kernels that are launched.
model::Artifact artifact(const std::string& ptx, const std::vector<std::string>& launched) {
  model::Artifact made;
  made.entry = launched.front();
  for (std::size_t i = 1; i < launched.size(); ++i) made.others.push_back({launched[i], {}});
  made.ptx = code::reached_code(ptx, launched);
  made.source_file = "k.cu";
  return made;
}

std::string reason(const std::string& ptx, const std::vector<std::string>& launched,
                   const std::vector<std::string>& filled = {}) {
  const auto failure = check_module(artifact(ptx, launched), filled);
  return failure ? failure->reason : "";
}

const std::string writes = "\tst.global.u32 [counter], %r1;\n";
const std::string clock_read = "\tmov.u64 %rd2, %globaltimer;\n";

TEST(ReachedCode, AKernelThatNobodyLaunchesIsNotLookedAt) {
  for (const std::string& bad : {writes, clock_read, std::string("\tgriddepcontrol.wait;\n"),
                                 std::string("\tdiscard.global.L2 [%rd1], 128;\n")}) {
    const std::string module = head + counter + kernel("naive", bad) + kernel("tuned", "");
    EXPECT_EQ(reason(module, {"tuned"}), "") << bad;
    EXPECT_NE(reason(module, {"naive"}), "") << bad;
    EXPECT_NE(reason(module, {"tuned", "naive"}), "") << bad << ": a later launch is a launch";
  }
}

TEST(ReachedCode, ItsFloatAtomicsDoNotCount) {
  const std::string module =
      head + kernel("naive", "\tred.global.add.f32 [%rd1], %f1;\n") + kernel("tuned", "");
  EXPECT_TRUE(float_atomics(artifact(module, {"tuned"})).empty());
  EXPECT_EQ(float_atomics(artifact(module, {"tuned", "naive"})).size(), 1U);
}

TEST(ReachedCode, WhatItCallsIsLookedAt) {
  const std::string helper =
      ".func helper(.param .b64 p)\n{\n" + std::string("\t.reg .b64 %rd<9>;\n") + clock_read + "\tret;\n}\n";
  const std::string call = "\t{ .param .b64 a; st.param.b64 [a], %rd1; call.uni helper, (a); }\n";
  EXPECT_EQ(reason(head + helper + kernel("tuned", call) + kernel("naive", ""), {"tuned"}), "machine_state");
  EXPECT_EQ(reason(head + helper + kernel("tuned", "") + kernel("naive", call), {"tuned"}), "");
}

TEST(ReachedCode, AKernelWhoseAddressIsTakenIsNoBystander) {
  const std::string module = head + kernel("naive", "") + kernel("tuned", "\tmov.u64 %rd2, naive;\n");
  EXPECT_EQ(reason(module, {"tuned"}), "extra_entry");
  EXPECT_EQ(reason(module, {"tuned", "naive"}), "");
  const std::string table = ".global .align 8 .u64 table[1] = {naive};\n";
  EXPECT_EQ(reason(head + table + kernel("naive", "") + kernel("tuned", ""), {"tuned"}), "extra_entry")
      << "a table of functions may be called through";
}

TEST(ReachedCode, LinesKeepTheirNumbersAndBrokenTextStaysWhole) {
  const std::string module = head + kernel("naive", writes) + kernel("tuned", "");
  const std::string left = code::reached_code(module, {"tuned"});
  EXPECT_EQ(std::count(left.begin(), left.end(), '\n'), std::count(module.begin(), module.end(), '\n'));
  EXPECT_EQ(left.find("naive"), std::string::npos);
  EXPECT_EQ(code::kernels_in(module), (std::vector<std::string>{"naive", "tuned"}));
  EXPECT_EQ(code::kernels_in(left), (std::vector<std::string>{"tuned"}));
  EXPECT_EQ(code::reached_code(module, {"other"}), module);
  EXPECT_EQ(code::reached_code(module + "\"", {"tuned"}), module + "\"");
}

TEST(ReachedCode, KernelsThatNobodyLaunchesAreANote) {
  model::Artifact made;
  made.entry = "tuned";
  made.compiler_log =
      "ptxas info    : Compiling entry function 'tuned' for 'sm_89'\nptxas info    : Used 8 registers\n";
  EXPECT_FALSE(other_kernels(made));
  made.compiler_log += "ptxas info    : Compiling entry function 'naive' for 'sm_89'\n";
  const auto note = other_kernels(made);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->kind, "not_launched");
  EXPECT_NE(note->message.find(": naive"), std::string::npos) << note->message;
  made.others.push_back({"naive", {}});
  EXPECT_FALSE(other_kernels(made));
}

const std::string constants = ".const .align 4 .b8 d_filter[900];\n.const .align 4 .u32 one = 1;\n";

TEST(UnfilledVariables, OneThatIsReadIsRefusedByName) {
  const std::string reads = "\tld.const.f32 %f1, [d_filter+4];\n";
  const auto failure = check_module(artifact(head + constants + kernel("k", reads), {"k"}));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->status, model::Status::illegal);
  EXPECT_EQ(failure->reason, "unfilled_constant");
  EXPECT_NE(failure->evidence.front().message.find("d_filter"), std::string::npos);
  EXPECT_EQ(reason(head + constants + kernel("k", reads), {"k"}, {"d_filter"}), "");
  EXPECT_EQ(reason(head + constants + kernel("k", reads), {"k"}, {"d_filtr"}), "unfilled_constant");
  EXPECT_EQ(reason(head + constants + kernel("k", "\tld.const.u32 %r1, [one];\n"), {"k"}), "");
  EXPECT_EQ(reason(head + constants + kernel("naive", reads) + kernel("k", ""), {"k"}), "");
  EXPECT_EQ(reason(head + constants + kernel("k", "\tmov.u64 %rd2, d_filter;\n"), {"k"}),
            "unfilled_constant");
}

TEST(UnfilledVariables, AValueInTheSourceIsAValueThoughItBeZeros) {
  const std::string source =
      "// __constant__ int told = 0;\n__constant__ float a[2] = {0, 0}, b, c[2]{};\nnamespace n {\n"
      "__device__ __constant__ std::array<int, 3> d = {};\n}\n__constant__ int e[sizeof(int)];\n"
      "const char* text = \"__constant__ int f = 0;\";\nint x = 0;\n__constant__ int g\n  = 0;\n";
  EXPECT_EQ(constants_with_value(source), (std::vector<std::string>{"a", "c", "d", "g"}));
  EXPECT_EQ(variables_with_value(".const .align 4 .b8 a[8];\n.const .align 4 .f32 b;\n"
                                 ".visible .const .align 4 .b8 _ZN1n1dE[12];\n.global .u32 g;\n"
                                 "\tld.const.f32 %f1, [a];\n",
                                 source),
            (std::vector<std::string>{"a", "_ZN1n1dE"}));
}

TEST(UnfilledVariables, OneBehindAPointerIsToldToo) {
  const std::string table = constants + ".const .align 8 .u64 table[1] = {d_filter};\n";
  EXPECT_EQ(reason(head + table + kernel("k", "\tld.const.u64 %rd2, [table];\n"), {"k"}),
            "unfilled_constant");
}

TEST(UnfilledVariables, GlobalMemoryMayBeMeantToBeZeros) {
  EXPECT_EQ(reason(head + counter + kernel("k", "\tld.global.u32 %r1, [counter];\n"), {"k"}), "");
}

TEST(UnfilledVariables, NamesAreThoseOfCpp) {
  EXPECT_TRUE(code::is_called("d_filter", "d_filter"));
  EXPECT_TRUE(code::is_called("_ZL8d_filter", "d_filter"));
  EXPECT_TRUE(code::is_called("_ZN2ns5tableE", "ns::table"));
  EXPECT_TRUE(code::is_called("_ZN2ns5tableE", "::ns::table"));
  EXPECT_TRUE(code::is_called("_ZN31_INTERNAL_f06fac55_4_a_cu_zeros33_GLOBAL__N__f06fac55_4_a_cu_zeros4anonE",
                              "anon"));
  EXPECT_FALSE(code::is_called("_ZN2ns5tableE", "table"));
  EXPECT_FALSE(code::is_called("_ZN2ns5tableE", "ns"));
  EXPECT_FALSE(code::is_called("_ZZ1kPfE5table", "table")) << "a function's own";
  EXPECT_FALSE(code::is_called("d_filter2", "d_filter"));
  EXPECT_EQ(code::variables_called(constants + kernel("k", "\tmov.u64 %rd2, d_filter;\n"), "d_filter"),
            (std::vector<std::string>{"d_filter"}));
}

}  // namespace
}  // namespace evo::evaluators::gates::reached_test
