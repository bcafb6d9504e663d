// The share card and the roofline: their numbers are the document's.
#include "report/card.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "report/document.hpp"
#include "tests/report/ledgers.hpp"
#include "tests/report/scratch.hpp"

namespace evo::report {
namespace {

using testing::invent_run;
using testing::Scratch;

TEST(Card, HasTheNumbersOfTheDocument) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 120});
  const boost::json::object run = run_document(read_run(scratch / "run"));
  const std::string card(run.at("card").as_string());
  for (const char* variant : {"champion", "baseline"})
    EXPECT_NE(card.find(fmt::format("{} {:.3f} µs [", variant, run.at(variant).at("latency_us").as_double())),
              std::string::npos);
  EXPECT_NE(card.find(fmt::format("{:.3f}×", run.at("gain").at("speedup").as_double())), std::string::npos);
  EXPECT_NE(card.find(">MEASURED<"), std::string::npos);
  EXPECT_EQ(card.find("MODELLED"), std::string::npos);
  for (const auto& stage : run.at("funnel").as_array())
    EXPECT_NE(card.find(fmt::format(">{}</text>", stage.at("passed").as_int64())), std::string::npos);
}

TEST(Card, OfAModelledRunSaysThatNoGpuTimedIt) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 40, .measured = false});
  const std::string card(run_document(read_run(scratch / "run")).at("card").as_string());
  EXPECT_NE(card.find(">MODELLED<"), std::string::npos);
  EXPECT_NE(card.find("no GPU has timed this"), std::string::npos);
  EXPECT_EQ(card.find("MEASURED"), std::string::npos);
}

TEST(Card, NamesAreTextWhateverTheyHold) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 20});
  boost::json::object run = run_document(read_run(scratch / "run"));
  for (const std::string& text : testing::hostile_texts()) {
    run["name"] = text;
    run["target"] = text;
    run["state"] = text;
    run["lineage_sha256"] = text;
    run["device"].as_object()["name"] = text;
    run["environment"].as_object()["problem"] = text;
    const std::string card = card_of(run);
    for (const char* harm : {"<script", "<img", "onload=window.pwned=3>", "<h1", "\xe2\x80\xae", "<!--"})
      EXPECT_EQ(card.find(harm), std::string::npos) << text;
    for (const char c : card) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  }
}

TEST(Card, OfARunWithoutATrialIsStillACard) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 0, .finished = false});
  const std::string card(run_document(read_run(scratch / "run")).at("card").as_string());
  EXPECT_NE(card.find("no champion"), std::string::npos);
  EXPECT_TRUE(card.ends_with("</svg>\n"));
}

TEST(Roofline, RatesAreWorkOverLatencyAndTheLimitIsTheLowerRoof) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 120});
  const RunView view = read_run(scratch / "run");
  const boost::json::object run = run_document(view);
  const boost::json::object& roofline = run.at("roofline").as_object();
  // targets/l4.yaml: 58 SMs, 2.04 GHz, 1024 operations a cycle; 300 GB/s.
  EXPECT_NEAR(roofline.at("roofs").at("tensor_fp16_tflops").as_double(), 121.15968, 1e-9);
  EXPECT_DOUBLE_EQ(roofline.at("roofs").at("dram_gb_per_s").as_double(), 300);
  const boost::json::array& points = roofline.at("points").as_array();
  const bool other_start = run.at("path").as_array().front().at("trial").as_int64() != 0;
  EXPECT_EQ(points.size(), 2 * (run.at("path").as_array().size() + (other_start ? 1 : 0)));
  for (const auto& point : points) {
    const auto& trial = view.ledger.trials.at(point.at("trial").to_number<std::size_t>());
    const bool is_short = point.at("workload").as_string() == "short";
    // Attention of 2 heads, 64 wide: 4 seq^2 head_dim operations a head, and Q, K, V, O once in half
    // precision.
    const double seq = is_short ? 128 : 256, flops = 2 * 4 * seq * seq * 64, bytes = 2 * 4 * seq * 64 * 2;
    EXPECT_DOUBLE_EQ(point.at("flops").to_number<double>(), flops);
    EXPECT_DOUBLE_EQ(point.at("bytes").to_number<double>(), bytes);
    const double us = trial.latencies.at(is_short ? 0 : 1).latency.microseconds;
    EXPECT_NEAR(point.at("tflops").as_double(), flops / us * 1e-6, 1e-9);
    EXPECT_NEAR(point.at("limit_tflops").as_double(), std::min(121.15968, flops / bytes * 0.3), 1e-9);
    EXPECT_NEAR(point.at("of_limit").as_double(),
                point.at("tflops").as_double() / point.at("limit_tflops").as_double(), 1e-12);
  }
}

}  // namespace
}  // namespace evo::report
