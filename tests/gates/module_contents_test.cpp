// What a module may hold: each finding alone must end a trial, and what is harmless must not.
#include "evaluators/gates/module_contents.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include <fmt/format.h>

#include "evaluators/gates/kept_variables.hpp"

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
	.reg .pred 	%p<9>;
	.reg .b32 	%r<9>, %f<9>;
	.reg .b64 	%rd<10>;
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

TEST(ModuleContents, WhatDevicesHoldToBeingPutBackPasses) {
  const auto kept = [](const std::string& declarations, const std::string& body) {
    model::Artifact made = artifact(declarations, body);
    made.kept = kept_variables(made);
    const auto failure = check_module(made);
    return fmt::format("{} {}", made.kept.size(), failure ? failure->reason : "passes");
  };
  EXPECT_EQ(kept(counter, "\tatom.global.inc.u32 %r1, [counter], 3;"), "1 passes");
  EXPECT_EQ(kept(table, "\tmov.u64 %rd2, table;\n\tst.global.u32 [%rd2], 1;\n\tst.global.u64 [%rd1], %rd2;"),
            "0 mutable_global")
      << "its address leaves, too";
  EXPECT_EQ(kept(std::string(counter) + ".global .align 4 .u32 beside;\n",
                 "\tatom.global.inc.u32 %r1, [counter], 3;\n\tld.global.u32 %r2, [beside];"),
            "2 passes")
      << "a write over the end of one stays in the other: devices see to both";
  EXPECT_EQ(kept(std::string(counter) + ".global .attribute(.managed) .align 4 .u32 beside;\n",
                 "\tatom.global.inc.u32 %r1, [counter], 3;\n\tld.global.u32 %r2, [beside];"),
            "0 mutable_global")
      << "what lies beside is the host's, too";
  EXPECT_EQ(kept(".global .attribute(.managed) .align 4 .u32 seen;\n", "\tst.global.u32 [seen], 1;"),
            "0 mutable_global")
      << "the host sees it";
  EXPECT_EQ(kept(".global .attribute(.managed) .u32 many<4>;\n", "\tst.global.u32 [many3], 1;"),
            "4 unreadable_ptx");
  EXPECT_EQ(kept(table, "\tld.global.u32 %r1, [table];"), "0 passes");
  model::Artifact made = artifact(counter, "\tst.global.u32 [counter], 1;");
  made.kept = {{"another", "", 0}};
  EXPECT_EQ(check_module(made)->reason, "mutable_global") << "no device knows of it";
  const model::KeptVariable variable = kept_variables(made).at(0);
  EXPECT_EQ(variable.name, "counter");
  EXPECT_EQ(variable.file, "folder/add.cu");
  EXPECT_EQ(variable.line, 7);
  EXPECT_TRUE(variable.written);
  const model::Artifact two = artifact(std::string(counter) + ".global .align 4 .u32 beside;\n",
                                       "\tatom.global.inc.u32 %r1, [counter], 3;");
  EXPECT_FALSE(kept_variables(two).at(1).written);
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

TEST(ModuleContents, AnAddressIsFollowedIntoFunctions) {
  const std::string call = "\tmov.u64 \t%rd2, table;\n\tst.param.b64 [param0+0], %rd2;";
  EXPECT_EQ(reason(table, call), "") << "a string for assert";
  const auto helper = [](const std::string& body) {
    return ".func helper(\n\t.param .b64 p\n)\n{\n\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [p];\n" + body +
           "\tret;\n}\n";
  };
  const std::string made = "\t{\n\t.param .b64 param0;\n" + call + "\n\tcall.uni helper, (param0);\n\t}";
  EXPECT_EQ(reason(table + helper("\tst.global.u32 [%rd1], 1;\n"), made), "mutable_global");
  EXPECT_EQ(reason(table + helper("\tld.global.u64 %rd2, [%rd1];\n"), made), "") << "the function reads";
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
  EXPECT_EQ(reason(".const .align 4 .b8 weights[8] = {1};\n", "	ld.const.f32 %f1, [weights];"), "");
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

TEST(ModuleContents, NothingOnALineHidesWhatFollows) {
  const std::string store = "st.global.u32 [counter], %r1;";
  for (const std::string& before :
       {std::string("\t.loc 1 1 1 "), std::string("\t.loc 1 1 1, function_name $L__info0, inlined_at 1 2 3 "),
        std::string("\t.pragma \"nounroll //\"; "), std::string("\t.pragma \"/*\", \"}\";\n"),
        std::string("\tmov.u32 %r1, 5; "), std::string("L1: L2 : "), std::string("{ { } "),
        std::string("@ ! %p1 "), std::string("/*/ *//**/"), std::string(".file 7 \"a;b{.cu\" ")}) {
    const std::string after = before[0] == '{' ? " }" : "\n\t.pragma \"*/\";";
    EXPECT_EQ(reason(counter, before + store + after), "mutable_global") << before;
  }
  EXPECT_EQ(reason(counter, "\tst .global\n\t/* to */ .u32 [ counter + 4 ] , %r1 ;"), "mutable_global");
  EXPECT_EQ(reason(counter, "\tst.global.u32 counter[2], %r1;"), "mutable_global");
}

TEST(ModuleContents, AddressesInInitialisersAreFollowed) {
  const std::string load = "\tld.global.u64 %rd2, [where];\n";
  for (const char* where : {".global .align 8 .u64 where = counter;\n",
                            ".global .align 8 .u64 where[2] = {0, generic(counter)+4};\n",
                            ".visible .global .align 8 .b64 where = generic(counter);\n"}) {
    EXPECT_EQ(reason(counter + where, load + "\tst.u32 [%rd2], 1;"), "mutable_global") << where;
    EXPECT_EQ(reason(counter + where, load + "\tld.u32 %r1, [%rd2];"), "") << where;
  }
  EXPECT_EQ(reason(counter + ".const .align 8 .u64 where = counter;\n",
                   "\tld.const.u64 %rd2, [where];\n\tred.global.add.u32 [%rd2], 1;"),
            "mutable_global");
  EXPECT_EQ(reason(counter + ".global .u64 where = counter;\n.global .u64 outer = where;\n",
                   "\tld.global.u64 %rd3, [outer];\n\tld.global.u64 %rd2, [%rd3];\n\tst.u32 [%rd2], 1;"),
            "mutable_global")
      << "through two";
  EXPECT_EQ(reason(".const .align 4 .u32 fixed[2];\n",
                   "\tmov.u64 %rd2, fixed;\n\tcvta.const.u64 %rd3, %rd2;\n\tst.u32 [%rd3], 1;"),
            "mutable_global")
      << "constant memory outlives a launch, too";
}

TEST(ModuleContents, AddressesAreFollowedThroughMemoryOfTheLaunch) {
  const std::string places =
      "\t.shared .align 8 .b8 box[16];\n\t.local .align 8 .b8 depot[16];\n\tmov.u64 %rd2, table;\n"
      "\tcvta.global.u64 %rd3, %rd2;\n";
  EXPECT_EQ(reason(table, places + "\tst.shared.u64 [box], %rd3;\n\tld.shared.v2.u32 {%r1, %r2}, [box];\n"
                                   "\tmov.b64 %rd4, {%r1, %r2};\n\tst.u32 [%rd4], 1;"),
            "mutable_global")
      << "in halves";
  EXPECT_EQ(reason(table, places + "\tst.local.u64 [depot], %rd3;\n\tld.local.u64 %rd4, [depot];\n"
                                   "\tld.f32 %f1, [%rd4];\n\tst.global.f32 [%rd1], %f1;"),
            "")
      << "an array of pointers to tables, only read";
  EXPECT_EQ(reason(table, places + "\tst.local.u64 [depot], %rd3;\n\tld.local.u64 %rd4, [depot];\n"
                                   "\tld.u32 %r1, [%rd4];\n\tcvt.u64.u32 %rd5, %r1;\n"
                                   "\tadd.s64 %rd6, %rd1, %rd5;\n\tst.global.f32 [%rd6], %f1;"),
            "")
      << "an index out of a table";
  EXPECT_EQ(reason(table, places + "\tst.u64 [%rd1], %rd3;"), "mutable_global") << "it leaves";
  EXPECT_EQ(reason(table, places + "\tmov.u64 %rd5, box;\n\tcvta.shared.u64 %rd6, %rd5;\n"
                                   "\tselp.b64 %rd7, %rd6, %rd1, %p1;\n\tst.u64 [%rd7], %rd3;"),
            "mutable_global")
      << "it leaves on one of two ways";
  EXPECT_EQ(
      reason(table, places + "\tst.shared.u64 [box], %rd3;\n\tmov.u64 %rd5, box;\n"
                             "\tcvta.shared.u64 %rd6, %rd5;\n\tld.u64 %rd7, [%rd6];\n\tst.u32 [%rd7], 1;"),
      "mutable_global")
      << "through a generic address of shared memory";
}

TEST(ModuleContents, AddressesAreFollowedIntoCallsThroughRegisters) {
  const std::string functions =
      ".func bump(\n\t.param .b64 p\n)\n{\n\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [p];\n"
      "\tst.global.u32 [%rd1], 1;\n\tret;\n}\n"
      ".func (.param .b64 r) same(\n\t.param .b64 q\n)\n{\n\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [q];\n"
      "\tst.param.b64 [r], %rd1;\n\tret;\n}\n";
  const std::string begin = "\t{\n\t.param .b64 a;\n\t.param .b64 b;\n\tst.param.b64 [a], table;\n";
  EXPECT_EQ(reason(table + functions, begin + "\tmov.u64 %rd2, bump;\n\tcall %rd2, (a), proto;\n\t}"),
            "mutable_global");
  EXPECT_EQ(reason(table + functions, begin + "\tcall (b), same, (a);\n\tld.param.b64 %rd4, [b];\n"
                                              "\tst.u32 [%rd4], 1;\n\t}"),
            "mutable_global")
      << "through a result";
  EXPECT_EQ(reason(table + functions, begin + "\tcall (b), same, (a);\n\t}\n\t{\n\t.param .b64 a;\n"
                                              "\tst.param.b64 [a], %rd1;\n\tcall bump, (a);\n\t}"),
            "")
      << "a parameter of the same name in other braces";
}

TEST(ModuleContents, VariablesDeclaredInFunctionsAndInRowsCount) {
  EXPECT_EQ(reason("", "\t{ .global .align 4 .u32 hidden; st.global.u32 [hidden], 1; }"), "mutable_global");
  EXPECT_EQ(reason("", "\t{ .global .u32 many<4>; st.global.u32 [many3], 1; }"), "mutable_global");
  EXPECT_EQ(reason(".global .u32 a, b[2] = {1, 2}, c;\n", "\tst.global.u32 [c], 1;"), "mutable_global");
  EXPECT_EQ(reason(".global .attribute(.managed) .align 4 .u32 managed;\n", "\tst.global.u32 [managed], 1;"),
            "mutable_global");
}

TEST(ModuleContents, WhatCannotBeReadIsRefused) {
  for (const char* body : {"\t.unknown_directive 5;", "\t# 5 \"x.cu\"\n", "\tst.global.u32 [%rd1, 5;",
                           "\tst.global.u32 [%rd1), 5;", "\tst.global.u32 %rd1], 5;", "\t.pragma \"no end;\n",
                           "\tadd.u32 %r1, %r2, \"text\";", "\t/* no end", "\t}", "\t{",
                           "\t.func inner() { ret; }", "\tmov . u32 %r1, 5;"}) {
    EXPECT_EQ(reason("", body), "unreadable_ptx") << body;
  }
  EXPECT_EQ(reason("@@DWARF .byte 0\n", ""), "unreadable_ptx");
  EXPECT_EQ(reason(".section .debug_str\n{\n$L__info0:\n.b8 118,101,0\n.b64 $L__info0\n}\n", ""), "");
}

TEST(ModuleContents, ARegisterIsKnownOrRefused) {
  EXPECT_EQ(reason("", "\tmov.u32 %r1, %nwarpid;"), "machine_state");
  EXPECT_EQ(reason("", "\tmov.u64 %rd2, %current_graph_exec;"), "machine_state");
  EXPECT_EQ(reason("", "\tmov.u32 %r1, %some_new_register;"), "machine_state");
  EXPECT_EQ(reason("", "\t{ .reg .b32 %clock; }\n\tmov.u32 %r1, %clock;"), "machine_state");
  EXPECT_EQ(reason("", "\t{ .reg .b32 %new; }\n\tmov.u32 %r1, %new;"), "machine_state");
  EXPECT_EQ(reason("", "\t{ .reg .b32 %new; mov.u32 %new, 1; }"), "");
  EXPECT_EQ(reason("", "\t{ .reg .b32 %clock; mov.u32 %r1, %clock; }"), "machine_state")
      << "who reads it need not agree on what it is";
  EXPECT_EQ(reason(".func f(\n\t.param .b32 %pm9x\n)\n{\n\tret;\n}\n", "\tmov.u32 %r1, %pm9x;"),
            "machine_state");
  for (const char* name : {"%lanemask_lt", "%cluster_ctarank", "%is_explicit_cluster", "%total_smem_size",
                           "%aggr_smem_size", "%reserved_smem_offset_1", "%nclusterid.y", "WARP_SZ"})
    EXPECT_EQ(reason("", std::string("\tmov.u32 %r1, ") + name + ";"), "") << name;
}

TEST(ModuleContents, OnlyPoliciesThatEndWithTheLaunchAreAllowed) {
  const std::string hinted = "\tld.global.L2::cache_hint.f32 %f1, [%rd1], ";
  for (const char* body :
       {"\tld.global.cs.f32 %f1, [%rd1];", "\tst.global.wt.f32 [%rd1], %f1;",
        "\tld.global.L1::evict_last.L2::128B.f32 %f1, [%rd1];", "\tprefetch.global.L2 [%rd1];",
        "\tprefetch.global.L2::evict_normal [%rd1];", "\tapplypriority.global.L2::evict_normal [%rd1], 128;"})
    EXPECT_EQ(reason("", body), "") << body;
  for (const char* policy :
       {"createpolicy.fractional.L2::evict_first.b64 %rd2, 1.0;", "mov.u64 %rd2, 0x12F0000000000000;",
        "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %rd3, 0.5; mov.b64 %rd2, %rd3;"})
    EXPECT_EQ(reason("", std::string("\t") + policy + "\n" + hinted + "%rd2;"), "") << policy;
  for (const char* policy :
       {"mov.u64 %rd2, 0x14F0000000000000;", "ld.global.u64 %rd2, [%rd1];", "add.s64 %rd2, %rd3, %rd4;", "",
        "createpolicy.cvt.L2.b64 %rd2, %rd3;", "createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0;",
        "mov.u64 %rd2, 0x12F0000000000000; ld.param.u64 %rd2, [add_param_0];"})
    EXPECT_EQ(reason("", std::string("\t") + policy + "\n" + hinted + "%rd2;"), "cache_policy") << policy;
  EXPECT_EQ(reason("", hinted + "0x14F0000000000000;"), "cache_policy");
  EXPECT_EQ(reason("", "\tld.global.L2::evict_some_day.f32 %f1, [%rd1];"), "cache_policy");
  EXPECT_EQ(reason("", "\tprefetch.global.L2::evict_last [%rd1];"), "cache_policy");
  EXPECT_EQ(reason("", "\tdiscard.global.L2 [%rd1], 128;"), "cache_policy");
}

// -- the cubin
// -------------------------------------------------------------------------------------------------------

template <class T>
void put_value(std::string& bytes, std::size_t at, T value) {
  if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

struct Storage {
  std::string name;
  std::uint64_t value, size;
};

/// An ELF file with one writable section, `section` of `size` bytes, and symbols in it.
std::string cubin(const std::string& section, std::uint64_t size, const std::vector<Storage>& symbols) {
  std::string names = std::string(1, '\0') + section + '\0', strings(1, '\0'), entries(24, '\0');
  for (const Storage& symbol : symbols) {
    const std::size_t at = entries.size();
    put_value(entries, at, static_cast<std::uint32_t>(strings.size()));
    put_value(entries, at + 4, std::uint16_t{1});
    put_value(entries, at + 6, std::uint16_t{1});
    put_value(entries, at + 8, symbol.value);
    put_value(entries, at + 16, symbol.size);
    strings += symbol.name + '\0';
  }
  std::string file(
      "\x7f"
      "ELF\x02\x01",
      6);
  file.resize(64);
  const auto place = [&](const std::string& bytes) {
    const std::size_t at = file.size();
    file += bytes;
    return at;
  };
  const std::size_t names_at = place(names), strings_at = place(strings), entries_at = place(entries);
  const std::size_t headers = file.size();
  put_value(file, 40, std::uint64_t{headers});
  put_value(file, 58, std::uint16_t{64});
  put_value(file, 60, std::uint16_t{5});
  put_value(file, 62, std::uint16_t{2});
  file.resize(headers + 5 * 64);
  const auto header = [&](std::size_t index, std::uint32_t name, std::uint32_t type, std::uint64_t flags,
                          std::size_t offset, std::uint64_t bytes, std::uint32_t link) {
    const std::size_t at = headers + index * 64;
    put_value(file, at, name);
    put_value(file, at + 4, type);
    put_value(file, at + 8, flags);
    put_value(file, at + 24, std::uint64_t{offset});
    put_value(file, at + 32, bytes);
    put_value(file, at + 40, link);
  };
  header(1, 1, 8, 3, 0, size, 0);  // NOBITS, writable and allocated
  header(2, 0, 3, 0, names_at, names.size(), 0);
  header(3, 0, 3, 0, strings_at, strings.size(), 0);
  header(4, 0, 2, 0, entries_at, entries.size(), 3);
  return file;
}

TEST(ModuleContents, WritableStorageOfTheCubinIsDeclared) {
  const auto reason_of = [](const std::string& declarations, std::string bytes) {
    model::Artifact made = artifact(declarations, "");
    made.cubin = std::move(bytes);
    const auto failure = check_module(made);
    return failure ? failure->reason : "";
  };
  EXPECT_EQ(reason_of(counter, cubin(".nv.global", 4, {{"counter", 0, 4}})), "");
  EXPECT_EQ(reason_of("", cubin(".nv.global", 4, {{"counter", 0, 4}})), "undeclared_global");
  EXPECT_EQ(reason_of(counter, cubin(".nv.global", 8, {{"counter", 0, 4}, {"hidden", 4, 4}})),
            "undeclared_global");
  EXPECT_EQ(reason_of(counter, cubin(".nv.global", 4096, {{"counter", 0, 4}})), "undeclared_global")
      << "bytes without a name";
  EXPECT_EQ(reason_of(".global .u32 x;\n", cubin(".nv.global", 4, {{"$__x__12", 0, 4}})), "");
  EXPECT_EQ(reason_of("", cubin(".data", 16, {})), "") << "less than an alignment";
  EXPECT_EQ(reason_of("", cubin(".data", 1024, {})), "undeclared_global");
  EXPECT_EQ(reason_of("", cubin(".nv.shared.add", 1024, {})), "");
  EXPECT_EQ(reason_of(counter, cubin(".nv.global", 4, {{"counter", 0, 4}}).substr(0, 100)),
            "undeclared_global");
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
