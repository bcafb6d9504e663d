// What a module may hold: each finding alone must end a trial, and what is harmless must not.
#include "evaluators/gates/module_contents.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

const std::string head = R"(.version 9.0
.target sm_89
.address_size 64
	// .globl	add
)";
const std::string open = R"(
.visible .entry add(
	.param .u64 add_param_0,
	.param .u32 add_param_1
)
.maxntid 128, 1, 1
{
	.reg .b64 	%rd<9>;
	.loc	1 7 3
	ld.param.u64 	%rd1, [add_param_0];
$L__BB0_1:
)";
const std::string close = R"(
	ret;
}
	.file	1 "folder/add.cu"
)";

model::Artifact artifact(const std::string& declarations, const std::string& body) {
  model::Artifact made;
  made.entry = "add";
  made.source_file = "add.cu";
  made.ptx = head + declarations + open + body + close;
  return made;
}

std::string reason(const std::string& declarations, const std::string& body) {
  const auto failure = check_module(artifact(declarations, body));
  if (!failure) return "";
  EXPECT_EQ(failure->status, model::Status::illegal);
  return failure->reason;
}

const std::string counter = ".global .align 4 .u32 counter;\n";
const std::string table = ".visible .global .align 4 .b8 table[8] = {0, 0, 128, 63, 0, 0, 0, 64};\n";

TEST(ModuleContents, APlainKernelPasses) {
  EXPECT_EQ(
      reason("", "	st.global.v4.u32 	[%rd1], {%r8, %r7, %r6, %r7};\n	mov.u32 %r1, %tid.x;"), "");
}

TEST(ModuleContents, AWrittenVariableIsRefusedWithItsLine) {
  const auto failure = check_module(artifact(counter, "	st.global.u32 	[counter+4], %r1;"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->reason, "mutable_global");
  EXPECT_EQ(failure->evidence.at(0).line, 7);
  EXPECT_EQ(failure->evidence.at(0).file, "folder/add.cu");
  EXPECT_NE(failure->evidence.at(0).message.find("counter"), std::string::npos);
}

TEST(ModuleContents, TheAddressIsFollowedThroughRegisters) {
  const std::string address = "	mov.u64 	%rd2, table;\n	cvta.global.u64 %rd3, %rd2;\n";
  EXPECT_EQ(reason(table, address + "	add.s64 %rd4, %rd9, %rd3;\n	st.f32 [%rd4+8], %f1;"),
            "mutable_global");
  EXPECT_EQ(
      reason(table, "	@%p1 st.f32 [%rd4], %f1;\n" + address + "	selp.b64 %rd4, %rd3, %rd1, %p2;"),
      "mutable_global")
      << "a loop may come back to the store";
  EXPECT_EQ(reason(table, address + "	atom.global.add.u32 %r1, [%rd3], 1;"), "mutable_global");
  EXPECT_EQ(reason(table, address + "	red.global.add.u32 [%rd2], 1;"), "mutable_global");
  EXPECT_EQ(reason(table, address + "	st.global.u64 [%rd1], %rd3;"), "mutable_global")
      << "the address leaves";
}

TEST(ModuleContents, EveryKindOfStoreCounts) {
  const std::string address = "\tmov.u64 \t%rd2, table;\n";
  EXPECT_EQ(reason(table, address + "\tcp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 16;"),
            "mutable_global");
  EXPECT_EQ(reason(table, address + "\tmultimem.red.global.add.u32 [%rd2], %r1;"), "mutable_global");
  EXPECT_EQ(reason(table, address + "\tst [%rd2], %r1;"), "mutable_global");
}

TEST(ModuleContents, EveryKindOfVariableCounts) {
  for (const char* linkage : {"", ".visible ", ".weak ", ".common "}) {
    EXPECT_EQ(
        reason(std::string(linkage) + ".global .align 4 .u32 counter;\n", "\tst.global.u32 [counter], %r1;"),
        "mutable_global")
        << linkage;
  }
  EXPECT_EQ(reason(".global .align 4 .u32 a$counter;\n", "\tst.global.u32 [a$counter], %r1;"),
            "mutable_global");
}

TEST(ModuleContents, TheFirstInstructionOfAKernelCounts) {
  model::Artifact made = artifact("", "");
  made.ptx = head + counter + ".visible .entry add()\n{\n\tst.global.u32 [counter], %r1;\n\tret;\n}\n";
  const auto failure = check_module(made);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->reason, "mutable_global");
}

TEST(ModuleContents, AnAddressMayLeaveInAVector) {
  EXPECT_EQ(reason(table, "\tmov.u64 \t%rd2, table;\n\tst.global.v2.u64 [%rd1], {%rd4, %rd2};"),
            "mutable_global");
}

TEST(ModuleContents, AnAddressThatIsHandedToAFunctionLeaves) {
  const std::string call = "\tmov.u64 \t%rd2, table;\n\tst.param.b64 [param0+0], %rd2;";
  EXPECT_EQ(reason(table, call), "") << "a string for assert";
  EXPECT_EQ(reason(table + ".func helper(\n\t.param .b64 p\n)\n{\n\tret;\n}\n", call), "mutable_global");
}

TEST(ModuleContents, CommentsHideNothing) {
  EXPECT_EQ(reason(counter, "\t/* a comment; */ st.global.u32 [counter], %r1;"), "mutable_global");
  EXPECT_EQ(reason(counter, "\t// a comment\n\tst.global.u32 [counter], %r1;"), "mutable_global");
  EXPECT_EQ(reason(counter, "\t// st.global.u32 [counter], %r1;"), "") << "commented out";
}

TEST(ModuleContents, ATableThatIsOnlyReadPasses) {
  EXPECT_EQ(reason(table,
                   "	mov.u64 	%rd2, table;\n	add.s64 %rd3, %rd2, %rd5;\n	ld.global.nc.f32 "
                   "%f1, [%rd3];\n"
                   "	st.global.f32 [%rd1], %f1;\n	cp.async.ca.shared.global [%r1], [%rd3], 4;"),
            "");
  EXPECT_EQ(reason(".const .align 4 .b8 weights[8];\n", "	ld.const.f32 %f1, [weights];"), "");
}

TEST(ModuleContents, HeapOutputAndForeignFunctions) {
  const auto function = [](const std::string& name) {
    return ".extern .func  (.param .b64 func_retval0) " + name + "\n(\n	.param .b64 " + name +
           "_param_0\n)\n;\n";
  };
  EXPECT_EQ(reason(function("malloc"), ""), "device_heap");
  EXPECT_EQ(reason(".extern .func free\n(\n	.param .b64 free_param_0\n)\n;\n", ""), "device_heap");
  EXPECT_EQ(reason(function("vprintf"), ""), "device_output");
  EXPECT_EQ(reason(function("cudaLaunchDeviceV2"), ""), "external_function");
  EXPECT_EQ(reason(".extern .func __assertfail\n(\n	.param .b64 p\n)\n;\n", ""), "");
}

TEST(ModuleContents, ASecondKernelIsRefused) {
  EXPECT_EQ(reason(".visible .entry add_fast(\n	.param .u64 p\n)\n{\n	ret;\n}\n", ""), "extra_entry");
}

TEST(ModuleContents, ClocksAndLaunchNumbersAreRefusedAndGeometryIsNot) {
  for (const char* name : {"%clock", "%clock64", "%clock_hi", "%globaltimer", "%globaltimer_lo", "%gridid",
                           "%smid", "%nsmid", "%warpid", "%envreg3", "%pm0"}) {
    EXPECT_EQ(reason("", std::string("	mov.u64 %rd2, ") + name + ";"), "machine_state") << name;
  }
  for (const char* name :
       {"%tid.x", "%ctaid.y", "%nctaid.x", "%laneid", "%dynamic_smem_size", "%clusterid.x"}) {
    EXPECT_EQ(reason("", std::string("	mov.u32 %r2, ") + name + ";"), "") << name;
  }
}

TEST(ModuleContents, ALaunchStandsAlone) {
  EXPECT_EQ(reason("", "\tgriddepcontrol.launch_dependents;"), "dependent_launch");
  EXPECT_EQ(reason("", "\tgriddepcontrol.wait;"), "dependent_launch");
  EXPECT_EQ(reason("", "\tcreatepolicy.fractional.L2::evict_last.b64 \t%rd2, 0f3F800000;"), "cache_policy");
  EXPECT_EQ(reason("", "\tld.global.L2::evict_last.f32 \t%f1, [%rd1];"), "cache_policy");
  EXPECT_EQ(reason("", "\tld.global.L2::evict_first.f32 \t%f1, [%rd1];"), "");
}

TEST(ModuleContents, EverythingThatIsFoundIsEvidenceAndTheHeaviestIsTheReason) {
  const auto failure =
      check_module(artifact(counter + ".visible .entry other()\n{\n	ret;\n}\n",
                            "	mov.u64 %rd2, %globaltimer;\n	st.global.u32 [counter], %r1;"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->reason, "mutable_global");
  EXPECT_EQ(failure->evidence.size(), 3U);
}

}  // namespace
}  // namespace evo::evaluators::gates
