// Which statements are barriers, and what taking one out says.
#include <gtest/gtest.h>

#include "diagnose/barrier_audit.hpp"
#include "diagnose/barrier_sites.hpp"

namespace evo::diagnose {
namespace {

std::vector<std::string> texts(const std::string& body) {
  std::vector<std::string> found;
  for (const BarrierSite& site : barriers_of("__global__ void k(float* x) {\n" + body + "\n}\n"))
    found.push_back(site.text);
  return found;
}
using Texts = std::vector<std::string>;

TEST(BarrierSites, EveryFormIsFound) {
  EXPECT_EQ(texts("__syncthreads(); __syncwarp(0xff); if (x) __threadfence_block();"),
            (Texts{"__syncthreads()", "__syncwarp(0xff)", "__threadfence_block()"}));
  EXPECT_EQ(texts("block.sync(); cg::this_thread_block().sync(); cooperative_groups::sync(tile); "
                  "bar->arrive_and_wait();"),
            (Texts{"block.sync()", "cg::this_thread_block().sync()", "cooperative_groups::sync(tile)",
                   "bar->arrive_and_wait()"}));
  EXPECT_EQ(texts("asm volatile(\"bar.sync %0, %1;\" :: \"r\"(id), \"n\"(64)); asm(\"cp.async.wait_group "
                  "0;\\n\\t\"\n\"bar.sync 0;\");")
                .size(),
            2U);
  EXPECT_EQ(texts("EVO_SYNC(SYNC_A); for (;;) { __syncthreads(); }").size(), 2U);
}

// A barrier by another name is one; a macro that also works is not.
TEST(BarrierSites, MacrosThatOnlyOrderAreFound) {
  const auto sites = barriers_of(
      "#define BARRIER(strength) \\\n  if (strength == 2) __syncthreads(); else if (strength == 1) "
      "__syncwarp()\n"
      "#define SWAP(a, b) a = b; __syncthreads()\n"
      "__global__ void k(float* x) {\n  BARRIER(2);\n  SWAP(x[0], x[1]);\n  cute::cp_async_wait<0>();\n}\n");
  ASSERT_EQ(sites.size(), 3U);
  EXPECT_EQ(sites[0].line, 3);
  EXPECT_EQ(sites[1].text, "BARRIER(2)");
  EXPECT_EQ(sites[1].line, 5);
  EXPECT_EQ(sites[2].text, "cute::cp_async_wait<0>()");
}

TEST(BarrierSites, MacrosWithoutParametersAreFound) {
  const std::string source =
      "#define SYNC __syncthreads()\n#define MEET do { asm volatile(\"bar.sync 0;\"); } while (0)\n"
      "#define RENAMED __syncwarp\n#define WIDTH 4\n#define STEP x[0] += 1; __syncthreads()\n"
      "__global__ void k(float* x) {\n  SYNC;\n  MEET;\n  RENAMED();\n  STEP;\n  WIDTH;\n}\n";
  Texts found;
  for (const BarrierSite& site : barriers_of(source)) found.push_back(site.text);
  EXPECT_EQ(found, (Texts{"__syncthreads()", "SYNC", "MEET", "RENAMED()"}))
      << "STEP's own, where it is defined";
}

TEST(BarrierSites, OneOfAMacroThatDoesMoreGoesWhereItIsDefined) {
  const std::string source =
      "#define STEP(i) do { \\\n  x[i] += 1; \\\n  __syncthreads(); \\\n  } while (0)\n#define N "
      "(4)\n#define "
      "MORE if (n) __syncwarp(); x[0] = __syncthreads_or(n)\n__global__ void k(float* x) { STEP(0); STEP(1); "
      "}\n";
  const auto sites = barriers_of(source);
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].line, 3);
  EXPECT_NE(without(source, sites[0]).find("x[i] += 1; \\\n                 ; \\\n"), std::string::npos);
}

TEST(BarrierSites, WhatDoesMoreIsNone) {
  EXPECT_EQ(texts("int n = __syncthreads_count(p); n = __syncthreads_or(p); f(__activemask()); sync_it(x);"),
            Texts{});
  EXPECT_EQ(
      texts("asm volatile(\"st.shared.f32 [%0], %1; bar.sync 0;\" :: \"r\"(a), \"f\"(v)); x[0] = a.wait();"),
      Texts{});
  EXPECT_EQ(texts("// __syncthreads();\n/* __syncthreads(); */ const char* s = \"__syncthreads();\";"),
            Texts{});
}

TEST(BarrierSites, OneIsTakenOutAndLinesStay) {
  const std::string source = "__global__ void k() {\n  if (a)\n    __syncwarp(\n        1);\n  b();\n}\n";
  const auto sites = barriers_of(source);
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].line, 3);
  const std::string less = without(source, sites[0]);
  EXPECT_EQ(less.size(), source.size());
  EXPECT_EQ(std::count(less.begin(), less.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
  EXPECT_EQ(less.find("__syncwarp"), std::string::npos);
  EXPECT_NE(less.find(";\n  b();"), std::string::npos) << "an empty statement stays";
}

/// Refuses what the test says; two sources without A are the same code.
class Scripted final : public evaluators::Evaluator {
 public:
  [[nodiscard]] evaluators::EvaluatorInfo info() const override { return {}; }
  [[nodiscard]] evaluators::Prepared prepare(const model::Variant& variant) override {
    evaluators::Prepared prepared;
    prepared.variant = variant;
    const bool compiles = variant.source.find("block.sync()") != std::string::npos;
    prepared.gates.push_back({model::Gate::compile, std::nullopt, 0});
    if (!compiles) prepared.gates.back().failure = model::Failure{model::Status::compile_error, "syntax", {}};
    prepared.code_identity = variant.source.find("__syncwarp(1)") == std::string::npos ? "same" : "other";
    return prepared;
  }
  [[nodiscard]] evaluators::Evaluation evaluate(const evaluators::Prepared& prepared) override {
    ++evaluated;
    const auto lacks = [&](const char* text) {
      return prepared.variant.source.find(text) == std::string::npos;
    };
    evaluators::Evaluation evaluation;
    const auto gate = [&](model::Gate which, bool fails, model::Status status, const char* reason) {
      if (!evaluation.gates.empty() && evaluation.gates.back().failure) return;
      evaluation.gates.push_back({which, std::nullopt, 0});
      if (fails)
        evaluation.gates.back().failure =
            model::Failure{status, reason, {{"race_shared", "two lines", "k.cu", 4, {}}}};
    };
    gate(model::Gate::sanitize, lacks("__syncthreads()"), model::Status::sanitizer_fail, "race_shared");
    gate(model::Gate::sanitize, lacks("__threadfence()"), model::Status::sanitizer_fail,
         "incomplete_coverage");
    gate(model::Gate::correctness, lacks("__syncwarp(2)"), model::Status::nondeterministic, "repeat");
    return evaluation;
  }
  [[nodiscard]] std::optional<evaluators::Paired> time_paired(const model::Variant&, const model::Variant&,
                                                              double) override {
    return std::nullopt;
  }
  int evaluated = 0;
};

TEST(BarrierAudit, EachEndHasItsWord) {
  Scripted evaluator;
  model::Template kernel;
  kernel.source =
      "__global__ void k() "
      "{\n__syncthreads();\n__syncwarp(1);\n__syncwarp(2);\n__syncwarp(3);\nblock.sync();\n__threadfence();"
      "\n}\n";
  const auto findings = audit_barriers(evaluator, kernel, {}, {}, "same");
  ASSERT_EQ(findings.size(), 6U);
  const auto expect = [&](std::size_t i, BarrierVerdict verdict, const std::string& reason) {
    EXPECT_EQ(name_of(findings[i].verdict), name_of(verdict)) << findings[i].site.text;
    EXPECT_EQ(findings[i].reason, reason);
  };
  expect(0, BarrierVerdict::needed, "race_shared");
  EXPECT_EQ(findings[0].evidence.size(), 1U);
  EXPECT_EQ(findings[0].gate, "sanitize");
  expect(1, BarrierVerdict::inert, "");
  expect(2, BarrierVerdict::unseen, "repeat");
  expect(3, BarrierVerdict::redundant, "");
  expect(4, BarrierVerdict::unsettled, "syntax");
  expect(5, BarrierVerdict::unsettled, "incomplete_coverage");
  EXPECT_EQ(evaluator.evaluated, 4) << "the same code and what does not compile need no second proof";
}

}  // namespace
}  // namespace evo::diagnose
