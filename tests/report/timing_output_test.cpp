// Figures of what disturbed a run's timings.
#include "report/timing_output.hpp"

#include <gtest/gtest.h>

#include "model/clock_reasons.hpp"

namespace evo::report {
namespace {

engine::TrialRecord timed(std::vector<std::string> reasons, std::int64_t discarded, std::int64_t kept) {
  engine::TrialRecord trial;
  trial.timing.emplace();
  trial.timing->clocks.watched = true;
  trial.timing->clocks.reasons = std::move(reasons);
  trial.timing->clocks.discarded = static_cast<decltype(trial.timing->clocks.discarded)>(discarded);
  trial.timing->clocks.kept = static_cast<decltype(trial.timing->clocks.kept)>(kept);
  return trial;
}

TEST(RunTimings, AnotherProgramIsCountedApartFromClocks) {
  RunTimings timings;
  timings.add(timed({}, 0, 0));
  timings.add(timed({"thermal slowdown"}, 2, 1));
  timings.add(timed({model::another_process}, 0, 4));
  timings.add(timed({"power cap, another process"}, 0, 1));
  EXPECT_EQ(timings.timings(), 4);
  EXPECT_EQ(timings.kept(), 6);
  EXPECT_EQ(timings.kept_held_down(), 2);
  EXPECT_EQ(timings.disturbed(), 2);
  const std::string text = timings_text(timings);
  EXPECT_NE(text.find("2 of 4 timings"), std::string::npos) << text;
  RunTimings alone;
  alone.add(timed({model::another_process}, 0, 1));
  EXPECT_EQ(timings_text(alone).find("held down ("), std::string::npos) << timings_text(alone);
}

}  // namespace
}  // namespace evo::report
