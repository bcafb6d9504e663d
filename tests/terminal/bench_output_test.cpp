// The table and the document of `evo bench`.
#include <gmock/gmock.h>

#include "terminal/bench_output.hpp"

namespace evo::terminal {
namespace {

using evaluators::benchmark::OutputCheck;
using evaluators::benchmark::Standing;
using evaluators::benchmark::Timed;
using session::BenchCase;
using session::BenchModelled;
using session::BenchReport;

BenchReport sample() {
  BenchReport report;
  report.run = "runs/x";
  report.experiment = "s512";
  report.target = "h200";
  report.device_kind = "cuda";
  report.device_name = "NVIDIA H200";
  report.driver = "580.1";
  report.uuid = "GPU-1";
  report.toolchain = "NVRTC 13.0.88";
  report.l2_bytes = 62914560;
  report.variants = {{"champion", "0123456789abcdef"}};
  report.comparators = {{"PyTorch 2.11.0", ""}, {"other", "not installed"}};
  BenchCase measured;
  measured.workload = "s512";
  measured.flops = 1e9;
  Standing champion{"champion", "", OutputCheck{true, 2e-4, 3e-3, "", "all of it"},
                    {},         {}, "SM clock 1980 MHz"};
  champion.hot = Timed{7, 21, {5, 5, 5}, 5, {4.9, 5.1}};
  champion.cold = Timed{76, 76, {6, 6}, 6, {5.9, 6.1}};
  Standing flash = champion;
  flash.contender = "flash";
  flash.hot->median_us = 10;
  Standing cudnn{"cudnn", "no such shape", {}, {}, {}, ""};
  Standing floor{"launch floor", "", {}, champion.hot, {}, ""};
  floor.hot->median_us = 0.7;
  measured.standings = {champion, flash, cudnn, floor};
  report.cases = {measured};
  return report;
}

TEST(BenchOutput, TableSaysHowEachNumberWasObtained) {
  const std::string text = bench_text(sample());
  for (const char* words :
       {"NVIDIA H200 (cuda), driver 580.1, target h200", "comparator other: not available: not installed",
        "    5.000 [    4.900,     5.100]     6.000 [    5.900,     6.100]    200.0         5  2.0e-04      "
        "2.00",
        "cudnn        not available: no such shape", "hot: CUDA graph of 21 launches over 7 buffer sets",
        "cold: CUDA graph of 76 launches over 76 buffer sets", "champion: SM clock 1980 MHz",
        "measured side by side in this call"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
  EXPECT_EQ(text.find("modelled"), std::string::npos);
}

TEST(BenchOutput, DocumentIsWhatDocsSay) {
  const boost::json::object document = bench_to_json(sample());
  EXPECT_EQ(
      boost::json::serialize(document.at("cases").at(0).at("contenders").at(0)),
      R"({"contender":"champion","check":{"pass":true,"relative_frobenius":2E-4,"max_abs_over_rms":3E-3,"scope":"all of it"},)"
      R"("hot":{"latency_us":5E0,"ci95":[4.9E0,5.1E0],"samples":3,"launches":21,"buffer_sets":7,"tflops":2E2},)"
      R"("cold":{"latency_us":6E0,"ci95":[5.9E0,6.1E0],"samples":2,"launches":76,"buffer_sets":76,"tflops":1.6666666666666666E2},)"
      R"("speedup":2E0,"method":"SM clock 1980 MHz","unavailable":null})");
  EXPECT_EQ(document.at("latency_kind"), "measured");
  EXPECT_EQ(document.at("comparators").at(1).at("available"), false);
  EXPECT_TRUE(document.at("cases").at(0).at("contenders").at(2).at("hot").is_null());
}

TEST(BenchOutput, SweepIsRatesAndReasons) {
  BenchReport report = sample();
  report.cases[0].sweep = true;
  const std::string text = bench_text(report);
  EXPECT_NE(text.find("TFLOP/s by the problem's work model"), std::string::npos);
  EXPECT_NE(text.find("s512                          200.0            100.0                -"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("s512 cudnn: no such shape"), std::string::npos);
}

TEST(BenchOutput, ModelledIsCalledModelled) {
  BenchReport report;
  report.device_kind = "virtual";
  model::Latency latency;
  latency.microseconds = 12;
  report.modelled = {{"baseline", "", {{"s512", 1, latency}}}};
  EXPECT_NE(bench_text(report).find("12.000 us (modelled)"), std::string::npos);
  EXPECT_EQ(bench_to_json(report).at("latency_kind"), "modelled");
}

}  // namespace
}  // namespace evo::terminal
