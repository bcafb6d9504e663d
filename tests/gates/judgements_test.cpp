// Judgements beside the launches give the verdict that judging in order would have given.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "evaluators/gates/judgements.hpp"

namespace evo::evaluators::gates {
namespace {

Judgements::Judgement failing(const std::string& reason, int after_ms = 0) {
  return [=]() -> std::optional<model::Failure> {
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    return model::Failure{model::Status::wrong, reason, {}};
  };
}

TEST(Judgements, TheFirstInOrderCountsWhicheverIsFoundFirst) {
  for (const auto when : {Judgements::When::at_once, Judgements::When::beside}) {
    Judgements judgements(when);
    judgements.submit([]() -> std::optional<model::Failure> { return std::nullopt; }, 1);
    judgements.submit(failing("slow", 30), 1);
    judgements.submit(failing("quick"), 1);
    const auto failure = judgements.finish();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->reason, "slow");
    EXPECT_TRUE(judgements.failed());
  }
}

TEST(Judgements, AtOnceIsKnownAtOnce) {
  Judgements judgements(Judgements::When::at_once);
  judgements.submit(failing("wrong"), 1);
  EXPECT_TRUE(judgements.failed());
}

TEST(Judgements, AllAreMadeHoweverMuchTheyKeep) {
  std::atomic<int> made{0};
  Judgements judgements(Judgements::When::beside);
  for (int i = 0; i < 100; ++i) {
    judgements.submit(
        [&made]() -> std::optional<model::Failure> {
          ++made;
          return std::nullopt;
        },
        std::int64_t{100} << 20);
  }
  EXPECT_FALSE(judgements.finish());
  EXPECT_EQ(made, 100);
}

}  // namespace
}  // namespace evo::evaluators::gates
