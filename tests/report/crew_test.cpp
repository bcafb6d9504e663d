// Who of a farm did a run's trials.
#include "report/crew.hpp"

#include <gtest/gtest.h>

namespace evo::report {
namespace {

engine::TrialRecord trial_of(const std::string& worker, double elapsed, bool correct) {
  engine::TrialRecord trial;
  trial.status = correct ? model::Status::better : model::Status::wrong;
  trial.elapsed_seconds = elapsed;
  trial.device_seconds = 0.5;
  if (!worker.empty()) trial.work = engine::WorkRecord{worker, "NVIDIA H200", std::nullopt};
  return trial;
}

TEST(Crew, HasALineForEachWorkerOverTheRunsTime) {
  Crew crew;
  EXPECT_TRUE(crew.members().empty());
  EXPECT_EQ(crew_text(crew), "");
  crew.add(trial_of("", 1, true));
  crew.add(trial_of("b-2", 15, true));
  crew.add(trial_of("a-1", 20, false));
  crew.add(trial_of("a-1", 99, true));
  crew.add(trial_of("", 100, true));
  const auto members = crew.members();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].worker, "a-1");
  EXPECT_EQ(members[0].trials, 2);
  EXPECT_EQ(members[0].correct, 1);
  EXPECT_EQ(members[0].device_seconds, 1);
  EXPECT_EQ(members[0].first_s, 20);
  EXPECT_EQ(members[0].last_s, 99);
  EXPECT_EQ(members[0].tenths, (std::vector<std::int64_t>{0, 0, 1, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(members[1].tenths[1], 1);
  EXPECT_EQ(to_json(crew).at(1).at("worker").as_string(), "b-2");
}

}  // namespace
}  // namespace evo::report
