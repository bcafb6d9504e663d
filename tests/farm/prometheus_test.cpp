// What Prometheus is told of a farm.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "farm/prometheus.hpp"

namespace evo::test {
namespace {

std::string text_of(const char* status) {
  return farm::prometheus_text(boost::json::parse(status).as_object());
}
bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(FarmPrometheus, NamesEveryMemberOnceUnderOneHead) {
  const std::string text = text_of(
      R"({"jobs": {"waiting": 3, "lent": 2, "lent_again": 1}, "results": 4,
          "kept": {"code": {"bytes": 5, "max_bytes": 8}},
          "lines": {"virtual": {"waiting": 2, "lent": 1}, "NVRTC_13": {"waiting": 1, "lent": 1}},
          "workers": [{"name": "a-1", "threads": 8, "answered": 70, "money": 1.5, "clock_ahead_s": -0.25}, {"name": "b-2", "threads": 4}],
          "runs": [{"name": "r1", "jobs": 9, "share": 12, "shared": 6}]})");
  for (const char* line :
       {"evo_farm_jobs_waiting 3", "evo_farm_jobs_lent 2", "evo_farm_results_waiting 4", "evo_farm_workers 2",
        "evo_farm_line_jobs_waiting{line=\"virtual\"} 2", "evo_farm_line_jobs_lent{line=\"NVRTC_13\"} 1",
        "evo_farm_runs 1", "evo_farm_worker_threads{worker=\"a-1\"} 8",
        "evo_farm_worker_threads{worker=\"b-2\"} 4", "evo_farm_worker_money_total{worker=\"a-1\"} 1.5",
        "evo_farm_worker_clock_ahead_seconds{worker=\"a-1\"} -0.25", "evo_farm_run_share{run=\"r1\"} 12",
        "evo_farm_run_shared_total{run=\"r1\"} 6", "evo_farm_kept_bytes{store=\"code\"} 5",
        "evo_farm_kept_max_bytes{store=\"code\"} 8", "# TYPE evo_farm_worker_answered_total counter"})
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  const std::string type = "# TYPE evo_farm_worker_threads gauge\n";
  EXPECT_EQ(text.find(type), text.rfind(type));
}

TEST(FarmPrometheus, WhatIsNoNumberIsNotThere) {
  const std::string text = text_of(
      R"({"jobs": [], "workers": [{"name": "a", "threads": "8\nevil 1"}, {"threads": 3}, 7], "runs": {}})");
  EXPECT_EQ(text.find("evil"), std::string::npos);
  EXPECT_EQ(text.find("threads"), std::string::npos);
  EXPECT_TRUE(has_line(text, "evo_farm_workers 3"));
  EXPECT_TRUE(has_line(text, "evo_farm_runs 0"));
}

}  // namespace
}  // namespace evo::test
