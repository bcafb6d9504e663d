// Which kernels lack a fence between ordinary writes to shared memory and what the tensor cores and the copy
// engine read there.
#include "evaluators/gates/proxy_fences.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "evaluators/gates/sanitize.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

/// Instructions that the kernels here are put together from; where several lie on a line, they share it.
const std::string write = "st.shared.u32 [%r1], %r2;", fence = "fence.proxy.async.shared::cta;",
                  meet = "bar.sync 0;",
                  read =
                      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, "
                      "%f3, %f4}, %rd1, %rd2, p, 1, 1, 0, 0;",
                  store = "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 128;",
                  arrive = "mbarrier.arrive.shared::cta.b64 _, [%r3];",
                  wait = "$W: mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r3], %r4; @!%p9 bra $W;",
                  copy = "cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;",
                  copies_arrive = "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r3];",
                  all_copies = "cp.async.wait_group 0;";

/// A module with a kernel, each line of `body` with its number from 10 on, behind `functions`.
model::Artifact artifact(const std::vector<std::string>& body, const std::string& functions = {}) {
  model::Artifact made;
  made.entry = "k";
  made.source_file = "k.cu";
  made.ptx = ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 16 .b8 shared[];\n" +
             functions +
             ".visible .entry k(\n\t.param .u64 k_param_0\n)\n.maxntid 256, 1, 1\n{\n\t.reg .b32 %r<9>;\n";
  for (std::size_t i = 0; i < body.size(); ++i)
    made.ptx += "\t.loc\t1 " + std::to_string(10 + i) + " 3\n\t" + body[i] + "\n";
  made.ptx += "\tret;\n}\n\t.file\t1 \"folder/k.cu\"\n";
  return made;
}

using Body = std::vector<std::string>;

/// Two roles of the kernel: the first has a branch of its own.
Body roles(const Body& first, const Body& second) {
  Body all{"@%p1 bra $SECOND;"};
  all.insert(all.end(), first.begin(), first.end());
  all.insert(all.end(), {"bra.uni $END;", "$SECOND:"});
  all.insert(all.end(), second.begin(), second.end());
  all.push_back("$END:");
  return all;
}

bool found(const Body& body, const std::string& functions = {}) {
  return check_proxy_fences(artifact(body, functions)).has_value();
}

TEST(ProxyFences, BetweenAThreadsWriteAndItsRead) {
  EXPECT_FALSE(found({write, fence, meet, read}));
  EXPECT_FALSE(found({write, meet, fence, read})) << "the threads that read may order it too";
  EXPECT_FALSE(found({write, "fence.proxy.async;", meet, read}));
  EXPECT_TRUE(found({write, meet, read}));
  EXPECT_TRUE(found({write, read}));
  EXPECT_TRUE(found({fence, write, meet, read}));
  EXPECT_TRUE(found({write, fence, write, meet, read}));
  EXPECT_TRUE(found({write, "fence.proxy.async.global;", meet, read})) << "of global memory";
  EXPECT_TRUE(found({write, "fence.acq_rel.cta;", "wgmma.fence.sync.aligned;", meet, read}));
  EXPECT_TRUE(found({write, "@%p1 " + fence, meet, read})) << "perhaps not executed";
}

TEST(ProxyFences, AllThatWritesAndReads) {
  for (const char* writer : {"st.shared.v4.b32 [%r1], {%r1, %r2, %r3, %r4};", "st.f32 [%rd1], %f1;",
                             "@%p1 st.shared.u8 [%r1], %rs1;", "atom.shared.add.u32 %r2, [%r1], 1;",
                             "red.shared.add.f32 [%r1], %f1;", "st.volatile.shared.u32 [%r1], 1;",
                             "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r1, %r2};",
                             "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r1], {%f1, %f2}, %r2;"}) {
    EXPECT_TRUE(found({writer, meet, read})) << writer;
    EXPECT_FALSE(found({writer, fence, meet, read})) << writer;
  }
  for (const char* other :
       {"st.global.f32 [%rd1], %f1;", "st.local.u32 [%r1], %r2;", "atom.global.add.u32 %r2, [%rd1], 1;",
        "red.global.add.f32 [%rd1], %f1;", "ld.shared.u32 %r1, [%r2];",
        "mbarrier.init.shared::cta.b64 [%r1], 1;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r3];",
        "wgmma.commit_group.sync.aligned;", "mov.u32 %r1, 0;"})
    EXPECT_FALSE(found({other, meet, read})) << other;
  for (const char* reader :
       {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [%r3];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], 16;",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 64, [%r3];"}) {
    EXPECT_TRUE(found({write, meet, reader})) << reader;
    EXPECT_FALSE(found({write, fence, meet, reader})) << reader;
  }
}

TEST(ProxyFences, WhoReadsNothingThroughTheOtherProxyNeedsNone) {
  EXPECT_FALSE(
      found({write, meet,
             "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r3];"}));
  EXPECT_FALSE(found({write, meet, "ld.shared.u32 %r1, [%r2];", copy, all_copies, meet}));
  EXPECT_FALSE(
      found({"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r3];",
             wait, "ld.shared.u32 %r1, [%r2];", write, meet, "ld.shared.u32 %r1, [%r2];"}));
}

TEST(ProxyFences, BeforeTheProducerHandsOver) {
  EXPECT_FALSE(found(roles({write, fence, arrive}, {wait, read})));
  EXPECT_TRUE(found(roles({write, arrive}, {wait, read})));
  EXPECT_TRUE(found(roles({write, arrive, fence}, {wait, read}))) << "too late";
  EXPECT_FALSE(found(roles({write, arrive}, {wait, fence, read})));
  EXPECT_TRUE(found(roles({write, arrive}, {fence, wait, read}))) << "too early";
  EXPECT_TRUE(found({write, arrive, fence, wait, read})) << "not between the others' writes and the read";
  EXPECT_FALSE(found(roles({write, arrive}, {wait, "ld.shared.u32 %r1, [%r2];", "bra $LATER;"})));
  EXPECT_TRUE(found(roles({wait, read}, {write, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 64;"})));
}

TEST(ProxyFences, HandedOverByBarriersOfTheSameNumber) {
  for (const char* hand_over : {"bar.arrive 3, 256;", "barrier.cta.arrive.aligned 3, 256;",
                                "bar.sync 3, 256;", "bar.arrive %r5, 256;"}) {
    EXPECT_TRUE(found(roles({write, hand_over}, {"bar.sync 3, 256;", read}))) << hand_over;
    EXPECT_FALSE(found(roles({write, fence, hand_over}, {"bar.sync 3, 256;", read}))) << hand_over;
  }
  EXPECT_FALSE(found(roles({write, "bar.arrive 4, 256;"}, {"bar.sync 3, 256;", read})));
  EXPECT_TRUE(found(roles({write, "bar.arrive 3, 256;"}, {"barrier.sync.aligned %r5, 256;", read})));
  EXPECT_FALSE(found(roles({write, arrive}, {"bar.sync 3, 256;", read}))) << "other kinds of barriers";
  EXPECT_TRUE(found(roles({write, "barrier.cluster.arrive.release.aligned;"},
                          {"barrier.cluster.wait.acquire.aligned;", read})));
  Body others = roles({wait, "bar.arrive 1, 64;"}, {"bar.sync 1, 64;", read});
  others.insert(others.begin(), "{");
  others.push_back("}");
  EXPECT_TRUE(found(roles({write, arrive}, others))) << "by a third that neither writes nor reads";
}

TEST(ProxyFences, ALoopHandsOverFromRoleToRole) {
  const auto loop = [](Body body) {
    body.insert(body.begin(), "$LOOP:");
    body.push_back("@%p2 bra $LOOP;");
    return body;
  };
  EXPECT_TRUE(found(loop(roles({write, meet, fence}, {meet, read}))));
  EXPECT_FALSE(found(loop(roles({write, fence, meet}, {meet, read}))));
  EXPECT_FALSE(found(loop({write, meet, fence, meet, read, "wgmma.wait_group.sync.aligned 0;", meet})));
}

TEST(ProxyFences, WhatComesAfterTheLastReadNeedsNone) {
  const Body main_loop{
      "@%p3 bra $DONE;", "$LOOP:", meet, read, "wgmma.wait_group.sync.aligned 0;", meet, arrive, wait,
      "@%p2 bra $LOOP;", "$DONE:"};
  for (const std::string& barrier :
       {meet, arrive, std::string("bar.sync 1, 128;"), std::string("bar.sync %r5, 128;")}) {
    Body body{meet};
    body.insert(body.end(), main_loop.begin(), main_loop.end());
    body.insert(body.end(), {write, barrier, "ld.shared.u32 %r1, [%r2];"});
    EXPECT_FALSE(found(body)) << barrier;
    body.insert(body.end(), {"setp.ne.u32 %p5, %r1, 0;", "@%p5 bra $DONE;", store});
    EXPECT_TRUE(found(body)) << barrier << ", and the copy engine stores it";
  }
}

TEST(ProxyFences, APersistentLoopFencesItsEpilogue) {
  const Body faulty{"$TILE:",
                    wait,
                    read,
                    "wgmma.wait_group.sync.aligned 0;",
                    write,
                    "bar.sync 1, 128;",
                    "@%p1 bra $NEXT;",
                    store,
                    "cp.async.bulk.commit_group;",
                    "$NEXT:",
                    "@%p2 bra $TILE;"};
  Body correct = faulty;
  correct.insert(correct.begin() + 5, fence);
  EXPECT_FALSE(found(correct));
  EXPECT_TRUE(found(faulty));
}

TEST(ProxyFences, CopiesAreFencedAfterTheirWait) {
  EXPECT_FALSE(found({copy, "cp.async.commit_group;", all_copies, fence, meet, read}));
  EXPECT_FALSE(found({copy, "cp.async.wait_all;", fence, meet, read}));
  EXPECT_TRUE(found({copy, "cp.async.commit_group;", all_copies, meet, read}));
  EXPECT_TRUE(found({copy, "cp.async.commit_group;", fence, all_copies, meet, read})) << "not there yet";
  EXPECT_FALSE(found({copy, "cp.async.commit_group;", copy, "cp.async.commit_group;",
                      "cp.async.wait_group 1;", fence, meet, read}))
      << "the later copy is under way";
  EXPECT_TRUE(found(
      {copy, "cp.async.commit_group;", "cp.async.wait_group 1;", fence, meet, read, all_copies, meet, read}));
  EXPECT_FALSE(found({copy, "cp.async.wait_all;", fence, meet, read, "cp.async.wait_all;", meet, read}));
  EXPECT_FALSE(found({copy, copies_arrive, wait, fence, read}));
  EXPECT_TRUE(found({copy, copies_arrive, wait, read}));
  EXPECT_TRUE(found({copy, copies_arrive, fence, wait, read}));
  EXPECT_TRUE(found(roles({copy, copies_arrive}, {wait, read})));
  EXPECT_FALSE(found(roles({copy, copies_arrive}, {wait, fence, read})));
}

TEST(ProxyFences, EveryWayToTheReadNeedsOne) {
  EXPECT_TRUE(found({write, "@%p1 bra $A;", fence, "$A:", meet, read}));
  EXPECT_FALSE(found({write, "@%p1 bra $A;", fence, "bra.uni $B;", "$A:", fence, "$B:", meet, read}));
  EXPECT_FALSE(found({"@%p1 bra $A;", write, "bra.uni $END;", "$A:", read, "$END:"})) << "one or the other";
  EXPECT_FALSE(found({"@%p1 bra $A;", write, "ret;", "$A:", read}));
  EXPECT_FALSE(found({"@%p1 bra $A;", write, "exit;", "$A:", read}));
  EXPECT_TRUE(found({"@%p1 bra $A;", write, "@%p2 ret;", "$A:", read}));
  EXPECT_TRUE(found({"$A:", read, write, "@%p1 bra $A;"})) << "the next time around";
  EXPECT_TRUE(found({"$T: .branchtargets $A, $B;", write, "brx.idx %r1, $T;", "$A:", fence, "$B:", read}));
  EXPECT_FALSE(found({"$T: .branchtargets $A, $B;", write, "brx.idx %r1, $T;", "$A:", fence, read, "$B:"}));
  // The same label twice, in braces of their own: each is a loop of its own.
  const std::string spin = "{ $L: ld.global.u32 %r1, [%rd1]; @%p1 bra $L; }";
  EXPECT_FALSE(found({spin, read, write, spin}));
  EXPECT_FALSE(found({write, spin, fence, spin, read}));
}

const std::string
    put = ".func put(\n\t.param .b64 put_param_0\n)\n{\n\t.loc\t1 5 3\n\tst.u32 [%rd1], %r2;\n",
    call_put =
        "{ .param .b64 param0; st.param.b64 [param0+0], %rd1; call.uni \n\tput, \n\t(\n\tparam0\n\t); }";

TEST(ProxyFences, FunctionsWriteAndFence) {
  EXPECT_TRUE(found({call_put, meet, read}, put + "\tret;\n}\n"));
  EXPECT_FALSE(found({call_put, meet, read}, put + "\t" + fence + "\n\tret;\n}\n"));
  EXPECT_FALSE(found({call_put, fence, meet, read}, put + "\tret;\n}\n"));
  const std::string order = ".func (.param .b32 func_retval0) order()\n{\n\t" + fence + "\n\tret;\n}\n";
  EXPECT_FALSE(found({write, "call (retval0), order, ();", meet, read}, order));
  const std::string multiply = ".func multiply()\n{\n\t" + read + "\n\tret;\n}\n";
  EXPECT_TRUE(found({write, meet, "call.uni multiply, ();"}, multiply));
  EXPECT_FALSE(found({write, fence, meet, "call.uni multiply, ();"}, multiply));
  // A function that only meets the others gives each caller back what it had, and not what another has.
  const std::string meeting = ".func meeting()\n{\n\t" + meet + "\n\tret;\n}\n";
  EXPECT_FALSE(found({"call.uni meeting, ();", read, write, "call.uni meeting, ();"}, meeting));
  EXPECT_TRUE(found({write, "call.uni meeting, ();", read}, meeting));
  const std::string outer = meeting + ".func outer()\n{\n\tcp.async.wait_all;\n\tcall.uni meeting, ();\n\t" +
                            read + "\n\tret;\n}\n";
  EXPECT_TRUE(found({copy, "call.uni outer, ();"}, outer)) << "through two functions";
  EXPECT_FALSE(found({copy, "cp.async.wait_all;", fence, "call.uni outer, ();"}, outer));
}

std::string detail(const model::Evidence& evidence, std::string_view key) {
  const auto at = std::find_if(evidence.details.begin(), evidence.details.end(),
                               [&](const auto& entry) { return entry.first == key; });
  return at == evidence.details.end() ? "" : at->second;
}

TEST(ProxyFences, TheEvidenceNamesWriteHandOverAndRead) {
  const auto failure = check_proxy_fences(artifact(roles({write, arrive}, {wait, read})));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->status, model::Status::sanitizer_fail);
  EXPECT_EQ(failure->reason, "proxy_fence");
  ASSERT_EQ(failure->evidence.size(), 1U);
  const model::Evidence& evidence = failure->evidence.front();
  EXPECT_EQ(evidence.kind, "proxy_fence");
  EXPECT_EQ(evidence.file, "folder/k.cu");
  EXPECT_EQ(evidence.line, 11);
  EXPECT_EQ(detail(evidence, "other_file"), "folder/k.cu");
  EXPECT_EQ(detail(evidence, "other_line"), "16");
  EXPECT_EQ(detail(evidence, "hand_over_file"), "folder/k.cu");
  EXPECT_EQ(detail(evidence, "hand_over_line"), "12");
  for (const char* words :
       {"st.shared.u32 at folder/k.cu:11", "mbarrier.arrive.shared::cta.b64 at folder/k.cu:12",
        "at folder/k.cu:16", "fence.proxy.async"})
    EXPECT_NE(evidence.message.find(words), std::string::npos) << evidence.message;
}

TEST(ProxyFences, AThreadThatReadsItselfHandsNothingOver) {
  const auto failure = check_proxy_fences(artifact({write + " " + write, meet, read, read}));
  ASSERT_TRUE(failure);
  ASSERT_EQ(failure->evidence.size(), 1U) << "one a line";
  EXPECT_EQ(detail(failure->evidence.front(), "other_line"), "12");
  EXPECT_EQ(detail(failure->evidence.front(), "hand_over_line"), "");
}

TEST(ProxyFences, TheSanitizeGateRefusesBeforeItRuns) {
  tests::FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  tests::FakeDevice device(settings);
  const auto report = sanitize(device, artifact({write, meet, read}), {}, {},
                               {evo::tests::known(), {"normal", "normal", {}}}, {});
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->reason, "proxy_fence");
  EXPECT_EQ(settings.log->loads, 0);
  SanitizeReport on_gpu = report;
  pass_over_unsupported(on_gpu, "cuda", false);
  EXPECT_TRUE(on_gpu.failure) << "a GPU does not see it either";
}

}  // namespace
}  // namespace evo::evaluators::gates
