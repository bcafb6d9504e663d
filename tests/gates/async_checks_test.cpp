// Checks beside the launches give the verdict that checks in order would have given.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "evaluators/gates/async_checks.hpp"

namespace evo::evaluators::gates {
namespace {

AsyncChecks::AsyncCheck failing(const std::string& reason, int after_ms = 0) {
  return [=]() -> std::optional<model::Failure> {
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    return model::Failure{model::Status::wrong, reason, {}};
  };
}

TEST(AsyncChecks, TheFirstInOrderCountsWhicheverIsFoundFirst) {
  for (const auto when : {AsyncChecks::When::at_once, AsyncChecks::When::beside}) {
    AsyncChecks checks_beside(when);
    checks_beside.submit([]() -> std::optional<model::Failure> { return std::nullopt; }, 1);
    checks_beside.submit(failing("slow", 30), 1);
    checks_beside.submit(failing("quick"), 1);
    const auto failure = checks_beside.finish();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->reason, "slow");
    EXPECT_TRUE(checks_beside.failed());
  }
}

TEST(AsyncChecks, AtOnceIsKnownAtOnce) {
  AsyncChecks checks_beside(AsyncChecks::When::at_once);
  checks_beside.submit(failing("wrong"), 1);
  EXPECT_TRUE(checks_beside.failed());
}

TEST(AsyncChecks, AllAreMadeHoweverMuchTheyKeep) {
  std::atomic<int> made{0};
  AsyncChecks checks_beside(AsyncChecks::When::beside);
  for (int i = 0; i < 100; ++i) {
    checks_beside.submit(
        [&made]() -> std::optional<model::Failure> {
          ++made;
          return std::nullopt;
        },
        std::int64_t{100} << 20);
  }
  EXPECT_FALSE(checks_beside.finish());
  EXPECT_EQ(made, 100);
}

}  // namespace
}  // namespace evo::evaluators::gates
